"""The log as tables, for questions: a disposable SQLite file that is caught up when it is needed.

`tables` says what there is, `rows` turns turns into rows, `view` keeps them at the end of the log, `sandbox`
answers SQL that nobody has to trust.
"""
