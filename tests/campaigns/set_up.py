"""The commands with which the README and the contributors' page set the program up, typed in a fresh clone.

python -m tests.campaigns.set_up

Clones this repository as it is committed, gives the reader an empty home, and types each line of a `sh` block there.
Everything that has to be fetched comes from the package index of the machine; what runs every check is left out, for
`.ci/run` is that.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.campaigns.ended import clean_up_when_told_to_end
from tests.kit.chapters import CONTRIBUTING, README, blocks
from tests.kit.shell import ROOT

#: What `.ci/run` types.
EVERYTHING = "uv run python -m tests"
#: Where `uv tool install` puts the program, below the reader's home.
TOOLS = ".local/bin"


def set_up_lines() -> Iterator[str]:
    """Each line of a set-up, without its comment."""
    for page in (README, CONTRIBUTING):
        for kind, block in blocks(page):
            if kind == "sh":
                lines = [line.partition("  #")[0].rstrip() for line in block.splitlines()]
                yield from (line for line in lines if line and line != EVERYTHING)


def main() -> int:
    """Type every line; the exit code is 1 if one of them failed."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        home, clone = Path(folder) / "home", Path(folder) / "clone"
        home.mkdir()
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        environment = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "CAMPAIGN")}
        # a machine may trust certificates that only its own store knows
        environment |= {"HOME": str(home), "UV_SYSTEM_CERTS": "1"}
        environment["PATH"] = os.pathsep.join((str(home / TOOLS), environment["PATH"]))
        for line in (*set_up_lines(), "campaign --version"):
            process = subprocess.run(
                line,
                shell=True,
                cwd=clone,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                check=False,
            )
            print(f"{'done' if process.returncode == 0 else 'FAILED'}  {line}", flush=True)
            if process.returncode:
                failed.append(line)
                print(process.stdout[-3000:], process.stderr[-3000:], sep="\n", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    clean_up_when_told_to_end()
    sys.exit(main())
