"""What the shell hands over and what it is told: words, verbs, completion, failures."""
