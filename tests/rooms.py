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


def lost_names() -> Iterator[str]:
    """What docstrings and comments call by a dotted name that is not there: a module, or an attribute of a class."""
    sources = {
        path.relative_to(ROOT): path.read_text("utf-8") for room in ROOMS for path in (ROOT / room).rglob("*.py")
    }
    names_of_modules: dict[str, set[str]] = {}
    names_of_classes: dict[str, set[str]] = {}
    for path, text in sources.items():
        module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        names = names_of_modules.setdefault(module, set())
        for node in ast.walk(ast.parse(text)):
            names.update(_names_of(node))
            if isinstance(node, ast.ClassDef):
                inner = (name for part in ast.walk(node) for name in _names_of(part))
                names_of_classes.setdefault(node.name, set()).update(inner, map(ast.unparse, node.bases))
    for path, text in sources.items():
        for dotted in re.findall(r"`([A-Za-z_]\w*(?:\.\w+)+)(?:\(\))?`", text):
            module, _, name = dotted.rpartition(".")
            if module.partition(".")[0] in ROOMS:
                there = dotted in names_of_modules or name in names_of_modules.get(module, ()) or _is_folder(dotted)
            elif module in names_of_classes:
                there = name in _names_with_bases(module, names_of_classes)
            else:
                continue
            if not there:
                yield f"{path.as_posix()}: {dotted}"


def _names_of(node: ast.AST) -> Iterator[str]:
    """What a node of the source gives a name: a class, a function, a variable, an attribute."""
    match node:
        case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            yield node.name
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            yield name


def _names_with_bases(name: str, names_of_classes: dict[str, set[str]]) -> set[str]:
    """The names in a class, and in the classes of the program that it derives from."""
    names = names_of_classes.get(name, set())
    return names.union(
        *(_names_with_bases(base, names_of_classes) for base in names & names_of_classes.keys() - {name})
    )


def _is_folder(dotted: str) -> bool:
    return (ROOT / dotted.replace(".", "/")).is_dir()


if __name__ == "__main__":
    for name, sentence in described(sys.argv[1:] or ROOMS):
        sys.stdout.write(f"{name}\n    {sentence}\n")
