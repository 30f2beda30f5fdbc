"""The campaign file."""
