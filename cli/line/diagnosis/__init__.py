"""Why the words behind a verb cannot be read as its fields, in a sentence that says what to type instead."""
