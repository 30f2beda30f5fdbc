"""The built wheel, installed into a fresh environment and used there by somebody who has nothing else of ours.

python -m tests.campaigns.installed [--python 3.13]

Plays a campaign with it, and runs the suite as a package with a rule system of its own does: from a test file of
one line, beside a `tests` package of its own.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: What a package brings whose rule system is osr.
TAKING_OVER = """\
from campaign_suite.every_system import *

from tests.subject import SUBJECT

SUBJECTS = (SUBJECT,)
"""


def built(folder: Path) -> Path:
    """The wheel, built from this working tree."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def strangers_package(folder: Path) -> Path:
    """The tests of a package that brings its own rule system."""
    tests = folder / "stranger" / "tests"
    tests.mkdir(parents=True)
    (tests / "__init__.py").touch()
    subject = (ROOT / "tests" / "osr" / "subject.py").read_text("utf-8")
    (tests / "subject.py").write_text(subject.replace("from tests.kit", "from campaign_suite.kit"), "utf-8")
    for name in ("contract.txt", "stored.txt"):
        (tests / name).write_bytes((ROOT / "tests" / "osr" / name).read_bytes())
    (tests / "test_every_system.py").write_text(TAKING_OVER, "utf-8")
    return tests.parent


def run(command: Sequence[str], folder: Path) -> str:
    """What a command says that has to end well, with nothing of this checkout in its way."""
    homes = {name: str(folder / name.lower()) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
    left_out = ("PYTHONPATH", "CAMPAIGN", "VIRTUAL_ENV", "PYTEST_ADDOPTS", "PYTHONDONTWRITEBYTECODE")
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    done = subprocess.run(
        command, cwd=folder, env={**environment, **homes}, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, f"{command}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


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


def main(arguments: Sequence[str] | None = None) -> None:
    """Install the wheel with its suite, and use both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default="3.11")
    python = parser.parse_args(arguments).python
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        wheel = built(folder)
        # a machine may trust certificates that only its own store knows
        environment = {**os.environ, "UV_SYSTEM_CERTS": "1"}
        subprocess.run(["uv", "venv", "-q", "--python", python, str(folder / "env")], env=environment, check=True)
        there = folder / "env" / "bin"
        install = ["uv", "pip", "install", "-q", "--python", str(there / "python"), f"{wheel}[suite]"]
        subprocess.run(install, env=environment, check=True)
        (folder / "home").mkdir()
        play([str(there / "campaign")], folder)
        print(f"{python}: a campaign of each rule system was played")
        suite = [str(there / "python"), "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        print(run(suite, strangers_package(folder)).strip().splitlines()[-1])


if __name__ == "__main__":
    main()
