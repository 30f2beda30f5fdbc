"""The log as tables for SQL queries: a projection in a disposable SQLite file that is caught up on demand.

`tables` declares the tables, `rows` makes rows from turns, `view` keeps the file up to date, `sandbox` runs
untrusted SQL.
"""
