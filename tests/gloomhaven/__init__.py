"""The rules of Gloomhaven."""
