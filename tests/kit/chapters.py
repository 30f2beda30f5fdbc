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

    typed: str
    shown: tuple[str, ...]

    @property
    def code(self) -> int:
        """The exit code that the block shows; 0 where it shows none."""
        found = re.fullmatch(r"\(exit (\d+)\)", self.shown[-1]) if self.shown else None
        return int(found[1]) if found else 0

    def agrees(self, code: int, printed: str) -> bool:
        """Whether this is what the block shows."""
        lines = self.shown[:-1] if self.code else self.shown
        return code == self.code and (not lines or re.fullmatch(as_pattern(lines), printed) is not None)


def blocks(path: Path) -> list[tuple[str, str]]:
    """Each block of a chapter: the word behind its fence, and its text."""
    return re.findall(r"^```(\w+)\n(.*?)^```", path.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def commands(block: str) -> list[Command]:
    """The commands of a block, in order."""
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.startswith("> ") and not found[-1][1]:
            found[-1] = (f"{found[-1][0]}\n{line[2:]}", [])
        else:
            found[-1][1].append(line)
    return [Command(typed, tuple(shown)) for typed, shown in found]


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
    made = {
        **os.environ,
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(str(folder) for folder in (*before, ROOT)),
        **homes(home),
        "HOME": str(home),
    }
    made.pop("CAMPAIGN", None)
    return made


def played(chapter: Path, folder: Path, *before: Path) -> Iterator[tuple[Command, int, str]]:
    """Each command of the chapter's console blocks with its exit code and what it printed, typed in one folder."""
    typed = [command for kind, block in blocks(chapter) if kind == "console" for command in commands(block)]
    if not typed:
        return
    program = install_program(folder, *before)
    known = environment(program, *before)
    evening = folder / "evening"
    evening.mkdir()
    with Warm(folder, env=known) as warm:
        for command in typed:
            yield command, *_run(command.typed, evening, known, warm)


def _run(typed: str, where: Path, known: Mapping[str, str], warm: Warm) -> tuple[int, str]:
    """The exit code and what was printed. What takes more than the program itself goes to a shell."""
    if typed.startswith("campaign ") and not re.search(r"[|<>\\\n&]", typed):
        result = warm.run(where, *shlex.split(typed)[1:])
        return result.code, result.out + result.err
    done = subprocess.run(typed, shell=True, cwd=where, env=known, capture_output=True, encoding="utf-8", check=False)
    return done.returncode, done.stdout + done.stderr
