"""The line that is typed at the table: one grammar for every surface that takes it."""
