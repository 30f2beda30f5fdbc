"""The suite that every rule system has to pass, the built-in ones and those that come in a package of their own.

Each test takes a `subject` (`tests/kit/subjects.py`): which rule system, and how it is played at random.
"""
