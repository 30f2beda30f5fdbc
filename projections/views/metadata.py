"""The metadata of a view for Datasette: titles, meanings, facets, labels, and the named queries."""

from typing import Any

from projections.views.named_queries import named_queries
from projections.views.tables import OWN, TABLES
from projections.views.view import View


def metadata(view: View, database: str, rules: str) -> dict[str, Any]:
    """Datasette's metadata for a view that is served under the name `database`."""
    (name,) = view.ask("SELECT json_extract(json, '$.name') FROM events WHERE turn = 1 AND number = 1")[0]
    kinds = [row[0] for row in view.ask("SELECT name FROM sqlite_master WHERE name LIKE 'turns_fts%'")]
    tables: dict[str, Any] = {
        table_name: {
            "title": table.title,
            "description": table.meaning,
            "columns": {column: meaning for column, (_, meaning) in table.columns.items()},
            "facets": list(table.facets),
            **({"sort_desc": "turn"} if "turn" in table.columns else {}),
        }
        for table_name, table in TABLES.items()
    }
    tables["turns"] |= {"label_column": "sentence"}
    if kinds:
        tables["turns"] |= {"fts_table": "turns_fts", "fts_pk": "turn"}
    tables["changes"] = {**tables["values"], "title": "Changes (the same as values)"}
    tables["sheets"] = {"title": "Sheets", "description": "The sheets as they are now, one row a character."}
    tables |= {table_name: {"hidden": True} for table_name in (*OWN, *kinds)}
    return {
        "title": name,
        "description": f"The log of a campaign played under {rules}, as tables. Reading changes nothing.",
        "databases": {
            database: {
                "title": name,
                "tables": tables,
                "queries": {
                    query_name: {"title": query.title, "description": query.description, "sql": query.sql.strip()}
                    for query_name, query in named_queries(rules).items()
                },
            }
        },
    }
