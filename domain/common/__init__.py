"""What every campaign has, whatever its rules, shaped like a rule system."""
