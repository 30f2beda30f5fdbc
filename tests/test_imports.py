"""What may import what, read from every import statement there is, also those inside functions and for types alone.

The layers and the rooms that do not know each other are contracts in `pyproject.toml`; here stands what the checker
cannot say: no circle between files, and no private module of a library but in the one file that says so.
"""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests import measures
from tests.kit.shell import Shell

ROOT = Path(__file__).parents[1]
OURS = ("domain", "projections", "cli", "data", "tests")


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): path for top in OURS for path in sorted((ROOT / top).rglob("*.py"))}


@cache
def imports(module: str) -> list[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Every import in a file, with those that only a type checker runs, and whether it stands inside a function."""
    return list(measures.imports(ast.parse(MODULES[module].read_text("utf-8"))))


def imported(module: str) -> set[str]:
    """The dotted names that a file imports; `from a import b` is a.b where b is a module of ours, else a."""
    found = set()
    for node, _ in imports(module):
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
    for node, _ in imports(module):
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


PACKAGES = [name for name, path in MODULES.items() if path.name == "__init__.py" and name.split(".")[0] in OURS[:3]]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_circle_between_the_parts_of_a_package_files_and_packages_alike(package: str) -> None:
    def part(module: str) -> str:
        return module.removeprefix(f"{package}.").partition(".")[0]

    inside = [name for name in MODULES if name.startswith(f"{package}.")]
    graph: dict[str, set[str]] = {part(name): set() for name in inside}
    for name in inside:
        graph[part(name)] |= {part(module) for module in imported(name) if module in inside} - {part(name)}
    circle = circles(graph)
    assert not circle, f"one of these has to go without the next: {' -> '.join(circle)}"


def test_the_index_of_the_log_names_every_file_of_it() -> None:
    """`domain/log/__init__.py` is what somebody reads first there."""
    index = ast.get_docstring(ast.parse(MODULES["domain.log"].read_text("utf-8"))) or ""
    files = [name.rpartition(".")[2] for name in MODULES if name.startswith("domain.log.")]
    unnamed = [name for name in files if f"`{name}`" not in index]
    assert not unnamed, f"say in domain/log/__init__.py, where it is read in turn, what they are for: {unnamed}"


def test_a_circle_is_found() -> None:
    assert sorted(set(circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": set()}))) == ["a", "b", "c"]


def test_no_file_imports_what_is_private_to_a_library() -> None:
    assert {module: found for module in MODULES if (found := private(module))} == {}, "use the library's public names"


#: What is imported inside functions although no start gains by it, with the reason.
INSIDE = {
    "uvicorn": "comes with `serve`, which may not be installed",
    "datasette": "comes with `explore`, which may not be installed",
    "segno": "comes with `serve`, which may not be installed",
    "cli.serving": "needs what comes with `serve`, and says so where it is missing",
    "anyio": "comes with `assistant`, which may not be installed",
    "cli.assistant": "needs what comes with `assistant`, and says so where it is missing",
    "cli.store.server": "needs what comes with `postgres`, and says so where it is missing",
    "cli.table": "Textual takes longer to import than most commands; without a terminal it is not needed",
    "plotille": "for a picture alone",
    "rich": "for a terminal, and for text that is not ASCII, alone",
    "sqlite_utils": "for the first view in a process alone",
    "platformdirs": "for systems other than Linux",
    "fcntl": "for systems that have it",
    "portalocker": "for Windows",
    "select": "for systems other than Windows",
    "resource": "for systems other than Windows",
    "getpass": "for the password of a server alone",
    "importlib.metadata": "for rule systems of other packages alone",
    "data": "the folder beside the program, which a wheel may lack",
    "tempfile": "for a view that cannot be kept",
    "shutil": "for the view of a new branch",
}
#: Files that import nothing at their top, so that they can begin without us.
ALONE = {"cli.main", "projections.views.sandbox"}
#: The command lines whose start is worth it.
STARTS = (
    "--help", "osr --help", "osr damage --help", "status", "log -n 20", "show", "why brog.hp", "note Rain",
    "osr damage brog 0", "d brog 0", "undo -y", "diff T2..T4", "recap", "rules 6.4", "mcp",
)  # fmt: skip


def test_an_import_stands_inside_a_function_where_a_start_gains_by_it(shell: Shell) -> None:
    shell.do(
        "new Table --rules osr --file dc.campaign", "session open", "osr enrol brog --level 2 --rolled 5,6",
        "osr damage brog 1",
    )  # fmt: skip
    shell.run("show").ok()
    loaded = [shell.importing(*line.split())[1] for line in STARTS]
    idle = [
        f"{MODULES[module].relative_to(ROOT)}:{node.lineno} {target}"
        for module, node in inside()
        if module not in ALONE
        for target in targets(node)
        if not any(target == name or target.startswith(f"{name}.") for name in INSIDE)
        and not any(module in modules and target not in modules for modules in loaded)
    ]
    sentence = "No start gains by these; import them at the top, or say in INSIDE why not:\n  "
    assert not idle, sentence + "\n  ".join(idle)


def inside() -> Iterator[tuple[str, ast.Import | ast.ImportFrom]]:
    """The imports inside functions of the program, each with its file."""
    for module in MODULES:
        if module.partition(".")[0] in ("domain", "projections", "cli"):
            yield from ((module, node) for node, is_inside in imports(module) if is_inside)


def targets(node: ast.Import | ast.ImportFrom) -> set[str]:
    """The modules that one statement imports."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    return {whole if (whole := f"{node.module}.{alias.name}") in MODULES else str(node.module) for alias in node.names}


def test_every_reason_for_an_import_inside_a_function_is_one() -> None:
    there = {target for _, node in inside() for target in targets(node)}
    unused = [name for name in INSIDE if not any(f"{target}.".startswith(f"{name}.") for target in there)]
    assert not unused, f"nothing imports these inside a function any more; take them out of INSIDE: {unused}"
