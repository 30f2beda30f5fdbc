"""The order of the deck is on record and in no answer, no reading and no dry run."""

from random import Random
from typing import Any

import msgspec
import pytest

from cli.shell.jsonlines import action_and_author
from cli.terminal.answers import answer_json
from domain.deckahedron.cards import FRESH_DECK
from domain.log.backdating import Backdating
from domain.log.command_handler import Command
from domain.log.effective_history import effective_turns
from domain.log.simulation import FaceDown, Simulation
from domain.system.chance import UNSEEN
from domain.turn import TurnRedecided
from projections.chronicle_range import chronicle
from projections.preview import simulate
from projections.preview_json import own_json, preview_json
from tests.deckahedron.tables import act, brog, deck_of, enrol, override
from tests.kit.given import Given

NO_STAMINA = [str(card) for card in range(10)]
STAMINA = [str(card) for card in range(10, 20)]
#: A Stamina card first, then every other one.
MIXED = [card for pair in zip(STAMINA, NO_STAMINA, strict=True) for card in pair]


def lose(points: int = 1, **fields: Any) -> dict[str, Any]:
    return act("lose_stamina", points=points, **fields)


def keys_in(value: Any) -> set[str]:
    """Every key of a JSON value, at any depth."""
    if isinstance(value, dict):
        return set(value) | {key for value in value.values() for key in keys_in(value)}
    return {key for inner in value for key in keys_in(inner)} if isinstance(value, list | tuple) else set()


def test_no_answer_and_no_reading_holds_the_order_of_the_deck() -> None:
    order, another = (Random(seed).sample(FRESH_DECK, 20) for seed in (1, 2))
    first = enrol(top=order)
    lost = lose(reshuffle_first=True, shuffled=another)
    given = brog(order, lost)
    answers = []
    for line in (
        lose(11),
        {"type": "amend", "turn": 2, "action": first | {"deck": another}},
        {"type": "amend", "turn": 3, "action": lost | {"shuffled": order}},
        {"type": "undo", "turns": [2], "conflicts": "keep"},
        {"type": "redo"},
        override(discard=["3"], exhaustion=[]),
        {"type": "ruling", "rule": "9", "text": "early", "set": {"incapacitated_when": "none_left"}, "since": "T1"},
    ):
        given.when(line)
        assert given.error is None
        assert given.outcome is not None
        answers.append(answer_json(given.system, given.outcome.turn))
    assert any("turn.redecided" in str(answer) for answer in answers)
    read = [entry.as_json() for entry in chronicle(given.system, given.log)]
    sheets = [given.sheet("brog"), msgspec.to_builtins(given.system.table_view(given.handler.state()))]
    for key in keys_in([answers, read, sheets]):
        assert key not in ("deck", "shuffled", "seed")
        assert not key.endswith(UNSEEN)
    assert any(
        getattr(event, "deck", None) for effective_turn in effective_turns(given.log) for event in effective_turn.facts
    )  # it is on record


@pytest.mark.parametrize("asked", [{"type": "undo", "turns": [3]}, {**lose(2), "after": "T2"}])
def test_a_dry_run_of_the_past_tells_cards_that_were_turned_and_none_that_lie_face_down(asked: Any) -> None:
    """Two decks of which the same cards were seen, and the rest lies otherwise, are told of alike."""
    first = brog(MIXED).and_given(*(brog(MIXED).line(lose(1)) for _ in range(3)))
    turned = len(MIXED) - len(first.handler.state().characters["brog"].deck)
    other_order = [*MIXED[:turned], *reversed(MIXED[turned:])]
    second = brog(other_order).and_given(*(brog(MIXED).line(lose(1)) for _ in range(3)))
    cards = []
    for given in (first, second):
        action, about = action_and_author("deckahedron", dict(asked))
        cards.append(preview_json(given.system, simulate(given.handler, Command(action, **about))))
    assert cards[0] == cards[1]
    assert cards[0]["changed"]


def test_a_dry_run_leaves_no_trace_and_tells_nobody_what_lies_on_top() -> None:
    given = brog(MIXED)
    preview = simulate(given.handler, Command(given.line(lose(10))))
    assert preview.own[0].open
    assert own_json(given.system, preview) == [{"turn": 3, "events": None, "open": True, "draws": []}]
    assert [sheet.name for sheet in preview.sheets] == ["brog"]
    given.when(lose(10)).has("brog", discard=NO_STAMINA[:9], exhaustion=STAMINA)


@pytest.mark.parametrize(("left", "orders"), [(1, 1), (2, 2), (3, 6)])
def test_what_nobody_has_seen_lies_in_every_order_among_the_worlds(left: int, orders: int) -> None:
    given = brog((), override(discard=list(FRESH_DECK[left:])))
    met = set()
    for number in range(60):
        state = Simulation(number, FaceDown(given.system)).reordered(given.handler.state())
        met.add(state.characters["brog"].deck)
    assert len(met) == orders


def test_a_card_that_was_seen_once_is_seen_in_every_order_that_holds_it() -> None:
    """Also where the same order was told of once more in between: the deck was not shuffled for that."""
    given = brog(MIXED, lose(1))
    deck = deck_of(given)
    first = enrol(top=MIXED)
    for action in (
        {"type": "undo"},
        {"type": "amend", "turn": 2, "action": first | {"player": "Mia"}},
        lose(3),
    ):
        assert given.when(action).error is None
    lineage = FaceDown(given.system, given.log.turns).lineage("brog", deck)
    assert lineage is not None and len(lineage.unseen) == len(deck_of(given)) < len(deck)


@pytest.mark.parametrize("reported", ["15", "3", "0"])
@pytest.mark.parametrize("again", [{}, {"flipped": ["7"]}])
def test_a_reported_card_leaves_what_was_turned_up_as_it_was(reported: str, again: dict[str, Any]) -> None:
    """Where the card lay is not known, but what was dealt before and after is: an undo of something else keeps it."""
    flip = act("flip", attribute="dexterity")
    given = brog(MIXED, {"type": "track", "name": "torches", "value": 5})
    for line in (flip | {"flipped": [reported]}, {"type": "undo", "turns": [4]}, flip, flip | again, flip):
        assert given.when(line).error is None
    undo, about = action_and_author("deckahedron", {"type": "undo", "turns": [3]})
    preview = simulate(given.handler, Command(undo, **about))
    assert [(change.turn, change.open) for change in preview.changed] == [(3, False)]


#: Told late, nothing that any card decides has to do with them.
IDLE: list[dict[str, Any]] = [
    {"type": "note", "text": "An owl hoots."},
    {"type": "track", "name": "torches", "value": 5},
]


def must_change_nothing_told_late(given: Given) -> None:
    """What no card rests on is foretold to change no later turn and not brog's sheet."""
    for late in IDLE:
        action, about = action_and_author("deckahedron", dict(late))
        preview = simulate(given.handler, Command(action, backdating=Backdating(after="T2"), **about))
        assert [change.turn for change in preview.changed] == []
        assert "brog" not in [sheet.name for sheet in preview.sheets]


def test_a_deck_that_ended_in_the_middle_of_a_turn_was_seen_to_its_end() -> None:
    """Only the next shuffle is on record of that turn; a late entry before it changes nothing."""
    given = brog(MIXED)
    for line in [*([act("flip", attribute="dexterity")] * 12), lose(6)]:
        assert given.when(line).error is None
    *_, last = given.log.read()
    assert any(key.endswith(UNSEEN) for key in last.chance)
    must_change_nothing_told_late(given)


def test_a_shuffle_that_was_dealt_to_its_end_within_the_turn_was_seen_to_its_end() -> None:
    """Whether the deck was empty before or not."""
    given = brog(MIXED)
    for line in [*([act("flip", attribute="dexterity")] * 20), lose(11)]:
        assert given.when(line).error is None
    must_change_nothing_told_late(given)


@pytest.mark.parametrize("undone", [[], [18], [*range(9, 19)]])
def test_a_deck_that_ends_behind_a_flip_of_the_same_turn_was_seen_to_its_end(undone: list[int]) -> None:
    """Also with more cards in it, when flips before are undone, and where it no longer ends then."""
    given, flip = brog(MIXED), act("flip", attribute="dexterity")
    attacked = act("foe_attack", None, foe="a wolf", foe_result="vv", target="brog", rolled=[4], choice="stamina")
    for line in [*([flip] * 16), attacked]:
        assert given.when(line).error is None
    assert [type(event).__name__ for event in given.events] == ["CardsFlipped", "FoeAttacked", "StaminaLost"]
    assert any(key.endswith(UNSEEN) for key in given.log.turns[18].chance)
    for line in [*([{"type": "undo", "turns": undone}] if undone else []), flip, flip, lose()]:
        assert given.when(line).error is None
    must_change_nothing_told_late(given)


def test_a_shuffle_that_needs_fewer_cards_than_are_on_record_has_no_card_twice() -> None:
    """A loss told late exhausts a card, so that the later shuffle is one of 19; its record still counts 20."""
    given = brog(MIXED)
    for line in [act("flip", attribute="dexterity"), lose(reshuffle_first=True), {**lose(), "after": "T2"}]:
        assert given.when(line).error is None
    shuffled = given.log.turns[-1].events[-1]
    assert isinstance(shuffled, TurnRedecided)
    (on_record,) = (draw.values for key, draw in shuffled.chance.items() if key.endswith(UNSEEN))
    assert len(on_record) > len(set(on_record))
    must_change_nothing_told_late(given)


def test_where_a_reported_card_lay_is_open_once_it_is_put_back() -> None:
    """Whether the next flip would turn it up again is not promised, either way."""
    flip = act("flip", attribute="dexterity")
    told = []
    for order in (MIXED, [*MIXED[:1], "19", *(card for card in MIXED[1:] if card != "19")]):
        given = brog(order)
        for line in (flip, flip | {"flipped": ["19"]}, flip):
            assert given.when(line).error is None
        undo, about = action_and_author("deckahedron", {"type": "undo", "turns": [4]})
        told.append([(at.turn, at.open) for at in simulate(given.handler, Command(undo, **about)).changed])
    assert told[0] == told[1] == [(4, False), (5, True)]
