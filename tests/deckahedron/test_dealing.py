"""Cards on the table (DH 1): for whoever's cards lie there nothing is ever drawn."""

from typing import Any

import pytest

from domain.common.revisions import Undo
from tests.deckahedron.tables import act, brog, deck_of, enrol, override, scene, table
from tests.kit.given import Given


def at_table(*more: dict[str, Any]) -> Given:
    return table(enrol(cards="table"), *more)


@pytest.mark.parametrize(
    "action",
    [
        act("flip", attribute="strength"),
        act("lose_stamina", points=1),
        act("strain", what="a bruise"),
        act("wound", what="a cut"),
        act("attack", None, attacker="brog", foe="a ghoul"),
        act("foe_attack", None, foe="a ghoul", foe_result="v", target="brog"),
    ],
)
def test_1_without_the_cards_it_is_invalid_and_says_which_list(action: dict[str, Any]) -> None:
    at_table().when(action).invalid("missing (flipped=…)")
    assert table(enrol()).when(action).error is None


def test_12_a_breather_takes_its_die_and_the_cards_that_come_back() -> None:
    hurt = at_table(scene("combat"), act("lose_stamina", points=3, flipped=["10", "11", "13"]))
    breather = act("breather", attribute="intelligence", flipped=["16"])
    hurt.when(breather).invalid("the d4 is missing (rolled=…)")
    hurt.when({**breather, "rolled": 2}).invalid("missing (regained=…)")
    hurt.when({**breather, "rolled": 2, "regained": ["10", "13"]}).has("brog", exhaustion=["11"])


def test_21_a_rest_takes_the_cards_that_stay() -> None:
    hurt = at_table(act("lose_stamina", points=3, flipped=["10", "11", "13"]), override(harm=2))
    hurt.when(act("rest", hours=8)).invalid("missing (kept=…)")
    hurt.when(act("rest", hours=8, kept=["11"])).has("brog", exhaustion=["11"], harm=1)


def test_1_the_log_takes_over_with_the_deck_as_it_lies_or_shuffles_it() -> None:
    mixed = at_table(act("lose_stamina", points=1, flipped=["7", "19"]))
    order = list(reversed(deck_of(mixed)))
    mixed.when(act("cards", cards="log", deck=[*order, "7"])).refused("DH 1", "exactly")
    assert list(deck_of(mixed.when(act("cards", cards="log", deck=order)))) == order
    assert mixed.sentences == "The log deals Brog's cards from now on: 18 cards in the deck."
    assert mixed.when(act("flip", attribute="strength")).error is None


def test_1_the_table_takes_over_and_gives_back() -> None:
    at = brog().when(act("cards", cards="table"))
    assert at.sentences == "Brog's cards lie on the table from now on: 20 cards in the deck."
    at.when(act("flip", attribute="strength")).invalid("flipped")
    at.when(Undo(turns=(3,)))
    assert at.when(act("flip", attribute="strength")).error is None


def test_1_what_is_so_already_is_refused_and_the_table_has_its_own_order() -> None:
    brog().when(act("cards", cards="log")).refused(None, "already")
    brog().when(act("cards", cards="table", deck=["1"])).invalid("leave the order out")
