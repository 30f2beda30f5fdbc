"""The commands, one file each, named like the command; the docstring of the file is its help."""
