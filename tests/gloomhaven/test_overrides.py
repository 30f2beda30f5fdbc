"""The referee's word: which sheets it may write, and which contradict themselves."""

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from domain.common.sheets import SheetCheck, SheetOverridden
from domain.gloomhaven.damage import Damage
from domain.gloomhaven.items import UseItem
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.rounds import EndTurn
from domain.log.folding import last_change
from domain.log.port import MemoryLog
from domain.log.verifying import decide_all_again
from domain.turn import Event
from tests.gloomhaven.tables import BRUTE, brog, on_turn, playing, selecting, sheet, spell
from tests.kit.given import Given, unchanged
from tests.kit.shell import Shell, shell_after

ARMOR = {
    "card": 7, "half": "bottom", "kind": "persistent", "counts_as": "lost", "slots": [0, 1, 0, 1, 0, 1], "token": 2,
    "shield": 1, "retaliate": 0, "range": 0, "negates_damage": False,
}  # fmt: skip


def test_cards_are_moved_by_naming_every_pile_they_touch() -> None:
    table = on_turn(1, 4).and_given(EndTurn(character="brog"), sheet(hand=[1, 2, 3, 5, 6, 7, 8, 9, 10], discard=[4]))
    table.has("brog", hand=[1, 2, 3, 5, 6, 7, 8, 9, 10], discard=[4])


def test_cards_and_items_are_told_by_their_names() -> None:
    placed = {"ready": [], "spent": [3], "consumed": [], "circles_used": {}}
    table = playing(brog(items=(3,))).and_given(sheet(hand=BRUTE[:-1], lost=[10], items=placed, hp=8))
    overridden = table.log.turns[-1].events[0]
    assert isinstance(overridden, SheetOverridden)
    sentence = "".join(overridden.sentence())
    for words in ("lost = Spare Dagger", "items = spent Hide Armor", "hand = Trample, Eye for an Eye", "hp = 8"):
        assert words in sentence
    # of before, without words: it is told by numbers, and is no damage
    turns = [*table.log.turns[:-1], replace(table.log.turns[-1], events=_bare(*table.log.turns[-1].events))]
    assert "lost = 10" in "".join(turns[-1].events[0].sentence())
    assert [finding for _, finding in decide_all_again(MemoryLog("gloomhaven", turns=turns)) if finding] == []


def test_where_the_paper_sheet_differs_cards_and_items_are_told_by_their_names() -> None:
    table = playing(brog(items=(3,))).and_given(sheet(hand=BRUTE[:-1], lost=[10]))
    paper = SheetCheck(character="brog", expect={"lost": [1, 99], "items": {"ready": []}, "hp": "ten", "max_hp": 3})
    table.when(paper).refused(
        None, "lost is Spare Dagger in the log, last changed at T4, Trample, card 99 on paper; items is"
    )
    for words in ("items is ready Hide Armor in the log", "hp is 10 in the log", "ten on paper; max hp is 10"):
        table.when(paper).refused(None, words)


def _bare(*events: Event) -> tuple[Event, ...]:
    return tuple(replace(event, words=UNSET) if isinstance(event, SheetOverridden) else event for event in events)


def test_piles_are_shown_in_their_order_however_they_were_told() -> None:
    table = playing().and_given(sheet(hand=[10, 2, 1, 3, 5], discard=[9, 4], lost=[8, 7, 6]))
    table.has("brog", hand=[1, 2, 3, 5, 10], discard=[4, 9], lost=[6, 7, 8])


@pytest.mark.parametrize(
    ("fields", "saying"),
    [
        ({"lost": [3]}, "Sweeping Blow (3) in more than one place"),
        ({"hand": list(range(1, 10))}, "Spare Dagger (10) in no pile"),
        ({"hand": [*range(1, 10), 11]}, "did not take along Skewer (11)"),
        ({"hand": [1, *BRUTE]}, "more than one place"),
        ({"hand": [4, 5, 6, 7, 8, 9, 10], "selected": [1, 2, 3]}, "two is the most"),
        ({"hp": 11}, "at most 10 hit points at level 1, not 11"),
        ({"hp": 0}, "set that too"),
        ({"exhausted": True}, "clear hand"),
        ({"class": "tinkerer"}, "knows no class"),
        ({"class": "spellweaver"}, "cannot be exchanged"),
        ({"hand": [1, 2, 3, 4, 5, 6, 8, 9, 10], "active": [{**ARMOR, "token": 6}]}, "one of its slots, 0 to 5"),
        ({"hand": [1, 2, 3, 4, 5, 6, 8, 9, 10], "active": [{**ARMOR, "token": None}]}, "one of its slots, 0 to 5"),
        (
            {"hand": [1, 2, 3, 4, 5, 6, 8, 9, 10], "active": [{**ARMOR, "slots": [0], "token": 1}]},
            "one of its slots, 0 to 0",
        ),
        ({"hand": [1, 2, 3, 4, 5, 6, 8, 9, 10], "active": [{**ARMOR, "lent_by": "spell"}]}, "lent by Spell"),
        ({"hand": [1, 2, 3, 4, 5, 6, 8, 9, 10], "active": [{**ARMOR, "beneficiaries": ["zed"]}]}, "cannot serve zed"),
        ({"items": {"ready": [3], "spent": [3]}}, "in two places"),
        ({"items": {"ready": [8], "circles_used": {"8": 1}}}, "use circles"),
        ({"items": {"ready": [3], "circles_used": {"3": 2}}}, "use circles"),
        ({"items": {"ready": [77]}}, "There is no item 77"),
        ({"summons": [{"name": "Bat", "hp": 1, "card": 7, "colour": "red", "since_round": 1}]}, "not active"),
    ],
)
def test_contradictions_are_refused(fields: dict[str, Any], saying: str) -> None:
    table = playing(brog(), spell())
    with unchanged(table):
        table.when(sheet(**fields)).refused(None, saying)


@pytest.mark.parametrize(
    "fields",
    [
        {"max_hp": 20}, {"chosen": [1]}, {"gained": [11]}, {"joined": True}, {"hp": -1}, {"hand": ["Trample"]},
        {"level": 10}, {"conditions": ["fear"]}, {"active": [{**ARMOR, "colour": "red"}]}, {"initiative": 100},
        {"summons": [{"name": "Bat", "hp": 0, "card": 7, "colour": "red", "since_round": 1}]},
        {"items": {"ready": [3], "circles_used": {"three": 1}}},
    ],
)  # fmt: skip
def test_what_is_no_such_field_or_value_is_invalid(fields: dict[str, Any]) -> None:
    playing().when(sheet(**fields)).invalid()


def test_an_active_card_can_be_set_as_it_is_shown() -> None:
    table = playing().and_given(sheet(hand=[1, 2, 3, 4, 5, 6, 8, 9, 10], active=[ARMOR]))
    assert table.sheet("brog")["active"] == [ARMOR]
    table.and_given(Damage(character="brog", amount=2))
    assert table.sheet("brog")["active"][0]["token"] == 3, "it advances as its data says"


def test_items_are_set_and_learned() -> None:
    table = playing().and_given(sheet(items={"ready": [12, 3], "circles_used": {"3": 1}}))
    assert table.sheet("brog")["items"]["ready"] == [3, 12]
    assert table.when(UseItem(character="brog", item=3)).events


def test_exhaustion_is_set_with_all_that_it_means() -> None:
    gone: dict[str, Any] = {"exhausted": True, "hp": 0, "hand": [], "lost": list(BRUTE)}
    playing().and_given(sheet(**gone)).has("brog", exhausted=True).table_has(outcome=None)


def test_level_and_hit_points_can_go_up_together() -> None:
    playing().and_given(sheet(level=3, hp=14)).has("brog", max_hp=14)


def test_the_paper_sheet_is_checked_against_what_is_shown() -> None:
    table = playing(brog(items=(3,))).and_given(UseItem(character="brog", item=3))
    expect = {"items": {"ready": [3], "spent": [], "consumed": [], "circles_used": {"3": 1}}, "hand": list(BRUTE)}
    assert table.when(SheetCheck(character="brog", expect={**expect, "max_hp": 10, "class": "brute"})).events
    table.when(SheetCheck(character="brog", expect={"hp": 9})).refused(None, "hp is 10 in the log")


def test_everything_shown_but_what_is_derived_can_be_set_as_it_is() -> None:
    table = Given("gloomhaven", brog(items=(3,)), spell())
    shown = table.sheet("brog")
    for derived in ("max_hp", "modifiers", "tracked", "away"):
        del shown[derived]
    table.and_given(sheet(**shown)).has("brog", **shown)


# -- as people write it ------------------------------------------------------------------------------------


shell = shell_after("new Test --rules gloomhaven", "gloomhaven enrol brog brute")


LYING = ("hand=sweeping blow, 2", "discard=1", "lost=4,5,6,7,8,9,10", "conditions=stun, poison")


def test_a_list_is_told_as_people_write_it(shell: Shell) -> None:
    shell.run("override", "brog", *LYING, "--why", "So it lies.").ok()
    record = shell.run("status", "--json").ok().json()["characters"]["brog"]
    assert (record["hand"], record["discard"], record["conditions"]) == ([2, 3], [1], ["poison", "stun"])
    shell.run("check-sheet", "brog", *LYING[1:], "hand=2,3").ok()
    assert "Trample, Eye for an Eye on paper" in shell.run("check-sheet", "brog", "hand=trample,2").out
    shell.run("override", "brog", "conditions=", "--why", "Cured.").ok()
    assert shell.run("status", "--json").ok().json()["characters"]["brog"]["conditions"] == []


def test_a_word_that_names_nothing_is_asked_about(shell: Shell) -> None:
    result = shell.run("override", "brog", "hand=trampel,2", "--why", "So it lies.")
    assert "did you mean 1 Trample?" in result.err
    assert "conditions" in shell.run("override", "brog", "conditions=wounded", "--why", "So it lies.").err


def test_in_json_a_list_is_a_list() -> None:
    selecting().when(sheet(hand="1,2")).invalid("hand")
    selecting().when(SheetCheck(character="brog", expect={"hand": "1,2"})).refused(None, "on paper")


def test_a_lent_bonus_that_the_referee_takes_away_is_gone_from_the_sheet_it_served_in_that_turn() -> None:
    table = on_turn(8, 4, brog(), spell())
    table.and_given(Perform(character="brog", card=8, half="bottom", beneficiaries=("spell",)))
    assert table.sheet("spell")["active"]
    assert table.when(sheet(active=[], discard=[8])).error is None
    assert not table.sheet("spell")["active"]
    assert last_change(table.system, table.log, "spell", "active") == table.log.last()
