"""What the rules ask the player before something is done: each question, each answer, and when there is none."""

from typing import Any

from domain.deckahedron.attempts import CardsFlipped
from domain.system.drafts import Draft
from tests.deckahedron.tables import act, enrol, scene, table
from tests.kit.given import Given
from tests.kit.interview import interview, quiet


def two() -> Given:
    """Brog with 3 (\u2714\u2714 at rank 2) on top, Orik with 0 (\u2717\u2717)."""
    return table(enrol(top=("3",)), enrol("Orik", top=("0",)), scene("combat"))


def attack(**fields: Any) -> dict[str, Any]:
    return act("attack", None, attacker="brog", defender="Orik", style="melee", **fields)


REPORTED: dict[str, Any] = {"flipped": ["3"], "defender_flipped": ["0"]}


# -- DH 35: what an attack offers ------------------------------------------------------------------------


def test_a_result_that_offers_a_choice_asks_for_it() -> None:
    found = interview(two(), attack(**REPORTED, rolled=[3]), "a Wound")
    assert found.questions == [
        (
            "Brog's \u2714\u2714 against Orik's \u2717\u2717 offers a choice.",
            ["the defender loses 1d4+1 Stamina", "a Wound"],
        )
    ]
    assert found.actions == [attack(**REPORTED, choice="wound")]
    two().when(attack(**REPORTED, choice="wound")).then_some()


def test_the_points_are_taken_as_the_attack_stands() -> None:
    assert interview(two(), attack(**REPORTED, rolled=[3]), "the defender").actions == [attack(**REPORTED, rolled=[3])]


def test_where_the_log_flips_it_is_asked_when_the_cards_have_fallen_and_before_anything_is_recorded() -> None:
    both = two()
    turns = both.log.last()
    found = interview(both, attack(), "a Wound")
    assert found.actions == [attack(choice="wound")] and both.log.last() == turns
    both.when(found.actions[0]).then_some()
    both.has("Orik", wounds=1)
    assert both.log.last() == turns + 1, "the choice is a part of the turn and no amendment"


def test_leaving_the_points_does_the_attack_as_it_stands() -> None:
    both = two()
    assert interview(both, attack(), "the defender").actions == [attack()]


def test_whoever_leaves_the_question_draws_the_same_again() -> None:
    both, once = two(), two()
    for _ in range(3):
        interview(both, attack(), "a Wound")
    flipped = both.attempt(attack(choice="wound")).turn.events
    assert flipped == once.attempt(attack(choice="wound")).turn.events


def test_nothing_is_asked_where_nothing_is_offered_or_it_is_said() -> None:
    quiet(two(), attack(**REPORTED, choice="stamina", rolled=[3]))
    quiet(two(), attack(flipped=["3"], defender_flipped=["3"], rolled=[1, 1]))
    same = table(enrol(top=("3",)), enrol("Orik", top=("3",)), scene("combat"))
    quiet(same, attack())


def test_a_foe_that_attacks_offers_the_same() -> None:
    defending = table(enrol(top=("0",)), scene("combat"))
    blow = act("foe_attack", None, foe="ghoul", foe_result="vv", target="brog", flipped=["0"], rolled=[2])
    found = interview(defending, blow, "a Wound")
    assert found.actions is not None and "rolled" not in found.actions[0]


def test_the_choice_is_asked_for_from_the_flips_alone_before_any_die() -> None:
    both = two()
    flips = [event for event in both.attempt(attack(**REPORTED, choice="stamina"), dry_run=True).turn.events
             if isinstance(event, CardsFlipped)]  # fmt: skip
    blow = both.line(attack(**REPORTED))
    asked_for = blow.open_decision(Draft(both.system, both.handler.state(), lambda: flips))
    assert asked_for is not None and [choice.says for choice in asked_for.choices] == [
        "the defender loses 1d4+1 Stamina",
        "a Wound",
    ]
    assert blow.open_decision(Draft(both.system, both.handler.state(), lambda: flips[:1])) is None, (
        "one side is not enough"
    )


def test_what_is_missing_is_said_whole_where_the_cards_lie_on_the_table() -> None:
    pim = table(enrol("Pim", top=("9",), cards="table"), scene("combat"))
    blow = act("foe_attack", None, foe="ghoul", foe_result="v", target="Pim", flipped=["9"])
    pim.when(blow).invalid("Pim loses 1d4 Stamina: the d4 (rolled=…) and the cards turned over behind 9 (flipped=…)")
    behind = "the cards turned over behind 9 for the lost Stamina are missing (flipped=…)"
    pim.when({**blow, "rolled": [2]}).invalid(behind)
    pim.when({**blow, "rolled": [2], "flipped": ["9", "13", "14"]}).has("Pim", exhaustion=["13", "14"])


# -- DH 10: how a breather is taken ----------------------------------------------------------------------


def test_a_breather_asks_how_it_is_taken() -> None:
    breather = act("breather", attribute="dexterity")
    assert interview(two(), breather, "say how").to_type == ("how",)
    assert interview(two(), breather, "leave it unsaid").actions == [breather]
    quiet(two(), {**breather, "how": "behind the pillar"})
    quiet(table(enrol()), breather)


# -- DH 30: a cure that cures nothing --------------------------------------------------------------------


def test_healing_by_an_item_of_somebody_with_nothing_to_heal_is_asked_about() -> None:
    potion = act("heal", by="item", how="a potion")
    found = interview(two(), potion, "only a note")
    assert found.questions == [
        ("Brog has no Harm, no Wound and no exhausted card.", ["use up the item all the same", "only a note"])
    ]
    assert found.actions == [{"type": "note", "text": "Brog is healed by an item (a potion)"}]
    assert interview(two(), potion, "use up").actions == [potion]


def test_healing_of_somebody_with_an_exhausted_card_is_not_asked_about() -> None:
    quiet(two().when(act("lose_stamina", points=1)), act("heal", by="item"))
