"""Mutation in its short form: the mutants are what they are told to be, and one that matters is noticed."""

import ast

import pytest

from tests.campaigns.mutation import GUARDED, ROOT, is_noticed, main, mutants, mutants_of, mutated

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
    told = [each.told for each in mutants(ast.parse(SOURCE))]
    assert set(told) >= TOLD
    sources = {ast.unparse(mutated(SOURCE, number)) for number in range(len(told))}
    assert len(sources - {ast.unparse(ast.parse(SOURCE))}) == len(told)


def test_every_folder_that_is_guarded_has_mutants_that_compile() -> None:
    for folder in GUARDED:
        path = max(sorted((ROOT / folder).rglob("*.py")), key=lambda each: each.stat().st_size)
        number_of = len(mutants_of(path))
        assert number_of > 100
        for number in range(0, number_of, 40):
            compile(mutated(path.read_text("utf-8"), number), "mutant", "exec")


def test_a_mutant_is_noticed_by_the_tests_that_guard_it_and_survives_others(capsys: pytest.CaptureFixture[str]) -> None:
    path = ROOT / "domain" / "naming.py"
    number = next(at for at, each in enumerate(mutants_of(path)) if each.told[0].startswith("return"))
    assert is_noticed(path, number, ["tests/common/test_names.py"])
    main(["--count", "1", "--seed", "3", "--only", "domain/osr", "--tests", f"{__file__} -k differs"])
    told = capsys.readouterr().out
    assert told.startswith("seed 3: 1 of ")
    assert "survived: domain/osr/" in told
    assert told.endswith("1 mutants, 0 noticed, 1 survived\n")
