"""What every registered rule system owes."""
