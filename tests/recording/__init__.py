"""The driver of ask, preview, confirm and record, without any face."""
