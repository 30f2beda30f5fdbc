"""The rules of osr."""
