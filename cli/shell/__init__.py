"""The shell: how command lines are declared, parsed, completed and run, and how failures become exit codes."""
