"""The README and the chapters of the manual: their blocks read, and played as a reader would type them.

In a `console` block a line that begins with `$ ` is typed, together with the lines behind it that begin with `> `. The
lines below are what is printed: `…` stands for any lines, and `(exit N)` at the end for an exit code other than 0. A
command with nothing below it only has to work. A block that begins with a comment naming a path is that file.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path

from msgspec import Struct

from tests.kit.elsewhere import ask_for, homes
from tests.kit.shell import ROOT
from tests.kit.warm import Warm

MANUAL = ROOT / "data" / "manual"
README = ROOT / "README.md"
CONTRIBUTING = ROOT / ".github" / "CONTRIBUTING.md"
CHAPTERS = tuple(MANUAL / name for name in re.findall(r"\]\(([\w-]+\.md)\)", (MANUAL / "index.md").read_text("utf-8")))
#: Everything that somebody reads, in order.
BOOK = (README, *CHAPTERS)


class Command(Struct, frozen=True):
    """What is typed, and what the block shows below it."""

    line: str
    output: tuple[str, ...]

    @property
    def code(self) -> int:
        """The exit code that the block shows; 0 where it shows none."""
        exit_line = re.fullmatch(r"\(exit (\d+)\)", self.output[-1]) if self.output else None
        return int(exit_line[1]) if exit_line else 0

    def agrees(self, code: int, output: str) -> bool:
        """Whether this is what the block shows."""
        lines = self.output[:-1] if self.code else self.output
        return code == self.code and (not lines or re.fullmatch(as_pattern(lines), output) is not None)


def blocks(path: Path) -> list[tuple[str, str]]:
    """Each block of a chapter: the word behind its fence, and its text."""
    return re.findall(r"^```(\w+)\n(.*?)^```", path.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def commands(block: str) -> list[Command]:
    """The commands of a block, in order."""
    lines_by_command: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            lines_by_command.append((line[2:], []))
        elif line.startswith("> ") and not lines_by_command[-1][1]:
            lines_by_command[-1] = (f"{lines_by_command[-1][0]}\n{line[2:]}", [])
        else:
            lines_by_command[-1][1].append(line)
    return [Command(command_line, tuple(lines)) for command_line, lines in lines_by_command]


def as_pattern(lines: tuple[str, ...]) -> str:
    """A regular expression for the lines that a block shows."""
    return "".join(r"(?:.*\n)*?" if line == "…" else re.escape(line) + r"\n" for line in lines)


def install_program(folder: Path, *before: Path) -> Path:
    """A program `campaign` in a folder of its own, which runs this checkout with these folders before it.

    It is typed into `sh`: no test where there is none, and with it no terminal.
    """
    ask_for("termios")
    program = folder / "bin" / "campaign"
    program.parent.mkdir(parents=True)
    path = [str(folder) for folder in (*before, ROOT)]
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path[:0] = {path!r}\nfrom cli.main import main\nmain()\n", "utf-8"
    )
    program.chmod(0o755)
    return program


def environment(program: Path, *before: Path) -> dict[str, str]:
    """The environment of a reader with an empty home, for whom the program is on the path."""
    home = program.parents[1]
    variables = {
        **os.environ,
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(str(folder) for folder in (*before, ROOT)),
        **homes(home),
        "HOME": str(home),
    }
    variables.pop("CAMPAIGN", None)
    return variables


def played(chapter: Path, folder: Path, *before: Path, warm: Warm | None = None) -> Iterator[tuple[Command, int, str]]:
    """Each command of the chapter's console blocks with its exit code and what it printed, typed in one folder.

    `warm` runs the chapters that need no folder `before`; without it each starts one of its own.
    """
    chapter_commands = [command for kind, block in blocks(chapter) if kind == "console" for command in commands(block)]
    if not chapter_commands:
        return
    program = install_program(folder, *before)
    variables = environment(program, *before)
    evening = folder / "evening"
    evening.mkdir()
    with nullcontext(warm) if warm is not None and not before else Warm(folder, env=variables) as running:
        for command in chapter_commands:
            yield command, *_run(command.line, evening, variables, running)


def _run(line: str, where: Path, variables: Mapping[str, str], warm: Warm) -> tuple[int, str]:
    """The exit code and what was printed. What takes more than the program itself goes to a shell."""
    if line.startswith("campaign ") and not re.search(r"[|<>\\\n&]", line):
        result = warm.run(where, *shlex.split(line)[1:], **variables)
        return result.code, result.out + result.err
    process = subprocess.run(
        line, shell=True, cwd=where, env=variables, capture_output=True, encoding="utf-8", check=False
    )
    return process.returncode, process.stdout + process.stderr
