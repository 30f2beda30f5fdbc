"""The order of the deck is on record and in no answer, no reading and no dry run."""

from random import Random
from typing import Any

import msgspec

from cli.terminal.answers import answer_json
from domain.deckahedron.cards import FRESH_DECK
from domain.log.chance import UNSEEN
from domain.log.standing import tell
from projections.chronicle import chronicle
from tests.deckahedron.tables import act, brog, enrol, override

NO_STAMINA = [str(card) for card in range(10)]
STAMINA = [str(card) for card in range(10, 20)]
#: A Stamina card first, then every other one.
MIXED = [card for pair in zip(STAMINA, NO_STAMINA, strict=True) for card in pair]


def lose(points: int = 1, **fields: Any) -> dict[str, Any]:
    return act("lose_stamina", points=points, **fields)


def keys_in(value: Any) -> set[str]:
    """Every key of a JSON value, at any depth."""
    if isinstance(value, dict):
        return set(value) | {key for each in value.values() for key in keys_in(each)}
    return {key for each in value for key in keys_in(each)} if isinstance(value, list | tuple) else set()


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
    sheets = [given.sheet("brog"), msgspec.to_builtins(given.system.shown_table(given.scribe.state()))]
    for key in keys_in([answers, read, sheets]):
        assert key not in ("deck", "shuffled", "seed")
        assert not key.endswith(UNSEEN)
    assert any(getattr(event, "deck", None) for each in tell(given.log) for event in each.facts)  # it is on record


def test_a_dry_run_leaves_no_trace_and_tells_nobody_what_lies_on_top() -> None:
    given = brog(MIXED)
    action = given.line(lose(10))
    seen = set()
    for _ in range(3):
        (lost,) = given.scribe.record(action, dry_run=True).turn.events
        seen.add(lost.flipped)  # type: ignore[attr-defined]
    assert len(seen) == 3
    assert tuple(MIXED[:19]) not in seen
    given.when(lose(10)).has("brog", discard=NO_STAMINA[:9], exhaustion=STAMINA)
