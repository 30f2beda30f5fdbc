"""The line that is typed at the table, rule by rule of its grammar."""
