"""Attack modifier decks that the log keeps (GH 16, 48), and bless, curse and perks.

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from typing import Any

import pytest

from domain.gloomhaven.attacks import Attack, DrawModifier
from domain.gloomhaven.conditions import SetCondition
from domain.gloomhaven.modifiers import ModifiersSeen, ModifiersShuffled, Perk, modifier_called
from domain.gloomhaven.rounds import CleanUp, EndTurn
from domain.gloomhaven.scenarios import EndScenario
from domain.turn import Action
from tests.gloomhaven.tables import brog, playing, selecting, spell
from tests.kit.given import Given, unchanged

FRESH = {"null": 1, "-2": 1, "-1": 5, "+0": 6, "+1": 5, "+2": 1, "2x": 1}


def deck_of(table: Given, name: str = "brog") -> dict[str, int]:
    found: dict[str, int] = table.sheet(name)["modifiers"]
    return found


def attacking(*more: Action, **fields: Any) -> Given:
    """Brog's turn, with an attack open and the modifier deck in the log."""
    table = selecting(brog(modifiers="deck", **fields), spell())
    select = {"type": "gloomhaven.select", "character": "brog", "lead": 4, "second": 1}
    other = {"type": "gloomhaven.select", "character": "spell", "lead": 61, "second": 62}
    for line in (select, other, {"type": "gloomhaven.reveal"}):
        table.when(line).then_some()
    return table.and_given(*more, Attack(character="brog", target="a ghoul"))


def drawn(table: Given, *cards: str, **fields: Any) -> Given:
    """The attack's modifier, as the table drew it."""
    return table.when(DrawModifier(character="brog", modifier=", ".join(cards) or None, **fields))


# -- who keeps it ------------------------------------------------------------------------------------------


def test_without_a_deck_any_word_is_a_modifier_and_one_is_needed() -> None:
    table = attacking()
    table.when({"type": "gloomhaven.modifiers", "character": "brog", "modifiers": "table"})
    with unchanged(table):
        drawn(table).invalid("modifiers brog deck")
    drawn(table, "+3 and stun").has("brog", modifiers=None)
    assert table.sentences == "Brog draws +3 and stun."


@pytest.mark.parametrize("card", ["rolling +3,rolling +3", "banana", "rolling", "+1 +1", "brann", "a5"])
def test_a_card_of_a_deck_is_a_value_and_effects_and_nothing_else(card: str) -> None:
    for side in ("add", "remove"):
        attacking().when({"type": "gloomhaven.perk", "character": "brog", side: [card]}).invalid("is no modifier card")


@pytest.mark.parametrize("card", ["+1", "-1", "rolling +1", "+2 immobilize", "rolling push 1", "+0 fire", "null", "2x"])
def test_a_card_of_a_deck_is_written_like_this(card: str) -> None:
    table = attacking().when({"type": "gloomhaven.perk", "character": "brog", "add": [card]})
    assert f"with {card} more" in table.sentences


def test_the_log_begins_to_keep_it_at_any_time_and_once() -> None:
    table = playing(brog())
    keep = {"type": "gloomhaven.modifiers", "character": "brog", "modifiers": "deck"}
    table.when({**keep, "modifiers": "table"}).refused(None, "The table keeps Brog's modifier deck already")
    table.when(keep).has("brog", modifiers=FRESH)
    table.when(keep).refused(None, "keeps Brog's modifier deck already")


def test_perks_stay_with_a_deck_that_the_table_keeps_for_a_while() -> None:
    table = playing(brog(modifiers="deck")).and_given(Perk(character="brog", remove=("-2",)))
    for who in ("table", "deck"):
        table.when({"type": "gloomhaven.modifiers", "character": "brog", "modifiers": who}).then_some()
    assert "-2" not in deck_of(table)


# -- drawing -----------------------------------------------------------------------------------------------


def test_16_a_card_is_drawn_from_the_deck_and_closes_the_attack() -> None:
    table = drawn(attacking())
    (event,) = table.events
    assert sum(deck_of(table).values()) == 19
    assert deck_of(table).get(event.modifier, 0) == FRESH[event.modifier] - 1  # type: ignore[attr-defined]
    assert table.sentences == f"Brog draws {event.modifier} (drawn)."  # type: ignore[attr-defined]
    drawn(table).refused("GH 16", "no attack open")


def test_16_a_reported_card_that_is_not_there_is_refused_with_what_is_left() -> None:
    table = drawn(attacking(), "+2").and_given(Attack(character="brog"))
    with unchanged(table):
        drawn(table, "+2").refused("GH 16", "no +2 left, but 1 null, 1 -2, 5 -1, 6 +0, 5 +1 and 1 2x")
        drawn(table, "+7").refused("GH 16", "has no +7 left")


@pytest.mark.parametrize(
    ("how", "cards", "counts"),
    [
        ("advantage", ("+0", "+1"), "+1"),
        ("advantage", ("null", "-2"), "-2"),
        ("advantage", ("2x", "+2"), "2x"),
        ("advantage", ("+1", "+1"), "+1"),
        ("disadvantage", ("+0", "+1"), "+0"),
        ("disadvantage", ("null", "-2"), "null"),
    ],
)
def test_16_with_advantage_or_disadvantage_two_are_drawn_and_one_counts(
    how: str, cards: tuple[str, str], counts: str
) -> None:
    first, second = cards
    told_by = {"type": "gloomhaven.draw_modifier", "character": "brog", "modifier": first, "second": second}
    table = attacking().when({**told_by, how: True})
    assert table.events[0].modifier == counts  # type: ignore[attr-defined]
    assert sum(deck_of(table).values()) == 18, "both are out of the deck"
    assert table.sentences.endswith(f"with {how}.")


def test_16_two_are_drawn_by_the_log_as_well() -> None:
    table = drawn(attacking(), advantage=True)
    assert sum(deck_of(table).values()) == 18
    assert len(table.events[0].cards) == 2  # type: ignore[attr-defined]


def test_16_too_few_or_too_many_reported_cards_are_refused() -> None:
    table = attacking()
    with unchanged(table):
        drawn(table, "+1", advantage=True).refused("GH 16", "report it too")
        drawn(table, "+1", "+0").refused("GH 16", "leave +0 out")
        table.when(DrawModifier(character="brog", second="+1")).invalid("Give the first card too")


def test_16_of_a_deck_at_the_table_no_more_cards_count_than_are_drawn() -> None:
    table = attacking()
    table.when({"type": "gloomhaven.modifiers", "character": "brog", "modifiers": "table"})
    with unchanged(table):
        drawn(table, "+1", "+2").refused("GH 16", "No card is drawn after +1; leave +2 out")
        drawn(table, "+1 +1").refused("GH 16", "No card is drawn after +1; leave +1 out")
        drawn(table, "+1", second="+2").refused("GH 16", "leave +2 out")
        drawn(table, "+1", "+2", advantage=True).invalid(
            "Give +2 as the second card (second), so that the better one counts"
        )
    drawn(table, "rolling +1", "rolling stun", "-1").then_some()


def test_16_rolling_cards_are_drawn_on_from_and_all_count() -> None:
    perk = Perk(character="brog", add=("rolling +1", "rolling +1"))
    table = drawn(attacking(perk), "rolling +1", "rolling +1", "-1")
    assert table.events[0].modifier == "rolling +1, rolling +1 and -1"  # type: ignore[attr-defined]
    table = drawn(attacking(perk), "rolling +1", "+0", disadvantage=True)
    assert table.events[0].modifier == "+0", "rolling cards are ignored"  # type: ignore[attr-defined]
    table = drawn(attacking(perk), "rolling +1", "+0", advantage=True)
    assert table.events[0].modifier == "rolling +1 and +0"  # type: ignore[attr-defined]


@pytest.mark.parametrize(("word", "card"), [("1", "+1"), ("+0", "+0"), ("X2", "2x"), ("NULL", "null"), ("−1", "-1")])
def test_cards_are_written_in_more_than_one_way(word: str, card: str) -> None:
    assert modifier_called(word) == card


def test_28_null_and_2x_shuffle_the_deck_in_the_cleanup() -> None:
    for card in ("null", "2x"):
        table = drawn(attacking(), card).and_given(
            EndTurn(character="brog"), EndTurn(character="spell"), CleanUp()
        )  # fmt: skip
        table.has("brog", modifiers=FRESH)
    table = drawn(attacking(), "+2").and_given(EndTurn(character="brog"), EndTurn(character="spell"), CleanUp())
    assert "+2" not in deck_of(table), "nothing else does"


def test_an_empty_deck_is_shuffled_before_the_next_card() -> None:
    cards = [card for card, count in FRESH.items() if card != "+2" for _ in range(count)]
    table = drawn(attacking(), cards[0])
    for card in cards[1:]:
        drawn(table.and_given(Attack(character="brog")), card).then_some()
    table.has("brog", modifiers={"+2": 1})
    drawn(table.and_given(Attack(character="brog")), "+2", "-2", advantage=False).refused("GH 16", "leave -2 out")
    table.when(DrawModifier(character="brog", modifier="+2", second="-2", advantage=True))
    assert sum(deck_of(table).values()) == 18, "the drawn ones were shuffled in, and two lie drawn"


def test_48_a_summon_draws_from_the_deck_of_its_owner() -> None:
    weaver = spell(hand=(61, 62, 63, 64, 65, 66, 69, 71), modifiers="deck")
    table = selecting(weaver)
    for line in (
        {"type": "gloomhaven.select", "character": "spell", "lead": 71, "second": 69},
        {"type": "gloomhaven.reveal"},
        {"type": "gloomhaven.perform", "character": "spell", "card": 71, "half": "bottom"},
        {"type": "gloomhaven.summon", "character": "spell", "card": 71, "name": "Wisp", "colour": "red"},
        {"type": "gloomhaven.draw_modifier", "character": "spell", "modifier": "+1", "summon": "wisp"},
    ):
        table.when(line).then_some()
    assert deck_of(table, "spell")["+1"] == 4 and table.sentences == "Wisp draws +1."


# -- bless and curse ---------------------------------------------------------------------------------------


def blessed(card: Any = "bless", **fields: Any) -> SetCondition:
    return SetCondition(character="brog", condition=card, **fields)


@pytest.mark.parametrize("card", ["bless", "curse"])
def test_bless_and_curse_put_a_card_in_each_time_and_drawing_takes_it_out(card: str) -> None:
    table = attacking(blessed(card), blessed(card))
    assert deck_of(table)[card] == 2
    drawn(table, card).has("brog", conditions=[card])
    assert deck_of(table)[card] == 1
    drawn(table.and_given(Attack(character="brog")), card).has("brog", conditions=[])
    assert deck_of(table) == FRESH


def test_a_bless_card_can_be_taken_out_again() -> None:
    table = playing(brog(modifiers="deck")).and_given(blessed(), blessed(), blessed(gained=False))
    assert deck_of(table)["bless"] == 1
    table.and_given(blessed(gained=False)).has("brog", modifiers=FRESH, conditions=[])
    assert table.when(blessed(gained=False)).sentences == "Brog is not blessed."


def test_there_are_ten_of_each_for_the_whole_party() -> None:
    table = playing(brog(modifiers="deck"), spell(modifiers="deck"))
    for name in ("brog", "spell") * 5:
        table.and_given(SetCondition(character=name, condition="curse"))
    with unchanged(table):
        table.when(blessed("curse")).refused("GH 16", "All 10 curse cards")
        table.when({"type": "gloomhaven.damage", "character": "spell", "amount": 1, "effects": ["curse"]})
        table.refused("GH 16", "All 10 curse cards")
    table.and_given(blessed()).has("brog", conditions=["bless", "curse"])


# -- perks -------------------------------------------------------------------------------------------------


def test_a_perk_changes_the_deck_for_good() -> None:
    perk = Perk(character="brog", remove=("-1", "-1"), add=("+1", "+1 Push 2"), why="the first perk")
    table = playing(brog(modifiers="deck")).when(perk)
    assert table.sentences == (
        "Brog takes a perk (the first perk): a modifier deck without -1 and -1 and with +1 and +1 push 2 more."
    )
    assert deck_of(table) == {**FRESH, "-1": 3, "+1": 6, "+1 push 2": 1}
    table.and_given(EndScenario(won=False))
    assert deck_of(table)["+1 push 2"] == 1


def test_a_perk_removes_only_what_is_there() -> None:
    table = playing(brog(modifiers="deck"))
    with unchanged(table):
        table.when(Perk(character="brog", remove=("+2", "+2"))).refused("GH 16", "Brog's modifier deck has no +2")
        table.when(Perk(character="brog", add=("bless",))).refused("GH 16", "cannot stay in a deck for good")
        table.when(Perk(character="brog")).invalid("give add or remove")
    playing(brog()).when(Perk(character="brog", add=("+1",))).refused(None, "does not keep Brog's modifier deck")


# -- by hand -----------------------------------------------------------------------------------------------


def look(count: int = 1, *cards: str) -> dict[str, Any]:
    return {"type": "gloomhaven.look", "character": "brog", "count": count, "cards": list(cards) or None}


def back(*cards: str, bottom: tuple[str, ...] = ()) -> dict[str, Any]:
    under = {"bottom": list(bottom)} if bottom else {}
    return {"type": "gloomhaven.put_back", "character": "brog", **({"cards": list(cards)} if cards else {}), **under}


def by_hand(verb: str, **fields: Any) -> dict[str, Any]:
    return {"type": f"gloomhaven.{verb}", "character": "brog", **fields}


def test_the_top_cards_are_looked_at_and_drawn_in_the_order_in_which_they_are_put_back() -> None:
    table = attacking().when(look(3, "+1", "null", "+1")).has("brog", modifiers=FRESH)
    assert table.sentences == "Brog looks at the top of the modifier deck: +1, null and +1."
    table.when(look(2)).then(ModifiersSeen("brog", ("+1", "null")))
    with unchanged(table):
        table.when(back("null", "-1")).refused("GH 16", "On top of Brog's modifier deck lie +1, null and +1")
        table.when(look(2, "null", "+1")).refused("GH 16", "It is known that +1 and null comes there")
        drawn(table, "+0").refused("GH 16", "The next card of Brog's modifier deck is known: +1, not +0.")
    table.when(back("+1", bottom=("+1", "null")))
    assert table.sentences == "Brog puts back +1 on top of the modifier deck and +1 then null under it."
    drawn(table).then_some()
    assert table.events[0].cards == ("+1",)  # type: ignore[attr-defined]
    # what lies under the deck is drawn last of all, in its order
    table.and_given(Attack(character="brog"))
    with unchanged(table):
        drawn(table, "null").refused("GH 16", "has no null left")
    assert table.when(look(19)).events[0].cards[-2:] == ("+1", "null")  # type: ignore[attr-defined]
    table.when(look(20)).refused("GH 16", "has 19 cards left")


def test_a_shuffle_by_hand_forgets_what_was_seen_and_brings_back_what_was_drawn_or_not() -> None:
    table = attacking()
    drawn(table, "-1").then_some()
    table.when(look(1, "null"))
    undrawn = table.copied().when(by_hand("shuffle", undrawn=True)).then(ModifiersShuffled("brog", True))
    assert deck_of(undrawn) == {**FRESH, "-1": 4} and "what is left" in undrawn.sentences
    undrawn.and_given(Attack(character="brog"))
    assert drawn(undrawn, "+2").error is None
    table.when(by_hand("shuffle")).then(ModifiersShuffled("brog")).has("brog", modifiers=FRESH)


def test_cards_are_taken_out_until_the_scenario_ends() -> None:
    table = attacking(SetCondition(character="brog", condition="curse"))
    table.when(by_hand("take_out", cards=["-1", "-1", "curse"], why="a blessing"))
    assert table.sentences == "Brog takes -1, -1 and curse out of the modifier deck (a blessing)."
    table.has("brog", modifiers={**FRESH, "-1": 3}, conditions=[])
    table.when(by_hand("take_out", cards=["+3"])).refused("GH 16", "has no +3")
    table.when(by_hand("shuffle")).has("brog", modifiers={**FRESH, "-1": 3})
    table.when(by_hand("take_out", cards=[card for card, n in deck_of(table).items() for _ in range(n)])).refused(
        "GH 16"
    )
    table.and_given(EndScenario(won=True)).has("brog", modifiers=FRESH)


def test_a_2x_that_does_not_shuffle_is_worth_as_much_and_shuffles_nothing() -> None:
    for said in ("2x no shuffle", "X2 without shuffle"):
        assert modifier_called(said) == "2x no shuffle"
    table = attacking(Perk(character="brog", add=("2x no shuffle",), remove=("2x",)))
    drawn(table, "2x no shuffle, +2", advantage=True).then_some()
    assert table.events[0].modifier == "2x no shuffle"  # type: ignore[attr-defined]
    table.and_given(EndTurn(character="brog"), EndTurn(character="spell"))
    table.when(CleanUp()).quiet_about(ModifiersShuffled)


def test_of_a_deck_at_the_table_nothing_is_looked_at_here() -> None:
    table = playing(brog())
    for line in (look(), back("+1"), by_hand("shuffle"), by_hand("take_out", cards=["-1"])):
        table.when(line).refused(None, "The log does not keep Brog's modifier deck.")
    playing(brog(modifiers="deck")).when(back("+1")).refused("GH 16", "Nobody has looked")
    playing(brog(modifiers="deck")).when(by_hand("put_back")).invalid("which cards go back")
