"""A rule system as a package of its own, with nothing of it anywhere else: what a stranger would write."""
