"""How plain the program is, in numbers: `uv run python -m tests.measures [TREE …]`, each tree of the program a column.

These are directions, not limits. Counted are `domain`, `projections` and `cli`; the ways of two commands are walked in
processes of their own, on a campaign that they make.
"""

import argparse
import ast
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = ("domain", "projections", "cli")
#: The kinds of source lines, each line of one kind.
KINDS = ("code", "docstrings and comments", "imports", "tables", "blank")
#: An assignment at the top of a file, of values without a decision, is a table from so many lines on.
TABLE_FROM = 4
WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
#: What a table is made of.
VALUES = (
    ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Call, ast.Name, ast.Attribute, ast.Starred, ast.BinOp,
    ast.UnaryOp, ast.keyword, ast.operator, ast.unaryop, ast.expr_context,
)  # fmt: skip
#: The commands whose ways are walked.
WALKED = ("osr short-rest brog --rolled 3,4", "d brog 1")
#: Runs a command line and says how many functions of the program it called, but for those that an import calls, in how
#: many files, and in how many of these before the log was open.
WALK = """
import os, sys
rooms = tuple(os.path.join(sys.argv[1], room) for room in ("domain", "projections", "cli"))
met, opened = {}, []
def is_importing(frame):
    while frame.f_back is not None:
        if frame.f_code.co_name == "<module>":
            return True
        frame = frame.f_back
    return False
def note(frame, event, _):
    code = frame.f_code
    ours = event == "call" and code.co_filename.startswith(rooms) and code.co_name[:1] != "<"
    if ours and not is_importing(frame):
        met.setdefault((code.co_filename, code.co_name, code.co_firstlineno), None)
        if code.co_name == "_choose_branch" and not opened:
            opened.append(len({file for file, _, _ in met}))
def tell():
    sys.setprofile(None)
    print(len(met), len({file for file, _, _ in met}), *opened, file=sys.__stderr__)
import atexit
atexit.register(tell)
sys.argv[1:] = sys.argv[2:]
sys.setprofile(note)
from cli.main import main
main()
"""


def files(tree: Path) -> list[Path]:
    """The source files of the program."""
    return [path for room in ROOMS for path in sorted((tree / room).rglob("*.py"))]


def measures(tree: Path) -> Iterator[tuple[str, str]]:
    """What is counted, each with its figure."""
    count, lines_of_kind = 0, Counter[str]()
    classes, functions, named, inside = [], [], defaultdict[str, set[Path]](set), 0
    for path in files(tree):
        text = path.read_text("utf-8")
        source = ast.parse(text)
        count += text.count("\n")
        lines_of_kind.update(kinds_of_lines(text, source))
        for node in ast.walk(source):
            if isinstance(node, ast.ClassDef):
                classes.append((_length(node), f"{path.stem}.{node.name}"))
                named[node.name].add(path)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                functions.append((_length(node), f"{path.stem}.{node.name}"))
        inside += sum(is_inside for _, is_inside in imports(source))
    yield "source lines", f"{count:,}"
    yield from ((f"source lines: {kind}", f"{lines_of_kind[kind]:,}") for kind in KINDS)
    yield "source lines of cli/line", f"{_lines(tree / 'cli' / 'line'):,}"
    yield "lines of tests", f"{_lines(tree / 'tests'):,}"
    words = {path.stem: len(path.read_text("utf-8").split()) for path in (tree / "data" / "manual").glob("*.md")}
    yield "words of the manual", f"{sum(words.values()):,}"
    yield "words of the manual: made from declarations", f"{words.get('reference', 0):,}"
    for what, found in (("largest class", classes), ("largest function", functions)):
        lines, name = max(found)
        yield f"{what}, lines", f"{lines} ({name})"
    twice = sorted(name for name, paths in named.items() if len(paths) > 1)
    yield "class names in two files", f"{len(twice)} ({', '.join(twice)})"
    yield "imports inside functions", str(inside)
    for command, (called, met, before) in ways(tree).items():
        yield f"functions called by `campaign {command}`", f"{called} in {met} files"
        yield "files from main() to the open log", str(before)


def kinds_of_lines(text: str, tree: ast.Module) -> Sequence[str]:
    """The kind of each line of a source file."""
    lines = text.splitlines()
    kinds = ["code" if line.strip() else "blank" for line in lines]
    for index, line in enumerate(lines):
        if line.lstrip().startswith("#"):
            kinds[index] = "docstrings and comments"
    parts: list[tuple[ast.stmt, str]] = [(node, "tables") for node in tree.body if _is_table(node)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            parts.append((node, "imports"))
        elif isinstance(node, WITH_DOCSTRING) and ast.get_docstring(node, clean=False) is not None:
            parts.append((node.body[0], "docstrings and comments"))
    for part, kind in parts:
        kinds[part.lineno - 1 : part.end_lineno] = [kind] * _length(part)
    return kinds


def _is_table(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    return (
        value is not None and _length(node) >= TABLE_FROM and all(isinstance(part, VALUES) for part in ast.walk(value))
    )


def _lines(folder: Path) -> int:
    return sum(path.read_text("utf-8").count("\n") for path in folder.rglob("*.py"))


def _length(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def imports(tree: ast.AST, inside: bool = False) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Every import statement, and whether it stands inside a function."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, inside
        # no expression holds one
        elif not isinstance(node, ast.expr):
            yield from imports(node, inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def ways(tree: Path) -> dict[str, tuple[int, int, int]]:
    """For each command how many functions it calls, in how many files, and in how many before the log is open."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        homes = {home: str(folder / home.lower()) for home in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        environment = {**os.environ, **homes, "PYTHONPATH": str(tree)}

        def run(line: str) -> str:
            ended = subprocess.run(
                [sys.executable, "-c", WALK, str(tree), *line.split()],
                env=environment, cwd=folder, capture_output=True, encoding="utf-8", check=True,
            )  # fmt: skip
            return ended.stderr.splitlines()[-1]

        for line in ("new Table --rules osr --file dc.campaign", "osr enrol brog --level 2 --rolled 5,6", "note Rain"):
            run(line)
        found = {}
        for command in WALKED:
            called, met, before = map(int, run(command).split())
            found[command] = called, met, before
        return found


def main(arguments: list[str] | None = None) -> None:
    """Print the measures of each tree in a column."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", nargs="*", type=Path, default=[ROOT], metavar="TREE", help="default: this one")
    columns = [list(measures(tree.resolve())) for tree in parser.parse_args(arguments).trees]
    for rows in zip(*columns, strict=True):
        print(f"{rows[0][0]:<60} {'  |  '.join(figure for _, figure in rows)}")


if __name__ == "__main__":
    main()
