"""Campaigns as they are stored: in a file, and (`server`) on PostgreSQL; how they are opened, written and checked."""
