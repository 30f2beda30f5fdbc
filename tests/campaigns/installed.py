"""The built wheel, installed into a fresh environment and used there by somebody who has nothing else of ours.

python -m tests.campaigns.installed [--python 3.13]

Plays a campaign under each rule system, and under that of another package which is installed beside it; then runs
the whole suite as that package does: from a test file of one line, in a `tests` package of its own.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import copytree, ignore_patterns

from tests.campaigns.ended import clean_up_when_told_to_end
from tests.campaigns.environments import interpreter, program_in
from tests.kit.elsewhere import homes

ROOT = Path(__file__).parents[2]
#: Seconds after which a command is given up.
LONGEST = 1800
#: A rule system that is a package of its own, and a campaign under it: what is typed, what is then to be seen.
FOURTH = ROOT / "tests" / "fourth"
REEF = ("-c", "reef.campaign")
EVENING = (
    (("new", "Reef", "--rules", "tides", "--file", "reef.campaign"), "Reef begins"),
    (("tides", "enrol", "Brog", "--player", "Ann", "--port", "Skerry", *REEF), "Brog comes aboard with 4 of oil."),
    (("tides", "sail", "brog", "--rolled", "3", *REEF), "T3  Brog rolls 3 and has come 4 miles."),
    (("s", "brog", "6", *REEF), "T4  Brog rolls 6 and has come 11 miles."),
    (("undo", "T3", "--yes", *REEF), "miles 11 → 7"),
    (("status", *REEF), "miles"),
    (("status", "--as", "Ann", *REEF), "Skerry"),
    (("log", *REEF), "T4  Brog rolls 6 and has come 7 miles. [T5; first: Brog rolls 6 and has come 11 miles.]"),
    (("why", "brog.miles", *REEF), "TD 4"),
    (("rules", "3", *REEF), "Lanterns"),
    (("query", "miles-per-session", *REEF), "Brog"),
    (("verify", *REEF), "T5"),
    (("doctor",), "tides 1"),
)
#: Lines of the table, and what answers the last of them.
PLAYED = "o brog\nlight brog\ns brog 2\n", "T8  Brog rolls 2 and has come 10 miles."


def wheel_of(project: Path, folder: Path) -> Path:
    """The wheel of a project, built from its working tree."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=project, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def fourth(folder: Path) -> Path:
    """The rule system of another package: its folder, and nothing else of ours."""
    there = folder / "fourth"
    copytree(FOURTH, there, ignore=ignore_patterns("__pycache__"))
    (there / "__init__.py").unlink()  # it is a package only among our tests
    return there


def run(command: Sequence[str], folder: Path, typed_lines: str = "") -> str:
    """What a command says that has to end well, with nothing of this checkout in its way."""
    left_out = ("PYTHONPATH", "CAMPAIGN", "VIRTUAL_ENV", "PYTEST_ADDOPTS", "PYTHONDONTWRITEBYTECODE")
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    process = subprocess.run(
        command,
        cwd=folder,
        env={**environment, **homes(folder)},
        input=typed_lines,
        capture_output=True,
        encoding="utf-8",
        timeout=LONGEST,
        check=False,
    )
    assert process.returncode == 0, f"{command}: exit {process.returncode}\n{process.stdout}\n{process.stderr}"
    return process.stdout


#: Rule system -> one of its paragraphs.
SYSTEMS = {"osr": "6.4", "deckahedron": "4", "gloomhaven": "1"}


def play(program: Sequence[str], folder: Path, systems: Mapping[str, str] = SYSTEMS) -> None:
    """A campaign under each rule system, and everything that needs a file from the wheel."""
    for rules, rule in systems.items():
        path = f"{rules}.campaign"
        run([*program, "new", "Crypt", "--rules", rules, "--file", path], folder)
        assert rule in run([*program, "rules", rule, "-c", path], folder)
        hero = ["--class", "brute"] if rules == "gloomhaven" else []
        ranks = ["--strength", "2", "--dexterity", "3", "--intelligence", "3"] if rules == "deckahedron" else []
        run([*program, rules, "enrol", "brog", *hero, *ranks, "-c", path], folder)
        assert "brog" in json.loads(run([*program, "status", "--json", "-c", path], folder))["characters"]
        run([*program, "stats", "-c", path], folder)
    assert "T" in run([*program, "demo"], folder)


def play_fourth(program: Sequence[str], folder: Path) -> None:
    """An evening under the rules of the other package, on the shell and at the table."""
    for line, expected_answer in EVENING:
        output = " ".join(run([*program, *line], folder).split())
        assert " ".join(expected_answer.split()) in output, f"{line}: {output}"
    lines, answer = PLAYED
    assert answer in run([*program, "play", *REEF], folder, lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Install the wheel with its suite, and use both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default="3.11")
    python = parser.parse_args(arguments).python
    if (executable := interpreter(python)) is None:
        sys.exit(f"Python {python}: there is none on this machine.")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        their_wheel = fourth(folder)
        wheels = [f"{wheel_of(ROOT, folder / 'ours')}[suite]", str(wheel_of(their_wheel, folder / "theirs"))]
        # a machine may trust certificates that only its own store knows
        environment = {**os.environ, "UV_SYSTEM_CERTS": "1"}
        subprocess.run(["uv", "venv", "-q", "--python", executable, str(folder / "env")], env=environment, check=True)
        python_there, program = (str(program_in(folder / "env", name)) for name in ("python", "campaign"))
        subprocess.run(["uv", "pip", "install", "-q", "--python", python_there, *wheels], env=environment, check=True)
        (folder / "home").mkdir()
        play([program], folder)
        print(f"{python}: a campaign of each rule system was played")
        play_fourth([program], folder)
        print(f"{python}: and one under the rules of another package")
        # the types of a rule system are those of the wheel
        subprocess.run(
            ["uv", "pip", "install", "-q", "--python", python_there, "mypy>=2,<3"], env=environment, check=True
        )
        run([python_there, "-m", "mypy", "--strict", "campaign_tides"], their_wheel / "src")
        print(f"{python}: the types of that package hold against the wheel")
        suite = [python_there, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
        print(run(suite, their_wheel).strip().splitlines()[-1])


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
