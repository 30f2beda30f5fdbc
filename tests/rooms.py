"""Each file of a room with the first sentence of its docstring: `uv run python -m tests.rooms [FOLDER …]`."""

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.kit.chapters import MANUAL
from tests.kit.shell import ROOT

#: The rooms that the tree in `data/manual/how-it-is-built.md` has to name.
ROOMS = ("domain", "projections", "cli")
#: Of these rooms the tree names each file beside the packages, not only the packages.
WITH_FILES = ("domain", "cli")


def first_sentence(path: Path) -> str:
    """What a file says that it is for; "" if it says nothing."""
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return re.split(r"(?<=[.:])\s+(?=[A-Z*])", " ".join(docstring.partition("\n\n")[0].split()))[0]


def described(folders: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The files below these folders with their first sentences."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), first_sentence(path)


def drawn() -> set[str]:
    """The folders and files that the tree in the chapter names, as paths."""
    chapter = (MANUAL / "how-it-is-built.md").read_text("utf-8")
    tree = chapter.partition("## The packages\n\n")[2].partition("\n\n")[0]
    paths, top = set(), ""
    for line in tree.splitlines():
        names = re.findall(r"(?<![\w/])[a-z_]+(?:/[a-z_]+)*(?:/|\.py)(?!\w)", line)
        if re.match(r" {4}\S", line):
            top = names.pop(0)
            paths.add(top)
        paths |= {top + name for name in names}
    return paths


def named_in(page: Path) -> set[str]:
    """The files and folders of the repository that a page names in its sentences, but for those with a placeholder."""
    paths = re.findall(r"`((?:domain|projections|cli|tests|data|\.ci|\.github)/[\w/.-]+)`", page.read_text("utf-8"))
    return {path for path in paths if not re.search(r"\b(KEY|NAME|EDITION)\b", path)}


def there() -> set[str]:
    """The folders and files that the tree has to name."""
    paths = set()
    for room in ROOMS:
        packages = {path.parent for path in (ROOT / room).rglob("*.py")}
        paths |= {f"{package.relative_to(ROOT).as_posix()}/" for package in packages}
        if room in WITH_FILES:
            paths |= {f"{room}/{path.name}" for path in (ROOT / room).glob("*.py") if path.name != "__init__.py"}
    return paths


if __name__ == "__main__":
    for name, sentence in described(sys.argv[1:] or ROOMS):
        sys.stdout.write(f"{name}\n    {sentence}\n")
