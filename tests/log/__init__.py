"""The log: reading, revising, chance, branches."""
