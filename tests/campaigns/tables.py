"""The properties of random tables, and of random texts, held against more of them than in the tests.

python -m tests.campaigns.tables --count 400 --seed 1000 [--only osr]

A seed is a table, so whatever fails here fails again under the same command.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from tests.campaigns.ended import clean_up_when_told_to_end

ROOT = Path(__file__).parents[2]
#: Where the properties are.
ROOMS = ("every_system", "views", "osr", "deckahedron", "gloomhaven", "commands")


def main() -> int:
    parser = argparse.ArgumentParser(prog="tables", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=400, help="how many tables each property is held against")
    parser.add_argument("--seed", type=int, default=1000, help="the seed of the first; the tests take 0 to 15")
    parser.add_argument("--only", default="", help="only tests whose names hold this")
    options = parser.parse_args()
    print(f"{options.count} tables, seeds {options.seed} to {options.seed + options.count - 1}", flush=True)
    seeds = {"TABLES_FROM": str(options.seed), "TABLES_TO": str(options.seed + options.count)}
    selection = ["--hypothesis-profile=longer", *(["-k", options.only] if options.only else [])]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *selection, *(f"tests/{room}" for room in ROOMS)],
        cwd=ROOT,
        env={**os.environ, **seeds},
        check=False,
    ).returncode


if __name__ == "__main__":
    clean_up_when_told_to_end()
    sys.exit(main())
