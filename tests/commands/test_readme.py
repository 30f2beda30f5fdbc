"""Every block of the README is run: what it shows is what happens.

In a `console` block a line that begins with `$ ` is typed, with those that begin with `> ` behind it; the lines below
it are what is printed, `…` stands
for any lines, `(exit N)` at the end for an exit code other than 0. A command with nothing below it just has to
work. All blocks share one folder, as they do for a reader who follows them. A block that begins with a comment
of a path is that file, of a rule system that is installed before anything is typed.
"""

import os
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.campaigns.installed import built
from tests.kit.warm import Warm

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)


def typed(block: str) -> list[tuple[str, list[str]]]:
    """The commands of a block, each with the lines that it prints."""
    commands: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif line.startswith("> ") and not commands[-1][1]:
            commands[-1] = (f"{commands[-1][0]}\n{line[2:]}", [])
        else:
            commands[-1][1].append(line)
    return commands


def as_pattern(lines: list[str]) -> str:
    """A pattern for what is printed."""
    return "".join(r"(?:.*\n)*?" if line == "…" else re.escape(line) + r"\n" for line in lines)


def site_with_the_rules_of_its_own(folder: Path) -> Path:
    """What installing the files of the README would leave: built as any package is, and unpacked."""
    own = folder / "own"
    for _, block in BLOCKS:
        if named := re.match(r"# ([\w/]+\.\w+)\n", block):
            path = own / named[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block, "utf-8")
    wheel = built(own, folder / "built")
    with zipfile.ZipFile(wheel) as unpacked:
        unpacked.extractall(folder / "site")
    return folder / "site"


def test_every_console_block_shows_what_happens(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "campaign"
    program.parent.mkdir()
    path = [str(site_with_the_rules_of_its_own(tmp_path)), str(ROOT)]
    program.write_text(f"#!{sys.executable}\nimport sys\nsys.path[:0] = {path!r}\nfrom cli.main import main\nmain()\n")
    program.chmod(0o755)
    evening = tmp_path / "evening"
    evening.mkdir()
    environment = {
        **os.environ,
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(path),
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    environment.pop("CAMPAIGN", None)
    commands = [command for kind, block in BLOCKS if kind == "console" for command in typed(block)]
    assert len(commands) > 20
    with Warm(tmp_path, env=environment) as warm:
        for command, lines in commands:
            code = 0
            if lines and (match := re.fullmatch(r"\(exit (\d+)\)", lines[-1])):
                code, lines = int(match[1]), lines[:-1]
            found, printed = done(command, evening, environment, warm)
            assert found == code, f"$ {command}\n{printed}"
            if lines:
                assert re.fullmatch(as_pattern(lines), printed), f"$ {command}\n{printed}"


def done(command: str, where: Path, environment: dict[str, str], warm: Warm) -> tuple[int, str]:
    """The exit code of a command and what it printed. What takes more than the program itself goes to a shell."""
    if command.startswith("campaign ") and not re.search(r"[|<>\\\n]", command):
        told = warm.run(where, *shlex.split(command)[1:])
        return told.code, told.out + told.err
    shown = subprocess.run(command, shell=True, cwd=where, env=environment, capture_output=True, text=True, check=False)
    return shown.returncode, shown.stdout + shown.stderr


def test_the_commands_of_the_set_up_are_those_that_ci_runs() -> None:
    shell = "".join(block for kind, block in BLOCKS if kind == "sh")
    ci = (ROOT / ".ci" / "run").read_text("utf-8")
    assert "uv run python -m tests\n" in shell
    assert "uv run python -m tests\n" in ci
    assert "uv run --no-dev campaign demo\n" in shell


def test_what_the_set_up_names_exists() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["scripts"]["campaign"] == "cli.main:main"
    assert "dev" in project["dependency-groups"]
    for module in re.findall(r"python -m (tests\.[\w.]+)", README):
        assert ROOT.joinpath(*module.split(".")).with_suffix(".py").is_file(), module


def test_the_longer_runs_are_those_that_are_listed() -> None:
    rows = re.findall(
        r"^\| ((?:`[a-z_]+(?: FOLDER)?` ?)+)\|", README.partition("modules of `tests/campaigns`")[2], re.M
    )
    listed = {name for row in rows for name in re.findall(r"`([a-z_]+)", row)}
    files = (ROOT / "tests" / "campaigns").glob("[a-z]*.py")
    runs = {file.stem for file in files if '__name__ == "__main__"' in file.read_text("utf-8")}
    assert listed == runs


def test_every_file_that_is_named_is_there() -> None:
    named = re.findall(r"`((?:cli|domain|projections|tests|data)/[\w/.-]+\.\w+)`", README)
    assert "domain/osr/rests.py" in named
    assert [each for each in named if not (ROOT / each.replace("KEY", "osr")).is_file()] == []


@pytest.mark.parametrize("folder", ["domain", "projections", "cli", "tests", "data"])
def test_the_layout_is_as_told(folder: str) -> None:
    assert (ROOT / folder).is_dir()
    assert f"\n    {folder}/" in README
