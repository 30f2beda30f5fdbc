"""Mutation: the rules, the reading and the views changed in one place at a time, and whether a test notices.

python -m tests.campaigns.mutation --count 200 --seed 7 [--only domain/osr]

Prints each survivor with its place and what was changed there. mutmut passes over every function with a decorator,
which is every rule here, and cosmic-ray writes its mutants into the files themselves; so this is the smallest
thing that does neither: a mutant lives in the memory of the one process that runs the tests against it.
"""

import argparse
import ast
import importlib.abc
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
#: What is mutated -> the tests that have to notice.
GUARDED = {
    "domain/osr": ("tests/osr", "tests/every_system", "-k", "osr or not (deckahedron or gloomhaven)"),
    "domain/deckahedron": ("tests/deckahedron", "tests/every_system", "-k", "deckahedron or not (osr or gloomhaven)"),
    "domain/gloomhaven": ("tests/gloomhaven", "tests/every_system", "-k", "gloomhaven or not (osr or deckahedron)"),
    "domain/common": ("tests/common", "tests/log", "tests/every_system"),
    "domain/log": ("tests/log", "tests/common", "tests/every_system", "tests/store"),
    "projections/views": ("tests/views",),
}
#: A mutant that has not been told from the original by then has been noticed: something goes on for ever.
SECONDS = 300

SWAPPED: dict[type[ast.AST], type[Any]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


class Mutant(NamedTuple):
    """One change of a file: the node, and what stands in its place."""

    node: ast.AST
    replacement: ast.AST

    @property
    def told(self) -> tuple[str, str]:
        """What was there, and what is there now."""
        before, after = (ast.unparse(each).splitlines()[0] for each in self)
        return before, after


def replacements(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in the place of a node: each is wrong in a way in which people are."""
    match node:
        case ast.Compare(left=left, ops=[op, *ops], comparators=comparators) if type(op) in SWAPPED:
            yield ast.Compare(left, [SWAPPED[type(op)](), *ops], comparators)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in SWAPPED:
            yield ast.BinOp(left, SWAPPED[type(op)](), right)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(SWAPPED[type(op)](), values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield ast.Constant(value + 1)
        case ast.If(test=test, body=body, orelse=orelse):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Return(value=ast.AST() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            yield ast.Return(ast.Constant(None))


def executed(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes inside of functions, without what only types and decorators see."""

    def inside(node: ast.AST) -> Iterator[ast.AST]:
        yield node
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns", "decorator_list"):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        yield from inside(child)

    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.Module):
            for function in node.body:
                if isinstance(function, ast.FunctionDef):
                    for statement in function.body:
                        yield from inside(statement)


def mutants(tree: ast.Module) -> list[Mutant]:
    """Every mutant of a file, always in the same order."""
    return [Mutant(node, replacement) for node in executed(tree) for replacement in replacements(node)]


def mutated(source: str, number: int) -> ast.Module:
    """The whole file with one of its mutants in it."""
    tree = ast.parse(source)
    node, replacement = mutants(tree)[number]
    _Exchange(node, ast.copy_location(replacement, node)).visit(tree)
    return ast.fix_missing_locations(tree)


class _Exchange(ast.NodeTransformer):
    def __init__(self, one: ast.AST, other: ast.AST) -> None:
        self.one, self.other = one, other

    def visit(self, node: ast.AST) -> Any:
        return self.other if node is self.one else self.generic_visit(node)


def mutants_of(path: Path) -> list[Mutant]:
    """Every mutant of a file of the project."""
    return mutants(ast.parse(path.read_text("utf-8")))


class _InMemory(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Lets one module of this project be imported from a changed tree."""

    def __init__(self, path: Path, tree: ast.Module) -> None:
        parts = path.relative_to(ROOT).with_suffix("").parts
        self.name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        self.path, self.tree = path, tree

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        del path, target
        return (
            importlib.util.spec_from_file_location(fullname, self.path, loader=self) if fullname == self.name else None
        )

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.tree, str(self.path), "exec"), module.__dict__)  # noqa: S102


def tests_of(path: Path) -> tuple[str, ...]:
    """The tests that guard a file."""
    return next(tests for folder, tests in GUARDED.items() if path.is_relative_to(ROOT / folder))


def run_against(path: Path, number: int, tests: Sequence[str]) -> int:
    """Run the tests against one mutant (-1: the file as it is), in this process; pytest's exit code."""
    import pytest

    if number >= 0:
        sys.meta_path.insert(0, _InMemory(path, mutated(path.read_text("utf-8"), number)))
    os.chdir(ROOT)
    return int(pytest.main(["-n", "0", "-x", "-q", "-p", "no:cacheprovider", "--no-header", *tests]))


def is_noticed(path: Path, number: int, tests: Sequence[str] = ()) -> bool:
    """Whether a test fails, or never ends, against this mutant."""
    command = [sys.executable, "-m", "tests.campaigns.mutation", "--against", str(path), str(number)]
    try:
        done = subprocess.run(
            [*command, *(tests or tests_of(path))], cwd=ROOT, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw mutants, run the tests against each, tell which survived."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--only", default="", help="a folder or file, from the top of the project")
    parser.add_argument("--tests", default="", help="what pytest is given instead of the tests that guard the file")
    told = parser.parse_args(arguments)
    seed = Random().randrange(10**6) if told.seed is None else told.seed
    files = [path for folder in GUARDED for path in sorted((ROOT / folder).rglob("*.py"))]
    wanted = [path for path in files if path.is_relative_to(ROOT / told.only)]
    every = [(path, number) for path in wanted for number in range(len(mutants_of(path)))]
    drawn = Random(seed).sample(every, min(told.count, len(every)))
    print(f"seed {seed}: {len(drawn)} of {len(every)} mutants", flush=True)
    survivors = 0
    for tests in {tests_of(path) for path, _ in drawn}:
        if is_noticed(wanted[0], -1, told.tests.split() or tests):
            sys.exit(f"The tests fail without a mutant: pytest {' '.join(told.tests.split() or tests)}")
    for path, number in drawn:
        if not is_noticed(path, number, told.tests.split()):
            survivors += 1
            mutant = mutants_of(path)[number]
            before, after = mutant.told
            place = f"{path.relative_to(ROOT)}:{getattr(mutant.node, 'lineno', 0)}"
            print(f"survived: {place}  {before}  ->  {after}", flush=True)
    print(f"{len(drawn)} mutants, {len(drawn) - survivors} noticed, {survivors} survived")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--against"]:
        sys.exit(run_against(Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]))
    main()
