"""A turn decided again: what the table reported is used as far as it goes."""

from tests.deckahedron.tables import act, brog, enrol, scene, table


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
