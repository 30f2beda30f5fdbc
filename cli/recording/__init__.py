"""The conversation: the one driver that asks, previews, confirms and records, without terminal, page or store."""
