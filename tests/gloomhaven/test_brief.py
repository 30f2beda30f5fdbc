"""A character in four lines: what stands in them, and that they fit a window of 80 columns."""

from collections.abc import Callable
from typing import Any

import pytest

from cli.terminal.screen import Screen
from cli.terminal.sheet import brief_lines
from domain.gloomhaven.damage import Damage
from domain.gloomhaven.items import UseItem
from domain.system.rows import Phrase
from tests.gloomhaven.tables import brog, on_turn, piles, playing, selecting
from tests.kit.given import Given


def brief(table: Given, columns: int = 80) -> list[str]:
    state = table.handler.state()
    sheets = {name: table.system.sheet_view(state, name) for name in state.characters}
    screen = Screen("never")
    screen.lines(brief_lines(table.system, state, sheets, columns=columns))
    return screen.drain()


def test_the_hand_is_in_sight_with_initiatives() -> None:
    lines = brief(selecting())
    assert lines[0].split()[:3] == ["Brog", "██████████", "10/10"]
    assert lines[1].split()[:5] == ["hand", "Tr", "72", "Ey", "18"]


@pytest.mark.parametrize("cards", range(1, 11))
def test_a_card_stands_apart_from_its_initiative_however_many_there_are(cards: int) -> None:
    hand = " ".join(map(str, range(1, cards + 1)))
    (line,) = [line for line in brief(selecting().and_given(piles(hand, ""))) if "hand" in line]
    assert [word.isdigit() for word in line.split()[1:]] == [False, True] * cards


def crowded() -> Given:
    """Cards in every pile, two of them active, four items."""
    active = [
        {"card": card, "half": "bottom", "kind": "persistent", "counts_as": "lost", "slots": [0] * 6, "token": 2}
        for card in (7, 8)
    ]
    return on_turn(1, 4, brog(items=(3, 6, 8, 12))).and_given(
        piles("2 3", "5 6", selected=[1, 4], active=active, conditions=["poison", "wound"])
    )


@pytest.mark.parametrize("table", [selecting, playing, on_turn, crowded])
def test_it_takes_four_lines_at_most_of_eighty_columns(table: object) -> None:
    assert callable(table)
    lines = brief(table())
    assert len(lines) <= 4 and all(len(line) <= 80 for line in lines)


def test_beside_a_long_name_the_cards_begin_at_the_left_and_none_is_cut_off() -> None:
    table = selecting(brog(), brog(character="Aubépine of the Seven Wells"))
    short, beside = brief(table, 90)[1], brief(table, 77)
    assert short.startswith(" " * 20 + "hand ") or short.index("hand ") > 20
    assert beside[1].startswith("    hand ") and beside[1].split() == short.split()
    assert all(len(line) <= 77 and not line.endswith("…") for line in beside)


def test_played_cards_stand_by_their_pile() -> None:
    assert any("selected Trample 72 Provoking 10" in line for line in brief(on_turn()))


@pytest.mark.parametrize(("table", "lines"), [(on_turn, 1), (crowded, 2)])
def test_a_hand_that_is_only_counted_shares_its_line_with_what_is_played(
    table: Callable[[], Given], lines: int
) -> None:
    at = table()
    state = at.handler.state()
    sheet = at.system.sheet_view(state, "brog")

    def cards(view: dict[str, Any]) -> list[str]:
        rows = [
            [bit.text for bit in line if isinstance(bit, Phrase)] for line in at.system.brief_rows(state, "brog", view)
        ]
        return [" · ".join(line) for line in rows if line[0].split()[0] in ("hand", "active", "selected", "discard")]

    counted = cards({**sheet, "hand": len(sheet["hand"])})
    assert len(counted) == lines and all(len(line) <= 67 for line in counted)
    assert counted[0].startswith(f"hand {len(sheet['hand'])} cards · {'active' if sheet['active'] else 'selected'} ")
    if lines == 1:
        assert " · " not in cards(sheet)[0], "cards that are seen keep their line"


def test_the_exhausted_fold_away() -> None:
    assert brief(selecting().and_given(Damage(character="brog", amount=20))) == ["  Brog (exhausted)"]


def test_what_an_item_is_now_is_said_and_not_only_painted() -> None:
    """Somebody who sees no colours has to know as well."""
    at = playing(brog(items=(6, 8, 12))).and_given(
        UseItem(character="brog", item=8), UseItem(character="brog", item=12)
    )
    assert brief(at)[-1].strip() == "Eagle-Eye Goggles · Heater Shield spent · Minor Healing Potion consumed"


@pytest.mark.parametrize("count", range(1, 9))
@pytest.mark.parametrize("rows", [9, 10, 12, 20, 30])
def test_nobody_leaves_the_screen_and_whoever_acts_keeps_most_lines(count: int, rows: int) -> None:
    names = [f"Hero {number}" for number in range(1, count + 1)]
    table = selecting(*(brog(character=name, items=(3, 6, 8, 12)) for name in names))
    state = table.handler.state()
    sheets = {name: table.system.sheet_view(state, name) for name in state.characters}
    screen = Screen("never")
    screen.lines(brief_lines(table.system, state, sheets, ["Hero 1"], columns=80, acting=names[-1], rows=rows))
    lines = screen.drain()
    assert len(lines) <= rows
    assert all(any(name in line for line in lines) for name in names)
    own = [sum(1 for line in lines[at:] if line) for at, line in enumerate(lines) if line.startswith("▶ ")]
    assert len(own) == 1, "who is to act is marked, otherwise than who changed"
    assert count == 1 or lines[0].startswith("▸ Hero 1")
