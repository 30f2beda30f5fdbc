"""The seam between the log and a rule system: what each expects of the other."""
