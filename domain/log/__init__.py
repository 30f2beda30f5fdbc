"""One log: what is kept, what stands, what it folds to, how it is revised."""
