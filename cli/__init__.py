"""The command line, and the campaign file that it opens."""
