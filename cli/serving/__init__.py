"""The page: phones at the table, each with what its player may see and do."""
