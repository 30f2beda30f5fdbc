"""The interface between the log and rule systems."""
