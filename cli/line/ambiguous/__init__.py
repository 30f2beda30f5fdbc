"""The questions about a whole reading that may mean something else, by what they are about.

`cli.line.ambiguities` says which of them are asked, and in which order.
"""
