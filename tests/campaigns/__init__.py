"""Longer campaigns of tests, run by hand: each prints its seed and its count."""
