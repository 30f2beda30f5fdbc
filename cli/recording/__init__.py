"""The room of the one driver that asks, previews, confirms and records: no terminal, no page, no store."""
