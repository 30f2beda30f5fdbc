"""What the domain says is for every surface: it holds no word of a shell, and says "no such thing" in one way."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import domain
from domain.common import ACTIONS
from domain.registry import system_of, verb_name
from domain.turn import Struck
from projections.revision_sentences import amendment_in_words
from projections.sentences import plain

FOLDER = Path(domain.__path__[0])
#: A command line, an option, a text to be typed as it stands.
SHELL = re.compile(
    rf"`[a-z]|(^|[\s(])--[a-z]|\bcampaign ({'|'.join(map(verb_name, ACTIONS))}|new|log|act|query|rules)\b"
)


def texts(tree: ast.AST) -> Iterator[str]:
    """Every text in a file that is no docstring."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            yield node.value


def shell_words(source: str) -> list[str]:
    return [text for text in texts(ast.parse(source)) if SHELL.search(text)]


def found_by(look: Callable[[str], list[str]]) -> dict[str, list[str]]:
    """What is found in which file of the domain."""
    found = {str(path.relative_to(FOLDER)): look(path.read_text("utf-8")) for path in FOLDER.rglob("*.py")}
    assert len(found) > 60
    return {path: value for path, value in found.items() if value}


def test_no_sentence_of_the_domain_holds_a_word_of_the_shell() -> None:
    found = found_by(shell_words)
    assert not found, f"the domain knows no shell; give the Refusal `choices`, which each surface spells: {found}"


@pytest.mark.parametrize("words", ["open one with `session open`", "choose it, with --lose", "see campaign undo"])
def test_a_word_of_the_shell_is_found(words: str) -> None:
    assert shell_words(f'"""`--this` is a docstring."""\nraise Refusal(None, f"No: {{name}} {words}")') != []


def plain_refusals_of_nothing(source: str) -> list[str]:
    """Refusals that say there is no such thing, where `Unknown` would say what was looked for."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and len(node.args) > 1]
    sentences = [ast.unparse(node.args[1]) for node in calls if ast.unparse(node.func) == "Refusal"]
    return [sentence for sentence in sentences if re.match(r"f?['\"](There is no |.*\bknows? no )", sentence)]


def test_what_is_not_there_is_unknown() -> None:
    found = found_by(plain_refusals_of_nothing)
    assert not found, f"raise Unknown, which says what was looked for and what there is: {found}"


def test_a_plain_refusal_of_nothing_is_found() -> None:
    assert plain_refusals_of_nothing('raise Refusal(None, f"There is no wound {number}.")') != []


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        (("Brog rolls ", Struck("6"), " ", "1 ."), "Brog rolls (6) 1 ."),
        (("Brog rests  ", " twice. "), "Brog rests twice."),
        (("One blank.",), "One blank."),
        ((Struck(" 6 "), "is let go"), "(6) is let go"),
    ],
)
def test_without_a_type_face_what_does_not_count_stands_in_parentheses_and_one_blank_between_words(
    parts: tuple[str, ...], sentence: str
) -> None:
    assert plain(parts) == sentence


@pytest.mark.parametrize(
    ("old", "new", "became"),
    [
        ({"amount": 1}, {"amount": 2}, "amount 1 → 2"),
        ({"text": "The rope held."}, {"text": "It broke."}, 'text "The rope held." → "It broke."'),
        ({}, {"rolled": [5, 6]}, "rolled 5, 6 instead of drawn dice"),
        ({"rolled": [5, 6]}, {}, "drawn dice instead of rolled 5, 6"),
        ({}, {"player": "Cleo", "level": 2}, "player none → Cleo, level 1 → 2"),
        ({"level": 2}, {}, "level 2 → 1"),
        ({"source": "a trap"}, {}, "source a trap → none"),
    ],
)
def test_an_amendment_says_what_became_of_a_text_and_of_nothing(
    old: dict[str, Any], new: dict[str, Any], became: str
) -> None:
    enrol = {"type": "osr.enrol"}
    assert amendment_in_words(system_of("osr"), enrol | old, enrol | new) == became
