"""Recorded dice, cards and numbers, when the turn that they belong to is decided again."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given as properties
from hypothesis import strategies as st

from domain.log.command_handler import Command
from domain.log.upcasts import chance_with_owners
from domain.refusal import Conflict, Refusal
from domain.system.chance import Chance, below, each_below
from domain.system.used_numbers import UsedNumbers
from domain.turn import BareDrawn, Drawn, StoredDrawn, TurnRedecided
from tests.deckahedron.tables import brog as brog_of_cards
from tests.kit.given import Given

#: (place, what was found before it) -> what is drawn there
Fresh = Callable[[int, list[int]], int]

SEED = 11
FRESH = Chance(SEED).dice("brog/re-roll", 6, 6, rule="OSR 6.1")


def again(**recorded: StoredDrawn) -> Chance:
    """The chance of an unchanged turn that is decided again; `brog` stands for "brog/re-roll"."""
    return Chance(SEED, {f"{name}/re-roll": drawn for name, drawn in recorded.items()}, lenient=True)


def amended(**recorded: StoredDrawn) -> Chance:
    """The chance of a turn under another action."""
    return Chance(SEED, {f"{name}/re-roll": drawn for name, drawn in recorded.items()})


def dice(chance: Chance, count: int, reported: tuple[int, ...] | None = None) -> tuple[int, ...]:
    return chance.dice("brog/re-roll", count, 6, reported, rule="OSR 6.5", die_rule="OSR 6.1")


def bare(drawn: StoredDrawn) -> BareDrawn:
    """The values alone; `test_what_is_kept_says_whose_it_is` is about the rest."""
    return BareDrawn(drawn.values, drawn.reported)


def record(chance: Chance) -> BareDrawn:
    return bare(chance.record()["brog/re-roll"])


# -- drawing -----------------------------------------------------------------------------------------------


def test_the_same_seed_key_and_index_draw_the_same() -> None:
    assert dice(Chance(SEED), 6) == dice(Chance(SEED), 6) == FRESH
    assert dice(Chance(SEED), 3) == FRESH[:3]


def test_another_seed_or_key_draws_otherwise() -> None:
    drawn = {Chance(seed).dice(key, 12, 6, rule="") for seed in (1, 2) for key in ("brog/re-roll", "ada/re-roll")}
    assert len(drawn) == 4


@properties(st.integers(1, 2**40), st.integers(0, 2**53), st.text(max_size=10), st.integers(0, 99))
def test_what_is_drawn_lies_below_its_bound(bound: int, seed: int, key: str, index: int) -> None:
    assert 0 <= below(bound, seed, key, index) < bound


@properties(st.lists(st.sampled_from((1, 6, 20, 3 * 2**62)), max_size=8), st.integers(0, 2**53), st.text(max_size=10))
def test_what_is_drawn_together_is_what_is_drawn_one_by_one(bounds: list[int], seed: int, key: str) -> None:
    # of the largest bound every fourth number is redrawn
    assert each_below(bounds, seed, key) == [below(bound, seed, key, index) for index, bound in enumerate(bounds)]


def test_every_side_is_as_likely() -> None:
    seen = Counter(below(6, seed, "key", 0) for seed in range(6000))
    assert set(seen) == set(range(6))
    assert all(850 < count < 1150 for count in seen.values())


def test_a_key_with_half_of_a_pair_cannot_make_a_draw_ambiguous() -> None:
    assert below(2**40, 1, "2/x", 3) != below(2**40, 1, "x", 3)


# -- reported at the first decision ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reported", "rule"), [((1,), "OSR 6.5"), ((1, 2, 3), "OSR 6.5"), ((), "OSR 6.5"), ((1, 7), "OSR 6.1")]
)
def test_a_first_report_is_checked(reported: tuple[int, ...], rule: str) -> None:
    with pytest.raises(Refusal) as refused:
        dice(Chance(SEED), 2, reported)
    assert refused.value.rule == rule


def test_how_many_were_reported_is_on_record() -> None:
    chance = Chance(SEED)
    assert dice(chance, 2, (3, 4)) == (3, 4)
    assert record(chance) == BareDrawn((3, 4), 2)
    drawn = Chance(SEED)
    dice(drawn, 2)
    assert record(drawn) == BareDrawn(FRESH[:2], 0)


# -- decided again -----------------------------------------------------------------------------------------


def test_recorded_dice_are_used_in_their_order() -> None:
    assert dice(again(brog=BareDrawn((6, 1, 5), 3)), 3, (6, 1, 5)) == (6, 1, 5)
    assert dice(again(brog=BareDrawn((6, 1, 5))), 3) == (6, 1, 5)


def test_a_turn_that_needs_fewer_takes_the_first_and_keeps_the_rest_on_record() -> None:
    chance = again(brog=BareDrawn((6, 1, 5), 3))
    assert dice(chance, 2, (6, 1, 5)) == (6, 1)
    assert record(chance) == BareDrawn((6, 1, 5), 3)


def test_a_turn_that_needs_more_draws_them_and_marks_them() -> None:
    chance = again(brog=BareDrawn((6, 1), 2))
    assert dice(chance, 4, (6, 1)) == (6, 1, *FRESH[2:4])
    assert record(chance) == BareDrawn((6, 1, *FRESH[2:4]), 2)


def test_what_was_drawn_on_top_of_a_report_is_recorded_too() -> None:
    """Whatever the seed would give, what is on record counts."""
    chance = again(brog=BareDrawn((6, 1, 5, 5), 2))
    assert dice(chance, 4, (6, 1)) == (6, 1, 5, 5)


def test_dice_for_another_purpose_are_not_used() -> None:
    chance = again(ada=BareDrawn((6, 6), 2))
    assert dice(chance, 2) == FRESH[:2]
    assert chance.record()["ada/re-roll"] == BareDrawn((6, 6), 2), "kept on record unused"


def test_a_side_that_the_die_no_longer_has_is_drawn_and_marked() -> None:
    chance = again(brog=BareDrawn((8, 3), 2))
    values = dice(chance, 2)
    assert values == (FRESH[0], 3)
    assert record(chance).reported == 0, "reported is what was told without a gap from the first on"


def cards(chance: Chance, among: str, count: int, reported_cards: str | None = None) -> str:
    reported = None if reported_cards is None else tuple(reported_cards)
    return "".join(chance.cards("brog/re-roll", tuple(among), count, reported, rule="GH 82"))


@pytest.mark.parametrize(
    ("reported", "says"), [("a", "takes 2 cards"), ("aa", "named twice"), ("ax", "Card x is not there")]
)
def test_a_first_report_of_cards_is_checked(reported: str, says: str) -> None:
    with pytest.raises(Refusal, match=says):
        cards(Chance(SEED), "abcd", 2, reported)


def test_a_recorded_card_is_used_if_it_is_still_there() -> None:
    assert cards(again(brog=BareDrawn(("c", "a"), 2)), "abcd", 2) == "ca"
    assert cards(again(brog=BareDrawn(("c", "a"))), "ab", 2)[1] == "a"


def test_for_a_card_that_is_gone_the_seed_decides() -> None:
    one, other = (cards(again(brog=BareDrawn(("x", "a"), 2)), "abcd", 2) for _ in range(2))
    assert one == other
    assert one[0] in "abcd"


def test_a_card_drawn_on_top_of_a_report_is_used_again_where_the_rest_changed() -> None:
    """The third card was drawn among others than those that lie there now: it is on record all the same."""
    assert all(cards(again(brog=BareDrawn(("a", "b", card), 2)), "abdefgh", 3, "ab") == "ab" + card for card in "defgh")


def test_there_are_never_more_cards_than_lie_there() -> None:
    assert sorted(cards(Chance(SEED), "ab", 5)) == ["a", "b"]


def test_a_shuffle_holds_exactly_these_cards() -> None:
    with pytest.raises(Refusal, match="exactly the 2 cards shuffled; missing: b; not among them, or twice: a"):
        Chance(SEED).shuffle("brog/deck", ("a", "b"), ("a", "a"), rule="DH 7")
    assert sorted(Chance(SEED).shuffle("brog/deck", ("a", "b", "c"), rule="DH 7")) == ["a", "b", "c"]
    assert Chance(SEED).shuffle("brog/deck", ("a", "b", "c"), ("c", "a", "b"), rule="DH 7") == ("c", "a", "b")


def test_a_recorded_order_is_used_for_other_cards_as_far_as_it_goes() -> None:
    chance = Chance(SEED, {"brog/deck": BareDrawn(("c", "a", "b"), 3)}, lenient=True)
    assert chance.shuffle("brog/deck", ("a", "b", "c", "d"), ("c", "a", "b"), rule="DH 7") == ("c", "a", "b", "d")


def by_definition(
    values: tuple[int, ...], reported: int, wanted: int, usable: Callable[[int, list[int]], bool], fresh: Fresh
) -> tuple[tuple[int, ...], BareDrawn]:
    """What deciding again takes: of the record whatever can be used at its place, the rest from the seed."""
    found: list[int] = []
    as_told = len(values[:reported])
    for index in range(wanted):
        if index < len(values) and usable(values[index], found):
            found.append(values[index])
        else:
            found.append(fresh(index, found))
            as_told = min(as_told, index)
    return tuple(found), BareDrawn((*found, *values[wanted:]), as_told)


@properties(st.lists(st.integers(0, 8), max_size=5).map(tuple), st.integers(0, 5), st.integers(0, 5))
def test_dice_on_record_are_taken_as_the_definition_says(values: tuple[int, ...], reported: int, wanted: int) -> None:
    chance = again(brog=BareDrawn(values, reported))
    expected, on_record = by_definition(
        values,
        reported,
        wanted,
        lambda die, _: 1 <= die <= 6,
        lambda index, _: 1 + below(6, SEED, "brog/re-roll", index),
    )
    assert (dice(chance, wanted), record(chance)) == (expected, on_record)


@properties(
    st.permutations(range(6)).flatmap(lambda order: st.integers(0, 6).map(lambda many: tuple(order[:many]))),
    st.integers(0, 5),
    st.integers(0, 5),
    st.integers(0, 6),
)
def test_cards_on_record_are_taken_as_the_definition_says(
    values: tuple[int, ...], reported: int, there: int, wanted: int
) -> None:
    def drawn(index: int, found: list[int]) -> int:
        left = [card for card in range(there) if card not in found]
        return left[below(len(left), SEED, "brog/re-roll", index)]

    chance = again(brog=BareDrawn(values, reported))
    expected, on_record = by_definition(
        values, reported, min(wanted, there), lambda card, found: card < there and card not in found, drawn
    )
    assert chance.cards("brog/re-roll", range(there), wanted, rule="DH 7") == expected
    assert record(chance) == on_record


# -- under another action ----------------------------------------------------------------------------------


def test_a_new_report_is_checked_and_takes_the_place_of_the_record() -> None:
    with pytest.raises(Refusal):
        dice(amended(brog=BareDrawn((6, 1), 2)), 2, (5, 5, 5))
    chance = amended(brog=BareDrawn((6, 1, 4), 3))
    assert dice(chance, 2, (5, 5)) == (5, 5)
    assert record(chance) == BareDrawn((5, 5), 2)


def test_without_a_report_what_is_on_record_counts_and_is_not_checked_again() -> None:
    chance = amended(brog=BareDrawn((6, 1), 2))
    assert dice(chance, 3) == (6, 1, FRESH[2])
    assert dice(amended(brog=BareDrawn((6, 1), 2)), 1) == (6,)


def test_the_very_same_report_is_no_new_one() -> None:
    chance = amended(brog=BareDrawn((6, 1, 5), 3))
    assert dice(chance, 2, (6, 1, 5)) == (6, 1)
    assert record(chance) == BareDrawn((6, 1, 5), 3)


def test_what_another_action_does_not_need_is_not_lost_by_going_back() -> None:
    chance = amended(brog=BareDrawn((6, 1, 5), 3))
    dice(chance, 1)
    back = Chance(SEED, chance.record())
    assert dice(back, 3) == (6, 1, 5)


def test_an_outcome_that_the_rules_find_as_they_go() -> None:
    first = Chance(SEED)
    assert first.report_of("brog/re-roll", ("a", "b")) == ("a", "b")
    assert first.is_new("brog/re-roll", ("a", "b"))
    first.keep("brog/re-roll", ("a", "b"), reported=2)
    later = Chance(SEED, first.record(), lenient=True)
    assert later.report_of("brog/re-roll", ("a", "b")) == ("a", "b")
    later.keep("brog/re-roll", ("a",), reported=1)
    assert record(later) == BareDrawn(("a", "b"), 2)
    drawn = Chance(SEED)
    drawn.keep("brog/re-roll", ("a", "b"))
    shorter = Chance(SEED, drawn.record(), lenient=True)
    shorter.keep("brog/re-roll", ("a",))
    assert record(shorter) == BareDrawn(("a", "b"), 0), "nobody reported any of it"
    other = Chance(SEED, first.record())
    assert other.is_new("brog/re-roll", ("b",))
    silent: tuple[str, ...] | None = None
    assert not other.is_new("brog/re-roll", silent)
    assert other.report_of("brog/re-roll", silent) == ("a", "b")
    other.keep("brog/re-roll", ("b",), reported=1)
    assert record(other) == BareDrawn(("b",), 1)


# -- numbers counted in the log ----------------------------------------------------------------------------


def test_the_next_number_is_one_never_used() -> None:
    chance = Chance(SEED, used_numbers=UsedNumbers({"session#": {1, 2, 7}}))
    assert [chance.number("session"), chance.number("session")] == [8, 9]
    assert chance.record() == {"session#": Drawn((8, 9), purpose="session")}


def test_deciding_again_reuses_the_recorded_ones_and_counts_on_from_there() -> None:
    chance = Chance(
        SEED, {"session#": BareDrawn((2, 3))}, lenient=True, used_numbers=UsedNumbers({"session#": {1, 2, 3, 4}})
    )
    assert [chance.number("session") for _ in range(3)] == [2, 3, 5]


def test_a_number_asked_for_that_others_use_is_known() -> None:
    used, own = UsedNumbers({"session#": {1, 2, 3}}), UsedNumbers({"session#": {3}})
    chance = Chance(SEED, {"session#": BareDrawn((2,))}, used_numbers=used, own=own)
    assert [chance.is_used("session", number) for number in (1, 2, 3, 4)] == [True, False, False, False]


# -- at the table ------------------------------------------------------------------------------------------


def rest(*rolled: int) -> dict[str, Any]:
    return {"type": "osr.short_rest", "characters": ["brog"], **({"rolled": {"brog": rolled}} if rolled else {})}


def brog() -> Given:
    """T2: brog of level 2 with 5 + 6 hit points."""
    return Given("osr").when({"type": "osr.enrol", "character": "brog", "level": 2, "rolled": [5, 6]})


def word(table: Given, turn: int) -> TurnRedecided:
    return next(event for event in table.events if isinstance(event, TurnRedecided) and event.turn == turn)


def test_a_rest_that_loses_its_fatigue_keeps_the_third_die_on_record() -> None:
    table = brog().when(rest(3, 4)).when(rest(6, 1, 5)).when({"type": "undo", "turns": [3]})
    assert word(table, 4).chance == {"brog/re-roll": Drawn((6, 1, 5), 3, "brog", "re-roll", 6)}
    table.has("brog", hp=7, fatigue=1)
    table.when({"type": "redo"}).has("brog", hp=6, fatigue=2)


def test_a_rest_that_gains_fatigue_draws_a_die_and_says_so() -> None:
    table = brog().when({**rest(), "rerolls": []}).when(rest(3, 4))
    table.when({"type": "amend", "turn": 3, "action": rest(1, 1)})
    assert word(table, 4).events[0].drawn is True  # type: ignore[attr-defined]
    assert word(table, 4).events[0].dice[:2] == (3, 4)  # type: ignore[attr-defined]


def test_amending_and_undoing_gets_nobody_a_better_roll() -> None:
    table = brog().when(rest())
    rolled = table.events[0]
    for action in (rest(1, 2), {"type": "note", "text": "Rain."}, {**rest(), "minutes": 20}):
        table.when({"type": "amend", "turn": 3, "action": action})
        table.when({"type": "undo", "last": 1})
        table.when({"type": "amend", "turn": 3, "action": rest()})
        assert word(table, 3).events[0] == rolled


def test_a_level_more_keeps_the_dice_reported_and_draws_one() -> None:
    table = brog()
    table.when({"type": "amend", "turn": 2, "action": {"type": "osr.enrol", "character": "brog", "level": 3}})
    assert word(table, 2).events[0].dice[:2] == (5, 6)  # type: ignore[attr-defined]
    assert word(table, 2).chance["brog/hit dice"].reported == 2


def test_an_amended_report_of_another_number_of_dice_is_refused() -> None:
    brog().when(rest(3, 4)).when({"type": "amend", "turn": 3, "action": rest(3, 4, 5)}).refused("OSR 6.1")


def test_reported_cards_stay_on_record_when_the_action_needs_more_or_fewer() -> None:
    """One point lost with three cards reported; amended to two, the rest comes off the recorded deck, and back."""
    at = deckahedron("lose_stamina", points=1, flipped=["3", "0", "12"])
    lose: dict[str, Any] = {"type": "deckahedron.lose_stamina", "character": "brog"}
    at.when({"type": "amend", "turn": 3, "action": {**lose, "points": 2}})
    cards = word(at, 3).chance["brog/search"]
    assert (cards.values[:3], cards.reported) == (("3", "0", "12"), 3)
    assert len(at.sheet("brog")["exhaustion"]) == 2
    at.when({"type": "amend", "turn": 3, "action": {**lose, "points": 1}})
    assert at.sheet("brog")["exhaustion"] == ["12"]


def deckahedron(verb: str, **fields: Any) -> Given:
    """T2: brog, whose third card is the first that bears Stamina. T3: this."""
    return brog_of_cards().when({"type": f"deckahedron.{verb}", "character": "brog", **fields})


# -- what was drawn for something that was refused ------------------------------------------------------------


def wanting(table: Given, hp: int) -> None:
    """A rest that draws, together with a paper sheet on which it fell like this: refused where it did not."""
    lines = rest(), {"type": "sheet.check", "character": "brog", "expect": {"hp": hp}}
    table.handler.record_together([Command(table.line(line)) for line in lines])


def said_to_have(refused: pytest.ExceptionInfo[Refusal]) -> int:
    """The hit points that a refused paper sheet was held against."""
    found = re.search(r"hp is (\d+) in the log", refused.value.reason)
    assert found
    return int(found[1])


def test_nobody_tries_a_line_until_its_dice_fall_well() -> None:
    table = brog()
    tries = []
    for _ in range(3):
        with pytest.raises(Refusal) as refused:
            wanting(table, 99)
        tries.append(said_to_have(refused))
    assert len(set(tries)) == 1
    table.when({"type": "note", "text": "Rain."}).when(rest()).has("brog", hp=tries[0])


def test_what_is_owed_is_drawn_once_and_each_turn_of_a_line_draws_its_own() -> None:
    owing, free = brog(), brog()
    lines = rest(), rest(), {"type": "sheet.check", "character": "brog", "expect": {"hp": 99}}
    with pytest.raises(Refusal):
        owing.handler.record_together([Command(owing.line(line)) for line in lines])
    for _ in range(4):
        owing.when(rest())
        free.when(rest())
    rolled = [[turn.chance["brog/re-roll"].values for turn in table.log.turns[2:]] for table in (owing, free)]
    # the line drew what the first two draw, and the others go on with seeds of their own
    assert rolled[0][:2] == rolled[1][:2]
    assert len({values[:3] for values in rolled[0]}) == len(rolled[0])


def test_dice_that_are_told_pay_nothing_and_others_draw_their_own() -> None:
    table = brog().when({"type": "osr.enrol", "character": "ada", "rolled": [1]})
    with pytest.raises(Refusal) as refused:
        wanting(table, 99)
    table.when(rest(1, 1)).has("brog", hp=2).when({"type": "osr.night_rest", "characters": ["ada", "brog"]})
    table.when(rest()).has("brog", hp=said_to_have(refused))


def test_a_rest_told_late_draws_in_the_real_thing_what_it_drew_among_the_conflicts() -> None:
    table = brog().when({"type": "osr.bypassing_hit", "character": "brog", "sacrifice": True, "cost": 11})
    late = {**rest(), "after": "T2"}
    values = []
    for _ in range(3):
        conflict = table.when(late).error
        assert isinstance(conflict, Conflict)
        values.append(conflict.turns[0].reason)
    table.when({**late, "conflicts": "drop"})
    assert set(values) == {f"Brog cannot stop this with {table.sheet('brog')['hp']} hit points: it costs 11."}


# -- whose a value is ------------------------------------------------------------------------------------


def test_what_is_kept_says_whose_it_is_what_for_and_how_many_sides_it_has() -> None:
    chance = Chance(SEED)
    chance.dice("a/b/re-roll", 2, 6, (3, 4), rule="X 1")
    chance.cards("a/b/short rest", "xyz", 1, rule="X 1")
    chance.shuffle("brog/deck", "xyz", rule="X 1")
    chance.number("ruling")
    kept = chance.record()
    assert kept["a/b/re-roll"] == Drawn((3, 4), 2, "a/b", "re-roll", 6)
    assert [(value.whose, value.purpose, value.sides) for value in kept.values() if isinstance(value, Drawn)][1:] == [
        ("a/b", "short rest", None), ("brog", "deck", None), ("", "ruling", None)
    ]  # fmt: skip


def test_what_older_turns_left_out_is_filled_in_as_they_are_read_and_what_is_stored_stays() -> None:
    old = {"a/b/re-roll": BareDrawn((3, 4), 2), "brog/short rest": BareDrawn((7,)), "a/wound#": BareDrawn((1,))}
    assert chance_with_owners(old) == {
        "a/b/re-roll": Drawn((3, 4), 2, "a/b", "re-roll", 6),
        "brog/short rest": Drawn((7,), 0, "brog", "short rest"),
        "a/wound#": Drawn((1,), 0, "a", "wound"),
    }
    stored = msgspec.msgpack.encode(old)
    assert stored == msgspec.msgpack.encode({key: [list(value.values), value.reported] for key, value in old.items()})
    assert msgspec.msgpack.encode(msgspec.msgpack.decode(stored, type=dict[str, StoredDrawn])) == stored
