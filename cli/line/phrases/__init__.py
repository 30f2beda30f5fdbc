"""How people talk besides verb first: each file reads some ways to say something.

`cli.line.phrase_readers` is the table that says which of them is asked when.
"""
