"""The table: lines typed without a terminal, at a prompt, and on the screen."""
