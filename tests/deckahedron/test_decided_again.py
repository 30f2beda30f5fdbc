"""A turn decided again: what the table reported is used as far as it goes."""

from domain.log.effective_history import effective_turns
from domain.log.revising import cards_differ
from tests.deckahedron.tables import act, brog, deck_of, enrol, scene, table
from tests.kit.given import Given


def test_a_reported_card_is_used_again_if_it_is_still_in_the_deck() -> None:
    at = brog(("3", "0"), act("lose_stamina", points=1, flipped=["12"]), act("lose_stamina", points=1, flipped=["13"]))
    at.when({"type": "undo", "turns": [3]}).has("brog", exhaustion=["13"])


def test_otherwise_the_recorded_deck_decides() -> None:
    at = table(
        enrol(top=("3", "10")),
        act("lose_stamina", points=1, flipped=["12"]),
        act("flip", attribute="strength", flipped=["7"]),
    )
    at.when({"type": "amend", "turn": 3, "action": act("lose_stamina", points=1, flipped=["7", "12"])})
    assert at.error is None
    at.has("brog", discard=["7", "3"], exhaustion=["12"])


def test_a_report_that_has_become_too_short_is_completed_from_the_deck() -> None:
    at = brog(("3", "0"), act("strain", what="a"), act("strain", what="b"), act("strain", what="c", flipped=["19"]))
    ruling = {"type": "ruling", "rule": "17", "text": "both", "set": {"third_strain": "both"}, "since": "T1"}
    at.when(ruling)
    assert at.error is None
    assert "19" in at.sheet("brog")["exhaustion"]
    at.has("brog", stamina_left=6)


def test_a_report_that_has_become_too_long_is_used_as_far_as_it_goes() -> None:
    options = {"third_strain": "both"}
    at = brog((), act("strain", what="a"), act("strain", what="b"), **options)
    at.when(act("strain", what="c", flipped=["19", "18"])).has("brog", stamina_left=6)
    at.when({"type": "ruling", "rule": "17", "text": "one", "set": {"third_strain": "wound_only"}, "since": "T1"})
    assert at.error is None
    at.has("brog", stamina_left=7)
    assert at.sheet("brog")["exhaustion"][-1] == "19"
    at.when({"type": "undo"}).has("brog", stamina_left=6)
    assert at.sheet("brog")["exhaustion"][-2:] == ["19", "18"]


def test_a_later_turn_that_is_no_longer_legal_is_a_conflict() -> None:
    at = brog((), scene("combat"), act("breather", attribute="dexterity"))
    at.when({"type": "undo", "turns": [3]}).conflicts(4)


# -- a result that was announced ----------------------------------------------------------------------------


def announced() -> Given:
    """T3 turns 3, 0 and 12 in a search; T4 flips 5, T5 searches 1, 10."""
    return brog(
        ("3", "0", "12", "5", "1", "10", "13"),
        act("lose_stamina", points=1),
        act("flip", attribute="strength"),
        act("lose_stamina", points=1),
    )


def cards_of(at: Given, turn: int) -> list[str]:
    """What a turn turned over, as it reads now."""
    (found,) = [effective_turn for effective_turn in effective_turns(at.log) if effective_turn.number == turn]
    return [card for event in found.facts for card in at.system.turned_up(event)[1]]


def test_without_the_turn_before_it_the_deck_deals_other_cards() -> None:
    at = announced()
    at.when({"type": "undo", "turns": [3]})
    assert (cards_of(at, 4), cards_of(at, 5)) == (["3"], ["0", "12"])


def test_kept_as_announced_the_same_cards_turn_up_and_the_piles_follow() -> None:
    at = announced()
    assert at.attempt({"type": "undo", "turns": [3], "conflicts": "keep"}, dry_run=True).conflicts == ()
    at.when({"type": "undo", "turns": [3], "conflicts": "keep"})
    assert (cards_of(at, 4), cards_of(at, 5)) == (["5"], ["1", "10"])
    at.has("brog", discard=["5", "1"], exhaustion=["10"], stamina_left=9, deck_count=17)
    assert deck_of(at)[:3] == ("3", "0", "12"), "what was taken back lies where it lay"


def test_kept_as_announced_it_stays_so_when_something_else_is_taken_back() -> None:
    at = announced()
    at.when({"type": "undo", "turns": [3], "conflicts": "keep"}).when({"type": "undo", "turns": [4]})
    assert cards_of(at, 5) == ["1", "10"]
    at.has("brog", discard=["1"], exhaustion=["10"])
    at.when({"type": "redo"}).when({"type": "redo"})
    assert (cards_of(at, 4), cards_of(at, 5)) == (["5"], ["1", "10"])
    at.has("brog", exhaustion=["12", "10"])


def test_both_sides_of_an_attack_are_kept_as_announced() -> None:
    at = table(
        enrol(top=("0", "10", "11")),
        enrol("Orik", top=("1", "12", "13")),
        act("flip", attribute="strength"),
        act("flip", "Orik", attribute="strength"),
        act("attack", None, attacker="brog", defender="Orik", choice="stamina"),
    )
    turned = cards_of(at, 6)
    at.when({"type": "undo", "turns": [4, 5], "conflicts": "keep"})
    assert cards_of(at, 6)[:2] == turned[:2] == ["10", "12"]


def test_which_turns_would_turn_up_other_cards_is_known_before_it_is_done() -> None:
    at = announced()
    outcome = at.attempt({"type": "undo", "turns": [3]}, dry_run=True)
    differing = [change.turn for change in outcome.changed if cards_differ(at.system, change.before, change.after)]
    assert differing == [4, 5]
    kept = at.attempt({"type": "undo", "turns": [3], "conflicts": "keep"}, dry_run=True)
    assert not [change for change in kept.changed if cards_differ(at.system, change.before, change.after)]
