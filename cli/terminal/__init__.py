"""Output and questions on a terminal."""
