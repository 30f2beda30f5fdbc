"""JSON that is written while it is made: the same bytes as if it were made whole, in little room."""

import json
import os
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.shell.command_line import run
from cli.shell.examples import examples
from cli.store import decoding
from cli.store.making import create
from cli.terminal import screen
from cli.terminal.screen import Screen, json_pieces, json_safe
from domain.log import packed_list
from domain.log.packed_list import PackedList
from projections import chronicle
from tests.kit.shell import Shell
from tests.osr.asked import amend, enrol, hit, table
from tests.record_examples import replayed
from tests.store.test_long_turns import peak

#: Among them what stands for a list that is not there yet.
TEXTS = st.text() | st.sampled_from(['"\\u002a"', "\\u002a", "*", '["\\u002a"]', "[", "\n  ", "\x1b[2J", "\u2028"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXTS,
    lambda values: st.lists(values, max_size=4) | st.dictionaries(TEXTS, values, max_size=4),
    max_leaves=20,
)


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def one_by_one(value: Any, choose: Iterator[int]) -> Any:
    """The same value, some of its lists as iterators and some packed."""
    if isinstance(value, dict):
        return {key: one_by_one(part, choose) for key, part in value.items()}
    if not isinstance(value, list):
        return value
    match next(choose):
        case 0:
            return [one_by_one(part, choose) for part in value]
        case 1:
            return PackedList(Any, value)
        case _:
            return iter([one_by_one(part, choose) for part in value])


@given(value=VALUES, data=st.data(), indented=st.booleans())
def test_a_value_is_the_text_that_it_is_when_made_whole(value: Any, data: st.DataObject, indented: bool) -> None:
    choices = iter(lambda: data.draw(st.integers(0, 2)), None)
    whole = msgspec.json.encode(value)
    text = json_safe((msgspec.json.format(whole, indent=2) if indented else whole).decode())
    assert "".join(json_pieces(one_by_one(value, choices), indented=indented)) == text
    assert json.loads(text) == value


@pytest.mark.parametrize("out", [StringIO, Terminal])
@given(pieces=st.lists(st.lists(st.text("ab", max_size=3), max_size=6), max_size=4), held=st.integers(0, 4))
def test_a_line_that_is_written_while_it_is_made_ends_where_it_ends(
    out: type[StringIO], pieces: list[list[str]], held: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(screen, "MOST_HELD", held)
        printed = Screen("never", out())
        printed.line("before")
        for line in pieces:
            printed.in_pieces(line)
            printed.line("after")
        printed.flush()
    assert isinstance(printed._out, StringIO)
    assert printed._out.getvalue() == "before\n" + "".join(f"{''.join(line)}\nafter\n" for line in pieces)


def test_what_cannot_be_json_is_still_an_error() -> None:
    with pytest.raises(TypeError):
        list(json_pieces({"turn": object()}))


# -- what commands print ---------------------------------------------------------------------------------------


def answers(shell: Shell, path: Path, turns: int) -> dict[str, tuple[int, str, str]]:
    results = {line: shell.run(*line.format(middle=turns // 2).split(), "-c", str(path)) for line in ASKED}
    return {line: (result.code, result.out, result.err) for line, result in results.items()}


def in_pieces(patch: pytest.MonkeyPatch) -> None:
    """Let every list be made item by item, every turn's events be packed, and every piece be written by itself."""
    patch.setattr(chronicle, "FEW", 0)
    patch.setattr(packed_list, "PIECE", 2)
    patch.setattr(decoding, "LONG", 0)
    patch.setattr(screen, "MOST_HELD", 0)


ASKED = (
    "export", "log -O json", "log -O ndjson", "log T{middle}.. -O ndjson", "show T2 --json",
    "show T{middle} --json", "undo T{middle} --dry-run --json", "undo T2 --dry-run --json",
    "note Rain --dry-run --json", "note Rain --after T2 --dry-run --json",
)  # fmt: skip


@pytest.mark.parametrize("name", sorted(examples()))
def test_of_an_example_every_answer_is_the_same(name: str, new_shell: Shell, tmp_path: Path) -> None:
    turns, path = replayed(name).turns, tmp_path / "example.campaign"
    create(path, "example", turns[0], iter(turns[1:]))
    whole = answers(new_shell, path, len(turns))
    with pytest.MonkeyPatch.context() as patch:
        in_pieces(patch)
        assert answers(new_shell, path, len(turns)) == whole
    assert sum(code in (0, 4) for code, *_ in whole.values()) >= len(ASKED) - 2


#: How many turns a revision changes below, and the bytes that each of them may take; made whole they take 1,300 to
#: 2,100.
MANY, BYTES = 3_000, 1_000


@pytest.fixture
def revised(new_shell: Shell) -> Shell:
    """A log whose last turn changes all but the first two."""
    played = table(enrol("brog", 6, 6, 6), *[hit(0)] * MANY).log.turns
    create(new_shell.folder / "long.campaign", "long", played[0], iter(played[1:]))
    new_shell.run("act", stdin=json.dumps(amend(2, enrol("brog", 5, 6, 6)))).ok()
    return new_shell


@pytest.mark.parametrize(
    "line", ["show --json", "log -n 1 -O ndjson", "log -O json", "export", "amend T2 level=2 --drop --dry-run --json"]
)
def test_a_revision_of_every_turn_is_written_in_little_room(
    revised: Shell, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed_list, "PIECE", 50)
    monkeypatch.setattr(chronicle, "FEW", 50)
    monkeypatch.setattr(decoding, "LONG", 10_000)
    monkeypatch.setattr(screen, "MOST_HELD", 10_000)
    assert len(revised.run(*line.split()).ok().out) > 100 * MANY  # and what is imported and made once is

    def write() -> None:
        assert run(line.split()) == 0

    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        monkeypatch.setattr(sys, "stdout", nowhere)
        assert peak(write) < BYTES * MANY
