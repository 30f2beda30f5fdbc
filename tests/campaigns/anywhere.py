"""An evening from the wheel in fresh environments: each Python, lowest and newest libraries, old and bare SQLites.

python -m tests.campaigns.anywhere [--python 3.13] [--resolution highest] [--only sqlite]

Installs the wheel where nothing else of ours is and plays, also with the newest release of a library that our bounds
keep out for its cost; then with each of the names taken away that Windows or macOS lack; then over SQLite 3.34, 3.37,
3.45 and the newest, and one without FTS5. Those are compiled from the sources that releases of the package
better-sqlite3 carry, which takes `npm` and a C compiler; without them that part is left out, and said to be.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.campaigns.ended import clean_up_when_told_to_end
from tests.campaigns.environments import PYTHONS, RESOLUTIONS, interpreter, is_missed, program_in
from tests.campaigns.installed import ROOT, wheel_of
from tests.kit.elsewhere import NAMES, homes

#: What is typed, and what is then to be seen.
LINES = "d brog 3 a falling slab\nnote The slab was loose\n"
EVENING: tuple[tuple[str, str], ...] = (
    ("new Mill --rules osr --file mill.campaign", "Mill begins"),
    ("session open Wet feet", "Session 1 opens"),
    ("osr enrol Brog --player Mia --level 2 --rolled 5,6", "has 11 hit points"),
    ("osr damage brog 4", "Brog is hit for 4"),
    ("osr short-rest brog --rolled 3,4", "Brog"),
    ("undo --yes", "T5"),
    ("amend T4 --set amount=2 --yes", "T4"),
    ("why brog.hp", "OSR"),
    ("status", "hit points"),
    ("play", "Brog"),
    ("log --grep slab", "a falling slab"),
    ("show T4", "T4"),
    ("when brog.hp<9", "T"),
    ("diff T2..@", "Brog"),
    ("rules 6.4", "OSR 6.4"),
    ("ruling 6.4 Rests --why slow", "R1"),
    ("recap S1", "Brog"),
    ("stats", "Brog"),
    ("query --schema", "turns"),
    ("verify", "turns verified"),
    ("seal", "T"),
    ("backup copy.db", "also in copy.db"),
    ("doctor", "every turn can be read"),
    ("serve --help", "Usage"),
)
#: Libraries whose newest release is kept out by our bound for its cost alone: it has to do all the same.
UNBOUND = ("typer",)
#: SQLite, and the release of better-sqlite3 that carries its sources.
SQLITES = {"3.34": "7.1.2", "3.37": "7.4.6", "3.45": "9.4.0", "newest": "latest"}
#: Python's own module asks for the first.
WITHOUT_FTS5 = ("-DSQLITE_ENABLE_DESERIALIZE", "-DSQLITE_ENABLE_JSON1")
WITH = (*WITHOUT_FTS5, "-DSQLITE_ENABLE_FTS5", "-DSQLITE_ENABLE_COLUMN_METADATA")


class Ended(Exception):
    """A command that ended in another way than it should."""


def answer_to(program: Sequence[str], line: str, folder: Path, environment: Mapping[str, str]) -> str:
    """What a command answers. Raises Ended."""
    process = subprocess.run(
        [*program, *line.split(" ")], cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False,
        input=LINES if line == "play" else "",
    )  # fmt: skip
    if process.returncode:
        raise Ended(f"{line}: exit {process.returncode}\n{process.stdout[-500:]}{process.stderr[-1500:]}")
    return process.stdout


def environment_in(folder: Path) -> dict[str, str]:
    """The environment of somebody whose home is this folder, and who has nothing of this checkout."""
    left_out = ("PYTHONPATH", "CAMPAIGN", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE")
    return {**{name: value for name, value in os.environ.items() if name not in left_out}, **homes(folder)}


def play(program: Sequence[str], folder: Path, more: Mapping[str, str] | None = None) -> None:
    """The evening, in an empty folder. Raises Ended for the first command that fails or answers something else."""
    environment = {**environment_in(folder), **(more or {})}
    for line, answer in EVENING:
        output = answer_to(program, line, folder, environment)
        if answer not in output:
            raise Ended(f"{line}: {answer!r} is not in what it answers:\n{output[-1500:]}")


def without(program: Sequence[str], statement: str) -> list[str]:
    """The program in a Python from which something is taken away. `program`: that Python, with its options."""
    return [*program, "-c", f"{statement}\nfrom campaign_log.cli.main import main; main()"]


def report(label: str, program: Sequence[str], more: Mapping[str, str] | None = None) -> bool:
    """Play, and print how it went."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            play(program, Path(folder), more)
        except Ended as error:
            print(f"{label}: FAILED\n{error}", flush=True)
            return False
    print(f"{label}: {len(EVENING)} commands", flush=True)
    return True


def installed(python: str, resolution: str, wheel: Path, folder: Path, unbound: Sequence[str] = ()) -> Path:
    """A fresh environment with the wheel in it: its Python. `unbound`: libraries without the bounds that we set."""
    environment = {**os.environ, "UV_SYSTEM_CERTS": "1"}
    environment.pop("VIRTUAL_ENV", None)
    overrides = folder.with_name(f"{folder.name}-overrides.txt")
    overrides.write_text("\n".join(unbound), "utf-8")
    there = program_in(folder, "python")
    options = ["--python", str(there), "--resolution", resolution, "--overrides", str(overrides)]
    for command in (
        ["uv", "venv", "-q", "--python", python, str(folder)],
        ["uv", "pip", "install", "-q", *options, f"{wheel}[serve]"],
    ):
        subprocess.run(command, env=environment, check=True, cwd=folder.parent)
    return there


def version_of(library: str, python: Path) -> str:
    """Which version of a library is installed for this Python."""
    code = f"from importlib.metadata import version; print(version({library!r}))"
    return subprocess.run([python, "-c", code], capture_output=True, encoding="utf-8", check=True).stdout.strip()


def sqlites(folder: Path) -> Iterator[tuple[str, Path]]:
    """Libraries of SQLite, compiled: what each is, and the folder that it lies in."""
    if shutil.which("npm") is None or shutil.which("cc") is None:
        print("Other SQLites: left out, for there is no npm, or no C compiler.")
        return
    for name, release in SQLITES.items():
        sources = folder / f"sqlite-{name}"
        sources.mkdir()
        packed = subprocess.run(
            ["npm", "pack", "--silent", f"better-sqlite3@{release}"], cwd=sources, capture_output=True,
            encoding="utf-8", check=False,
        )  # fmt: skip
        if packed.returncode:
            print(f"SQLite {name}: left out, for its sources cannot be had here.")
            continue
        _unpack(sources / packed.stdout.split()[-1], sources)
        for inner in sources.rglob("sqlite3.tar.gz"):
            _unpack(inner, sources)
        source = next(sources.rglob("sqlite3.c"))
        yield f"SQLite {name}", _compiled(source, sources / "with", WITH)
        if name == "3.45":
            yield "SQLite 3.45 without FTS5", _compiled(source, sources / "without", WITHOUT_FTS5)


def _unpack(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")


def _compiled(source: Path, folder: Path, options: Sequence[str]) -> Path:
    folder.mkdir()
    library = folder / "libsqlite3.so.0"
    command = [
        "cc",
        "-O1",
        "-fPIC",
        "-shared",
        "-Wl,-soname,libsqlite3.so.0",
        *options,
        str(source),
        "-o",
        str(library),
    ]
    subprocess.run([*command, "-lpthread", "-ldl", "-lm"], check=True, capture_output=True)
    return folder


def main(arguments: Sequence[str] | None = None) -> int:
    """Play everywhere; the exit code is 1 if it failed anywhere."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", action="append", help=f"a version or a path; otherwise {', '.join(PYTHONS)}")
    parser.add_argument("--resolution", action="append", choices=RESOLUTIONS)
    parser.add_argument("--only", action="append", choices=("python", "names", "sqlite"))
    options = parser.parse_args(arguments)
    parts = options.only or ["python", "names", "sqlite"]
    well = True
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        wheel = wheel_of(ROOT, folder / "wheel")
        for number, python in enumerate(options.python or PYTHONS):
            if "python" not in parts:
                continue
            if (there := interpreter(python)) is None:
                well &= not is_missed(python, options.python)
                continue
            for resolution in options.resolution or RESOLUTIONS:
                program = installed(there, resolution, wheel, folder / f"{number}-{resolution}")
                well &= report(f"Python {python}, {resolution}", [str(program_in(program.parents[1], "campaign"))])
            program = installed(there, "highest", wheel, folder / f"{number}-unbound", UNBOUND)
            versions = ", ".join(f"{name} {version_of(name, program)}" for name in UNBOUND)
            well &= report(
                f"Python {python}, highest, with {versions}", [str(program_in(program.parents[1], "campaign"))]
            )
        newest = installed(str(interpreter((options.python or PYTHONS)[0])), "highest", wheel, folder / "newest")
        for name, statement in NAMES.items() if "names" in parts else ():
            well &= report(f"without {name}", without([str(newest)], statement))
        for sqlite_name, library in sqlites(folder) if "sqlite" in parts else ():
            version = subprocess.run(
                [newest, "-c", "import sqlite3; print(sqlite3.sqlite_version)"],
                env={**os.environ, "LD_LIBRARY_PATH": str(library)}, capture_output=True, encoding="utf-8", check=True,
            ).stdout.strip()  # fmt: skip
            more = {"LD_LIBRARY_PATH": str(library)}
            well &= report(f"{sqlite_name} ({version})", [str(program_in(newest.parents[1], "campaign"))], more)
    return int(not well)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    sys.exit(main())
