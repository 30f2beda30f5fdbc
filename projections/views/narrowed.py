"""A view that shows some turns only: those of a session, a range, a time or a character.

SQL views with the names of the tables cover them, so that every question is answered for these turns. The table
`values` stays whole: it says who plays a character, whenever that was written down.
"""

from projections.filters import Filters
from projections.views.chronicle_queries import candidates
from projections.views.view import View

#: The tables that are covered, and whether their rows are about a character.
COVERED = {"turns": False, "citations": False, "events": True, "changes": True, "tracked": True, "rolls": True}


def narrow(view: View, filters: Filters) -> None:
    """Let a view show the turns in a range, a session and a time, and of a character what is about it, from now on."""
    connection = view.connection
    last = filters.last if filters.last is not None else view.last()
    select, values = candidates(view, filters, filters.first, last, -1)
    connection.execute("CREATE TEMP TABLE chosen (turn INTEGER PRIMARY KEY)")
    connection.execute("CREATE TEMP TABLE chosen_character AS SELECT ? AS character", (filters.character,))
    connection.execute(f"INSERT INTO temp.chosen {select}", values)
    for table, is_about_somebody in COVERED.items():
        # a view of an earlier point covers the tables already
        of_then = view.ask("SELECT sql FROM sqlite_temp_master WHERE type = 'view' AND name = ?", table)
        rows = of_then[0][0].partition(" AS ")[2] if of_then else f"SELECT * FROM main.{table}"
        where = "turn IN (SELECT turn FROM temp.chosen)"
        if is_about_somebody and filters.character is not None:
            where += " AND character = (SELECT character FROM temp.chosen_character)"
        connection.execute(f"DROP VIEW IF EXISTS temp.{table}")
        connection.execute(f"CREATE TEMP VIEW {table} AS SELECT * FROM ({rows}) WHERE {where}")
