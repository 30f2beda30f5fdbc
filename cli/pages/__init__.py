"""Readings as pages and rows: Markdown, HTML, CSV, JSON."""
