"""What may import what, read from every import statement there is, also those inside functions and for types alone.

The layers and the rooms that do not know each other are contracts in `pyproject.toml`; here stands what the checker
cannot say: no circle between files, and no private module of a library but in the one file that says so.
"""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = ("domain", "projections", "cli", "data", "tests")


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): path for top in OURS for path in sorted((ROOT / top).rglob("*.py"))}


@cache
def imports(module: str) -> list[ast.Import | ast.ImportFrom]:
    """Every import in a file, those inside functions and those that only a type checker runs among them."""
    return list(statements(ast.parse(MODULES[module].read_text("utf-8")).body))


def statements(nodes: Iterable[ast.AST]) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        # no expression holds one
        elif not isinstance(node, ast.expr):
            yield from statements(ast.iter_child_nodes(node))


def imported(module: str) -> set[str]:
    """The dotted names that a file imports; `from a import b` is a.b where b is a module of ours, else a."""
    found = set()
    for node in imports(module):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        else:
            above = MODULES[module].relative_to(ROOT).with_suffix("").parts[: -node.level] if node.level else ()
            of = ".".join([*above, *([node.module] if node.module else [])])
            found |= {whole if (whole := f"{of}.{alias.name}") in MODULES else of for alias in node.names}
    return found


def circles(graph: dict[str, set[str]]) -> list[str]:
    """One circle in the graph, or none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def private(module: str) -> list[str]:
    """What a file imports of a library that begins with an underscore: a module of it, or a name in one."""
    found = []
    for node in imports(module):
        if isinstance(node, ast.ImportFrom) and node.level:
            continue
        of = "" if isinstance(node, ast.Import) else f"{node.module}."
        for dotted in (f"{of}{alias.name}" for alias in node.names):
            library, *inside = dotted.split(".")
            if library not in OURS and any(part.startswith("_") for part in inside):
                found.append(dotted)
    return found


@pytest.mark.parametrize("top", ["domain", "projections", "cli", "tests"])
def test_no_circle_between_files_lazy_imports_and_those_for_types_counted(top: str) -> None:
    graph = {name: imported(name) & MODULES.keys() for name in MODULES if name.startswith(f"{top}.")}
    assert len(graph) > 5
    circle = circles(graph)
    assert not circle, f"one of these has to go without the next: {' -> '.join(circle)}"


def test_a_circle_is_found() -> None:
    assert sorted(set(circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": set()}))) == ["a", "b", "c"]


def test_no_file_imports_what_is_private_to_a_library() -> None:
    assert {module: found for module in MODULES if (found := private(module))} == {}, "use the library's public names"
