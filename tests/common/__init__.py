"""What every campaign has."""
