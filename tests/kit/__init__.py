"""What tests are written with: given turns, tables to play at, the shell."""
