"""Tests of the assistant: its tools, its secrets, and the pipe."""
