"""The results of reading commands as documents and tables: Markdown, HTML, CSV, JSON."""
