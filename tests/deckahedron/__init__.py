"""The rules of deckahedron."""
