"""Phones at the table."""
