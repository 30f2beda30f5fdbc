"""Turns in, readings out: nothing here draws, decides or stores."""
