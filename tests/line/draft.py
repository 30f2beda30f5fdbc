"""What lines mean today, as rows for the corpus: `python -m tests.line.draft "osr evening" < lines.txt`.

Read what it prints before it is put into the corpus: a row says what a line should mean.
"""

import json
import sys
from typing import Any

from cli.line.errors import Ambiguous
from domain.refusal import Invalid, Refusal
from tests.kit.lines import means, understood
from tests.line.tables import table_of


def drafted(where: str, line: str) -> dict[str, Any]:
    """The row of a line at a table."""
    row: dict[str, Any] = {"at": where, "say": line}
    table = table_of(where)
    try:
        meant = understood(table, line)
    except Ambiguous as error:
        return {**row, "asks": error.question, "of": [choice.line for choice in error.choices]}
    except (Invalid, Refusal) as error:
        return {**row, "refused": str(error)}
    if meant.question is not None:
        row["asked"] = " ".join((meant.question.command, *meant.question.words))
    else:
        row["means"] = means(table, line)
    return {**row, "manner": dict(meant.manner)} if meant.manner else row


if __name__ == "__main__":
    for typed_line in filter(None, sys.stdin.read().splitlines()):
        sys.stdout.write(f"{json.dumps(drafted(sys.argv[1], typed_line), ensure_ascii=False)}\n")
