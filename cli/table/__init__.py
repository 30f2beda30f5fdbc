"""The table: one campaign open for an evening, lines in and answers out, on a screen or without one."""
