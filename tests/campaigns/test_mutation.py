"""Mutation in its short form: the mutants are what they are told to be, and one that matters is noticed."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.campaigns import mutation
from tests.campaigns.mutation import ROOMS, ROOT, Against, Place, mutants, mutants_of, mutated
from tests.kit.elsewhere import needs

SOURCE = """
def f(a: int = 3) -> bool:
    if a < 2 and not g(a + 1):
        g(a)
        return True
    return a == 7 if a else False
"""
TOLD = {
    ("a < 2", "a <= 2"),
    ("a < 2 and (not g(a + 1))", "a < 2 or not g(a + 1)"),
    ("not g(a + 1)", "g(a + 1)"),
    ("a + 1", "a - 1"),
    ("1", "2"),
    ("2", "3"),
    ("7", "8"),
    ("g(a)", "pass"),
    ("True", "False"),
    ("False", "True"),
    ("a == 7", "a != 7"),
    ("return True", "return None"),
}


def test_each_mutant_differs_from_the_file_in_what_it_is_told_to_change() -> None:
    sentences = [mutant.sentence for mutant in mutants(ast.parse(SOURCE))]
    assert set(sentences) >= TOLD
    sources = {ast.unparse(mutated(SOURCE, number)) for number in range(len(sentences))}
    assert len(sources - {ast.unparse(ast.parse(SOURCE))}) == len(sentences)


def test_the_tests_of_its_room_are_asked_about_a_mutant_and_all_where_it_has_none() -> None:
    near = ["tests/log", "tests/every_system/test_contract.py"]
    assert mutation.tests_near("domain/log") == mutation.tests_near("domain/log/folding.py") == near
    assert mutation.tests_near("") == mutation.tests_near("domain") == mutation.tests_near("domain/naming.py")
    assert "tests/log" in mutation.tests_near("")


def test_every_room_has_mutants_that_compile() -> None:
    for room in map(ROOT.joinpath, ROOMS):
        path = max([*room.rglob("*.py"), *([room] if room.is_file() else [])], key=lambda path: path.stat().st_size)
        number_of = len(mutants_of(path))
        assert number_of > 30
        for number in range(0, number_of, 40):
            compile(mutated(path.read_text("utf-8"), number), "mutant", "exec")


def test_a_mutant_that_is_known_to_be_equivalent_is_one_and_no_other_is() -> None:
    path = ROOT / "domain" / "naming.py"
    equivalent_place, other_place = (Place(path, number) for number in (0, 1))
    before, after = equivalent_place.mutant.sentence
    equivalent = {
        "function": equivalent_place.function,
        "line": equivalent_place.line,
        "before": before,
        "after": after,
        "why": "nobody sees it",
    }
    assert equivalent_place.is_equivalent([equivalent])
    assert not other_place.is_equivalent([equivalent])


def test_every_equivalent_mutant_is_of_a_line_that_is_there() -> None:
    equivalents = tomllib.loads(mutation.EQUIVALENT.read_text("utf-8"))["mutant"]
    missing = []
    for entry in equivalents:
        path, _, function = entry["function"].partition(":")
        there = ROOT / path
        text = there.read_text("utf-8") if there.is_file() else ""
        if f"def {function.rpartition('.')[2]}(" not in text or entry["line"] not in text:
            missing.append((entry["function"], entry["line"]))
    assert not missing, f"name in equivalent.toml where these stand now, or leave them out: {missing}"


@needs("os.fork")
def test_mutants_are_noticed_by_the_tests_that_call_them_and_survive_or_are_not_called_by_others() -> None:
    """Through a process of its own, which collects these tests and forks itself for each mutant."""
    command = ["tests.campaigns.mutation", "--count", "40", "--only", "domain/naming.py"]
    output = subprocess.run(
        [sys.executable, "-m", *command, "--tests", "tests/common/test_names.py"],
        cwd=ROOT, capture_output=True, encoding="utf-8", check=True,
    ).stdout  # fmt: skip
    *lines, whole = output.splitlines()
    assert any(re.match(r"survived [1-9]\d* tests: domain/naming\.py:[\d:]+ \w+: ", line) for line in lines)
    assert any(re.match(r"not called: domain/naming\.py:[\d:]+ \w+: ", line) for line in lines)
    drawn, noticed, equivalent, survived, uncalled = (int(word) for word in whole.split() if word.isdecimal())
    assert drawn == noticed + equivalent + survived + uncalled
    assert min(noticed, survived, uncalled) > 0


@needs("os.fork")
def test_a_mutant_that_waits_for_ever_is_ended_and_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()

    def waits(tell: Callable[[str], None]) -> None:
        tell(os.read(reading, 1).decode())

    run = Against([], Path("not", "kept"), 20)
    monkeypatch.setattr(mutation, "WAITING", 0)
    assert run._fork(waits, 60) == "ended by waiting"
    monkeypatch.setattr(mutation, "WAITING", 2)
    assert run._fork(lambda tell: tell("a test"), 60) == "a test"
    assert run._fork(lambda tell: tell(""), 60) == ""
    for file in (reading, writing):
        os.close(file)
