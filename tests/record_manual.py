"""Write into the manual what its commands print today: `uv run python -m tests.record_manual [CHAPTER …]`.

The README is a chapter of it.
Only where a block no longer shows what happens is it written anew, whole and without `…`; read the difference before
you commit it.
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.kit.chapters import BOOK, Command, played
from tests.manual.rules_of_its_own import installed_for


def record(chapter: Path) -> int:
    """Record one chapter; how many commands show something else now."""
    text, changed = chapter.read_text("utf-8"), 0
    place = 0
    with tempfile.TemporaryDirectory() as folder:
        for command, code, printed in played(chapter, Path(folder), *installed_for(chapter, Path(folder))):
            before = _as_block(command)
            place = text.index(before, place)
            if not command.agrees(code, printed):
                changed += 1
                shown = (*printed.splitlines(), *([f"(exit {code})"] if code else []))
                after = _as_block(Command(command.line, shown))
                text = text[:place] + after + text[place + len(before) :]
                before = after
            place += len(before)
    chapter.write_text(text, "utf-8")
    return changed


def _as_block(command: Command) -> str:
    first, *more = command.line.split("\n")
    return "".join(f"{line}\n" for line in (f"$ {first}", *(f"> {line}" for line in more), *command.output))


def main(names: Sequence[str]) -> None:
    """Record the chapters named by their stems (README included), or all."""
    for chapter in BOOK:
        if not names or chapter.stem in names:
            sys.stdout.write(f"{chapter.name}: {record(chapter)} commands written anew\n")


if __name__ == "__main__":
    main(sys.argv[1:])
