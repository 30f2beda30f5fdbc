"""`campaign log` finds the same whether it reads the whole log or asks a view: every filter, at either length."""

from collections.abc import Iterable
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.chronicle_range import chronicle
from projections.filters import Filters, matching_entries, tags_matching
from projections.views import chronicle_queries
from projections.views.chronicle_queries import entries
from projections.views.earlier_view import brought_back
from projections.views.view import View
from tests.kit.given import EVENING, Given
from tests.kit.tables import FEW, chances, revised
from tests.kit.views import view_in_memory
from tests.osr.subject import SUBJECT

TAGS = ("osr.damage", "osr.short_rest", "osr.night_rest", "session.open", "note", "undo")


def found(table: Given, view: View, filters: Filters, upto: int | None = None) -> list[int]:
    """What the whole log read through finds, once the view has found the same, whole and by its end."""
    by_reading = [entry.turn for entry in matching_entries(chronicle(table.system, table.log, upto), filters)]
    assert [entry.turn for entry in entries(view, filters)] == by_reading
    assert [entry.turn for entry in entries(view, filters, newest=2)] == by_reading[-2:]
    assert not list(entries(view, filters, newest=0))
    return by_reading


# -- words of any kind -------------------------------------------------------------------------------------

#: T2 on: notes in whatever a table writes.
NOTES = (
    "Sie wohnt in der Hauptstraße 7.",
    "SIE GEHT ÜBER DIE HAUPTSTRASSE",
    "İstanbul'da bir gece",
    "The cafe\u0301 is closed.",  # the accent is a sign of its own
    "The CAFÉ is open.",
    "Ｗｉｄｅ ｌｅｔｔｅｒｓ １２３",
    "A 🐉 dragon and a 👩‍👩‍👧 family",
    'He said "no" AND left; NOT a* word^ {sentence} : OR NEAR(x, 2)',
    "50% of_it \\ 'all' -- /* nothing */",
    "ﬁne ligatures, ½ of them, and ΌΣΟΣ όσος",
    "哥布林的洞穴",
    "ꭰ and Ꭰ are one letter of Cherokee",
)


@pytest.fixture(scope="module")
def notes() -> Iterable[tuple[Given, View]]:
    table = Given("osr")
    for text in NOTES:
        assert table.when({"type": "note", "text": text}).error is None
    with view_in_memory(table.log, table.system) as view:
        yield table, view


@pytest.mark.parametrize(
    ("grep", "turns"),
    [
        ("STRASSE", [2, 3]),
        ("straße", [2, 3]),
        ("hauptstra\u00df", [2, 3]),
        ("ſſe", [2, 3]),
        ("über", [3]),
        ("istanbul", []),
        ("İSTANBUL", [4]),
        ("i\u0307stan", [4]),
        ("café", [5, 6]),
        ("cafe\u0301", [5, 6]),
        ("cafe", []),
        ("wide LETTERS 123", [7]),
        ("ｄｒａｇｏｎ", [8]),
        ("🐉", [8]),
        ("👩‍👩‍👧", [8]),
        ('"no"', [9]),
        ('"', [9]),
        ('""', []),
        ("AND", [8, 9, 11, 13]),
        ("NOT left", [9]),
        ("word^", [9]),
        ("a*", [9]),
        ("{sentence}", [9]),
        ("NEAR(x,", [9]),
        ("OR", [9]),
        (":", [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]),
        ("%", [10]),
        ("of_it", [10]),
        ("\\", [10]),
        ("'all'", [10]),
        ("--", [10]),
        ("fine", [11]),
        ("1⁄2", [11]),
        ("όσοσ", [11]),
        ("布林的", [12]),
        ("布林", [12]),
        ("Ꭰ one", [13]),
        ("ꭰ", [13]),
        ("NOTE: nothing", [10]),
        ("   ", list(range(1, 14))),
        ("nowhere", []),
    ],
)
def test_a_word_is_found_whatever_its_case_width_and_accents(
    notes: tuple[Given, View], grep: str, turns: list[int]
) -> None:
    assert found(*notes, Filters(grep=grep)) == turns


@given(st.text(alphabet="aAßsSİiı\u0307eéÉ\u0301ＷwΣςσﬁ½ \"'*^:()-%_\\🐉哥\u200d\0", max_size=6), st.integers(0, 40))
def test_any_words_find_the_same_at_either_length(notes: tuple[Given, View], grep: str, start: int) -> None:
    found(*notes, Filters(grep=grep))
    piece = NOTES[start % len(NOTES)][start // 3 : start // 3 + 4]
    found(*notes, Filters(grep=piece))
    assert [entry.turn for entry in entries(notes[1], Filters(grep=piece))]


# -- every filter, and any of them together ------------------------------------------------------------------


@pytest.fixture(scope="module")
def evening() -> Iterable[tuple[Given, View]]:
    """T1 to T16 with everything that can be filtered by."""
    table = Given("osr")
    by = ["Straße", None, "STRASSE", "gm", "ＧＭ", ""]
    lines: list[dict[str, Any]] = [
        {"type": "session.open", "title": "One"},
        {"type": "osr.enrol", "character": "brog", "level": 2, "rolled": [5, 6]},
        {"type": "osr.enrol", "character": "Ada", "rolled": [4]},
        {"type": "osr.damage", "character": "brog", "amount": 9, "source": "wolf"},
        {"type": "osr.short_rest", "characters": ["brog", "ada"], "rolled": {"brog": [3, 4], "Ada": [2]}},
        {"type": "session.close"},
        {"type": "note", "text": "Between.", "about": "Ada"},
        {"type": "session.open", "title": "Two"},
        {"type": "osr.damage", "character": "Ada", "amount": 1},
        {"type": "undo"},
        {"type": "osr.short_rest", "characters": ["brog"], "rolled": {"brog": [1, 1, 1]}},
        {"type": "ruling", "rule": "6.4", "text": "Keep it.", "set": {"keep_higher": True}},
        {"type": "note", "text": "A wolf."},
        {"type": "undo", "turns": [8]},
    ]
    for at, line in enumerate(lines):
        action = table.line(line)
        table.handler.record(action, by=by[at % len(by)] or None, at=EVENING - timedelta(hours=at % 5))
    with view_in_memory(table.log, table.system) as view:
        yield table, view


@pytest.mark.parametrize(
    ("filters", "turns"),
    [
        (Filters(first=13), [13, 14, 15]),
        (Filters(last=2), [1, 2]),
        (Filters(first=4, last=3), []),
        (Filters(session=1), [2, 3, 4, 5, 6, 7]),
        (Filters(session=0), [1, 8]),
        (Filters(session=9), []),
        (Filters(character="Ada"), [4, 6, 8, 10]),
        (Filters(character="ada"), []),
        (Filters(kinds=["note"]), [8, 14]),
        (Filters(kinds=["note", "undo"]), [8, 11, 14, 15]),
        (Filters(kinds=[]), []),
        (Filters(rule="OSR 6.4"), [6, 12, 13]),
        (Filters(rule="6.4"), []),
        (Filters(by="strasse"), [2, 4, 8, 10, 14]),
        (Filters(by="Gm"), [5, 6, 11, 12]),
        (Filters(by=""), []),
        (Filters(since=EVENING), [1, 2, 7, 12]),
        (Filters(until=EVENING - timedelta(hours=4)), [6, 11]),
        (Filters(undone=True), [8, 10]),
        (Filters(undone=False, kinds=["note"]), [14]),
        (Filters(grep="wolf", kinds=["note"]), [14]),
        (Filters(grep="wolf", session=1, character="brog"), [5]),
        (Filters(rule="OSR 6.4", character="brog", by="gm"), [6, 12]),
        (Filters(kinds=["note", "osr.damage"], by="strasse", undone=True), [8, 10]),
    ],
)
def test_every_filter_finds_its_turns(evening: tuple[Given, View], filters: Filters, turns: list[int]) -> None:
    assert found(*evening, filters) == turns


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


moments = st.integers(0, 15).map(lambda minutes: EVENING + timedelta(minutes=minutes))
filters = st.builds(
    Filters,
    first=st.integers(1, 6),
    last=maybe(st.integers(4, 15)),
    session=maybe(st.integers(0, 2)),
    character=maybe(st.sampled_from(["brog", "ada"])),
    kinds=maybe(st.lists(st.sampled_from(TAGS), max_size=3, unique=True)),
    rule=maybe(st.sampled_from(["OSR 6.4", "OSR 6.6"])),
    since=maybe(moments),
    until=maybe(moments),
    grep=maybe(st.sampled_from(["BROG", "hit troll", "är", "rolls 1", "a", "rain", '"', "%", ""])),
    undone=maybe(st.booleans()),
)


@FEW
@given(chances, st.lists(filters, min_size=1, max_size=12), st.integers(1, 5), st.integers(0, 9))
def test_any_filters_together_find_the_same_at_either_length_and_at_an_earlier_point(
    chance: Random, asked: list[Filters], at_once: int, back: int
) -> None:
    table = revised(chance, SUBJECT)
    upto = max(1, table.log.last() - back)
    view = view_in_memory(table.log, table.system)
    with brought_back(view, table.log, table.system, upto), pytest.MonkeyPatch.context() as patch:
        patch.setattr(chronicle_queries, "AT_ONCE", at_once)
        for filters in asked:
            found(table, view, filters, upto)


def test_a_kind_is_meant_by_its_tag_or_a_word_of_it() -> None:
    assert tags_matching("rest", TAGS) == ["osr.short_rest", "osr.night_rest"]
    assert tags_matching("short-rest", TAGS) == tags_matching("osr.short_rest", TAGS) == ["osr.short_rest"]
    assert tags_matching("session", TAGS) == ["session.open"]
    assert tags_matching("open-session", TAGS) == ["session.open"]
    assert tags_matching("res", TAGS) == []
