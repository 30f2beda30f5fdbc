"""Every line of the corpus typed at `campaign play` on a pseudo-terminal, held against the same table in this process.

python -m tests.campaigns.corpus [--only "osr fight"]

Lines that record nothing are typed one after the other; each that records something at a table of its own.
"""

import argparse
import sys

from tests.campaigns.ended import clean_up_when_told_to_end
from tests.kit.corpus_on_terminal import corpus, differences, lay_tables
from tests.kit.shell import shell_elsewhere
from tests.line.tables import TABLES


def main() -> int:
    parser = argparse.ArgumentParser(prog="corpus", description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="only tables whose names hold this")
    options = parser.parse_args()
    lines_typed = wrong = 0
    with shell_elsewhere() as shell:
        lay_tables(shell)
        for table in (name for name in TABLES if options.only in name):
            rows = [row for row in corpus() if row["at"] == table]
            groups = [
                [row["say"] for row in rows if "means" not in row],
                *([row["say"]] for row in rows if "means" in row),
            ]
            for lines in groups:
                for difference in differences(shell, table, lines):
                    wrong += 1
                    print(difference, flush=True)
                lines_typed += len(lines)
            print(f"{table}: {len(rows)} lines", flush=True)
    print(f"{lines_typed} lines typed on a terminal, {wrong} answered otherwise than in the corpus' own process")
    return min(wrong, 1)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    sys.exit(main())
