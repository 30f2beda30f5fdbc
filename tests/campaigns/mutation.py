"""Mutation: the rules, the reading and the views changed in one place at a time, and whether a test notices.

python -m tests.campaigns.mutation --count 200 --seed 7 [--only domain/osr] [--far] [--calls FILE] [--seconds 100]

Where a folder or file is named, the tests of its own room are asked; with `--far`, those of all rooms, which have to be
watched once, an hour or more, to see what they call.
Prints each survivor with its place and what was changed there. mutmut passes over every function with a decorator,
which is every rule here, and cosmic-ray writes its mutants into the files themselves; so this is the smallest
thing that does neither. The tests are collected once; each mutant is a fork of that process in which one function
has another code, and what is run against it are the tests that call that function, the quickest first.

What is called while modules are imported, decorators and the tables of tests among it, is done by then: a mutant of
that alone is not told from the original.
"""

import argparse
import ast
import contextlib
import gc
import json
import os
import select
import shutil
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from time import process_time
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

import pytest

from tests.campaigns.ended import clean_up_when_told_to_end

ROOT = Path(__file__).parents[2]
#: What is mutated.
ROOMS = ("domain", "projections", "cli/store", "cli/shell/exchange.py", "cli/terminal/asking.py")
#: The tests that run in one process, and so meet a mutant.
TESTS = (
    "osr", "deckahedron", "gloomhaven", "common", "log", "every_system", "views", "store", "line", "commands",
)  # fmt: skip
#: Mutants that nobody could tell from the original, each with why.
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
#: Seconds of a processor that the tests may take besides what they take without a mutant: one that has not been told
#: from the original by then is in a loop, and noticed.
LOOPING = 60
#: Seconds of a clock for each of a processor that they may take, on a machine that does other things beside: one that
#: has not been told from the original by then waits for what never comes, and is noticed.
WAITING = 2

SWAPPED: dict[type[ast.AST], type[Any]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


class Mutant(NamedTuple):
    """One change of a function at the top of a file, or of a class there: the node, and what stands in its place."""

    function: str
    node: ast.AST
    replacement: ast.AST

    @property
    def sentence(self) -> tuple[str, str]:
        """What was there, and what is there now."""
        before, after = (ast.unparse(node).splitlines()[0] for node in (self.node, self.replacement))
        return before, after


def replacements(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in the place of a node: each is wrong in a way in which people are."""
    match node:
        case ast.Compare(left=left_side, ops=[op, *ops], comparators=comparators) if type(op) in SWAPPED:
            yield ast.Compare(left_side, [SWAPPED[type(op)](), *ops], comparators)
        case ast.BinOp(left=left_side, op=op, right=right) if type(op) in SWAPPED:
            yield ast.BinOp(left_side, SWAPPED[type(op)](), right)
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


def executed(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """The nodes inside of functions, each with the name of its function, without what only types and decorators see."""

    def inside(node: ast.AST) -> Iterator[ast.AST]:
        yield node
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns", "decorator_list"):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        yield from inside(child)

    def at_the_top(node: ast.Module | ast.ClassDef, within: str) -> Iterator[tuple[str, ast.AST]]:
        for child in node.body:
            if isinstance(child, ast.FunctionDef):
                for statement in child.body:
                    yield from ((f"{within}{child.name}", inner_place) for inner_place in inside(statement))
            elif isinstance(child, ast.ClassDef):
                yield from at_the_top(child, f"{within}{child.name}.")

    return at_the_top(tree, "")


def mutants(tree: ast.Module) -> list[Mutant]:
    """Every mutant of a file, always in the same order."""
    return [
        Mutant(function, node, replacement) for function, node in executed(tree) for replacement in replacements(node)
    ]


def mutated(source: str, number: int) -> ast.Module:
    """The whole file with one of its mutants in it."""
    tree = ast.parse(source)
    _, node, replacement = mutants(tree)[number]
    _Exchange(node, ast.copy_location(replacement, node)).visit(tree)
    return ast.fix_missing_locations(tree)


class _Exchange(ast.NodeTransformer):
    """The original stays behind a condition that is never met, so that the function has the names that it had."""

    def __init__(self, first_node: ast.AST, second_node: ast.AST) -> None:
        self.first_node, self.second_node = first_node, second_node

    def visit(self, node: ast.AST) -> Any:
        if node is not self.first_node:
            return self.generic_visit(node)
        placeholder = ast.Constant(True)
        if isinstance(node, ast.stmt) and isinstance(self.second_node, ast.stmt):
            return ast.If(placeholder, [self.second_node], [node])
        assert isinstance(node, ast.expr) and isinstance(self.second_node, ast.expr)
        return ast.IfExp(placeholder, self.second_node, node)


@cache
def mutants_of(path: Path) -> list[Mutant]:
    """Every mutant of a file of the project."""
    return mutants(ast.parse(path.read_text("utf-8")))


def function_of(code: CodeType) -> str | None:
    """The file and the function in which this code of the project stands, None for any other."""
    path = code.co_filename
    if not path.startswith(f"{ROOT}/") or path.startswith((f"{ROOT}/tests/", f"{ROOT}/.venv/")):
        return None
    return f"{path[len(str(ROOT)) + 1 :]}:{code.co_qualname.partition('.<locals>')[0]}"


def codes(code: CodeType) -> Iterator[CodeType]:
    """This code and all inside of it, from outside in."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


#: By their file, their line and their name.
Functions = dict[tuple[str, int, str], list[FunctionType]]


class Calls(NamedTuple):
    """One test as it was run without a mutant: seconds of a processor, and the functions that it called."""

    seconds: float
    functions: list[str]


class Place(NamedTuple):
    """A mutant by its file and its number in it."""

    path: Path
    number: int

    def __str__(self) -> str:
        mutant = self.mutant
        before, after = mutant.sentence
        at = ":".join(str(getattr(mutant.node, attribute, 0)) for attribute in ("lineno", "col_offset"))
        return f"{self.path.relative_to(ROOT)}:{at} {mutant.function}: {self.line}  |  {before}  ->  {after}"

    @property
    def mutant(self) -> Mutant:
        return mutants_of(self.path)[self.number]

    @property
    def line(self) -> str:
        """The line in which it stands."""
        return self.path.read_text("utf-8").splitlines()[getattr(self.mutant.node, "lineno", 1) - 1].strip()

    @property
    def function(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.mutant.function}"

    def is_equivalent(self, equivalents: Iterable[dict[str, str]]) -> bool:
        before, after = self.mutant.sentence
        row = {"function": self.function, "line": self.line, "before": before, "after": after}
        return any(row.items() <= equivalent.items() for equivalent in equivalents)


class Against:
    """A plugin of pytest that, instead of running the tests it has collected, runs them against mutants."""

    def __init__(self, places: Sequence[Place], calls: Path, seconds: float) -> None:
        self.places, self.calls, self.seconds = places, calls, seconds
        self.survivors: list[Place] = []
        self.uncalled: list[Place] = []
        self.noticed: dict[Place, str] = {}
        self._failed: Callable[[str], None] = lambda _: None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        calls = {name: Calls(*value) for name, value in json.loads(self.calls.read_text("utf-8") or "{}").items()}
        new = [item for name, item in items.items() if name not in calls]
        if new:
            print(f"{len(new)} tests are run once to see what they call", flush=True)
            calls |= (calls_now := self._calls_of(new))
            if left_out := len(new) - len(calls_now):
                print(f"{left_out} of them fail and are left out", flush=True)
            self.calls.write_text(json.dumps(calls), "utf-8")
        guards: dict[str, list[str]] = defaultdict(list)
        for name in sorted(items.keys() & calls.keys(), key=lambda name: calls[name].seconds):
            for function in calls[name].functions:
                guards[function].append(name)
        # what is imported only once it is needed would be read from its file there, without the mutant
        for path in {place.path for place in self.places}:
            parts = path.relative_to(ROOT).with_suffix("").parts
            import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
        live = self._live()
        for place in self.places:
            names: list[str] = []
            seconds = 0.0
            for name in guards[place.function]:
                seconds += calls[name].seconds
                if names and seconds > self.seconds:
                    break
                names.append(name)
            if not names:
                self.uncalled.append(place)
                print(f"not called: {place}", flush=True)
                continue
            by = self._noticed_by(place, live, [items[name] for name in names], seconds)
            if by is None:
                self.survivors.append(place)
                print(f"survived {len(names)} tests: {place}", flush=True)
            else:
                self.noticed[place] = by
        alone = {
            name
            for name in set(self.noticed.values()) & items.keys()
            if self._fails_anyway(items[name], calls[name].seconds)
        }
        for place, name in self.noticed.items():
            if name in alone:
                print(f"{name} fails without it too: {place}")
        return True

    def _fork(self, run: Callable[[Callable[[str], None]], None], seconds: float) -> str:
        """Do this in a fork; what it told before it ended, or that it was ended: by itself, or after so many seconds
        of a processor, or where it waits."""
        reading, tells = os.pipe()
        child = os.fork()
        if child == 0:
            import resource  # here, for Windows has none, nor what forks

            os.setsid()
            os.close(reading)
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
            for number in (1, 2):
                os.dup2(os.open(os.devnull, os.O_WRONLY), number)
            with contextlib.suppress(BaseException):
                run(lambda text: (os.write(tells, f"{text}\n".encode()), os._exit(0))[1])
            os._exit(1)
        os.close(tells)
        # not to its end: what the tests have started may hold it open
        with os.fdopen(reading) as pipe:
            try:
                has_answered = bool(select.select([pipe], [], [], seconds * WAITING)[0])
                text = pipe.readline() if has_answered else ""
            finally:
                # by itself too: it may not yet have begun its group
                for end in (os.killpg, os.kill):
                    with contextlib.suppress(ProcessLookupError):
                        end(child, 9)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if not has_answered:
            return "ended by waiting"
        return text.removesuffix("\n") if text else f"ended by {code}"

    def _first_failing(self, items: Sequence[pytest.Item]) -> str:
        """Run them until one fails, and what it set up is taken down again; its name, none if all pass."""
        failed: list[str] = []
        self._failed = failed.append
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if failed:
                return failed[0]
        return ""

    def _calls_of(self, items: Sequence[pytest.Item]) -> dict[str, Calls]:
        """What each test calls; without those that fail."""
        calls: dict[str, Calls] = {}
        failed: set[str] = set()
        places_of_code: dict[CodeType, str | None] = {}

        def watched(tell: Callable[[str], None]) -> None:
            self._failed = failed.add
            for item, following in zip(items, [*items[1:], None], strict=True):
                codes_seen: set[CodeType] = set()

                def see(frame: FrameType, event: str, argument: object, codes_seen: set[CodeType] = codes_seen) -> None:
                    del event, argument
                    codes_seen.add(frame.f_code)

                began = process_time()
                sys.settrace(see)
                try:
                    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                finally:
                    sys.settrace(None)
                for code in codes_seen:
                    if code not in places_of_code:
                        places_of_code[code] = function_of(code)
                functions = sorted({function for code in codes_seen if (function := places_of_code[code])})
                calls[item.nodeid] = Calls(round(process_time() - began, 3), functions)
            self.calls.write_text(
                json.dumps({name: value for name, value in calls.items() if name not in failed}), "utf-8"
            )
            tell("done")

        if (answer := self._fork(watched, 3600 * 5)) != "done":
            sys.exit(f"The tests could not be watched: {answer}")
        return {name: Calls(*value) for name, value in json.loads(self.calls.read_text("utf-8")).items()}

    @staticmethod
    def _live() -> "Functions":
        """The functions there are."""
        gc.unfreeze()
        functions: Functions = defaultdict(list)
        for candidate in gc.get_objects():
            if isinstance(candidate, FunctionType) and candidate.__code__.co_filename.startswith(f"{ROOT}/"):
                code = candidate.__code__
                functions[code.co_filename, code.co_firstlineno, code.co_qualname].append(candidate)
        gc.freeze()
        return functions

    def _noticed_by(self, place: Place, live: Functions, items: list[pytest.Item], seconds: float) -> str | None:
        """The test that fails against this mutant, or how it ended; None if it survives."""
        path, number = place
        tree = mutated(path.read_text("utf-8"), number)
        function = place.function

        def run(tell: Callable[[str], None]) -> None:
            for code in codes(compile(tree, str(path), "exec")):
                if function_of(code) == function:
                    for live_function in live.get((code.co_filename, code.co_firstlineno, code.co_qualname), ()):
                        if live_function.__code__.co_freevars == code.co_freevars:
                            live_function.__code__ = code
            tell(self._first_failing(items))

        return self._fork(run, seconds * 3 + LOOPING) or None

    def _fails_anyway(self, item: pytest.Item, seconds: float) -> bool:
        return self._fork(lambda tell: tell(self._first_failing([item])), seconds * 3 + LOOPING) != ""


def against(places: Sequence[Place], tests: Sequence[str], calls: Path | None = None, seconds: float = 20) -> Against:
    """Run the tests that are near enough against each of these mutants."""
    with tempfile.TemporaryDirectory(prefix="mutation-", ignore_cleanup_errors=True) as folder:
        calls_file = calls or Path(folder, "calls.json")
        calls_file.touch()
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(Path(folder, "hypothesis"))
        plugin = Against(places, calls_file, seconds)
        options = ("-n0", "-q", "-s", "-p", "no:cacheprovider", "--no-header", "--no-summary", "--hypothesis-seed=0")
        os.chdir(ROOT)
        code = pytest.main([*options, f"--basetemp={folder}/tests", *tests], plugins=[plugin])
        shutil.rmtree(Path(folder, "tests"), ignore_errors=True)
    if code not in (0, 5):
        sys.exit(f"The tests could not be run: pytest {' '.join(tests)}")
    return plugin


def tests_near(only: str) -> list[str]:
    """The tests of the room in which this folder or file is, with the contracts; of all rooms if it has none."""
    for room in Path(only).parts[1:2]:
        if (ROOT / "tests" / room).is_dir():
            return [f"tests/{room}", "tests/every_system/test_contract.py"]
    return [f"tests/{each}" for each in TESTS]


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw mutants, run the tests against each, tell which survived."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--only", default="", help="a folder or file, from the top of the project")
    parser.add_argument("--line", type=int, default=0, help="all mutants of this line of the file")
    parser.add_argument("--far", action="store_true", help="ask the tests of all rooms that run in one process")
    parser.add_argument("--tests", default="", help="what pytest is given instead")
    parser.add_argument("--calls", type=Path, help="a file that keeps which functions each test calls")
    parser.add_argument("--seconds", type=float, default=20, help="how long the tests of one mutant take without it")
    options = parser.parse_args(arguments)
    seed = Random().randrange(10**6) if options.seed is None else options.seed
    equivalents = tomllib.loads(EQUIVALENT.read_text("utf-8")).get("mutant", [])
    rooms = [ROOT / room for room in ROOMS]
    files = [path for room in rooms for path in ([room] if room.is_file() else sorted(room.rglob("*.py")))]
    files_in_scope = [path for path in files if path.is_relative_to(ROOT / options.only)]
    every = [Place(path, number) for path in files_in_scope for number in range(len(mutants_of(path)))]
    if options.line:
        every = [item for item in every if getattr(item.mutant.node, "lineno", 0) == options.line]
    sample = Random(seed).sample(every, min(options.count, len(every)))
    places_left = [item for item in sample if not item.is_equivalent(equivalents)]
    print(
        f"seed {seed}: {len(sample)} of {len(every)} mutants, {len(sample) - len(places_left)} equivalent", flush=True
    )
    tests = options.tests.split() or tests_near("" if options.far else options.only)
    outcomes = against(places_left, tests, options.calls, options.seconds)
    print(
        f"{len(sample)} mutants, {len(outcomes.noticed)} noticed, {len(sample) - len(places_left)} equivalent, "
        f"{len(outcomes.survivors)} survived, {len(outcomes.uncalled)} not called"
    )


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
