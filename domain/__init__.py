"""The rules and the log: what may happen, what happened, and what that makes of each sheet."""
