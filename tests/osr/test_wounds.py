"""OSR 6.9, 6.10 and 6.11: wounds, marks, and the recovery marks on trial.

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from typing import Any

import pytest

from domain.osr.hit_points import Enrol
from domain.osr.injuries import ChooseFate, Damage, InjurySaves
from domain.osr.rests import ShortRest
from domain.osr.sheet import ABILITIES
from domain.osr.wounds import (
    AbilityScoreLost,
    DieOfWounds,
    MajorWoundTaken,
    MinorWoundTaken,
    RecoverWound,
    RecoveryRoll,
    Treat,
    Worsen,
    WoundRecovered,
    WoundTreated,
    WoundWorsened,
)
from domain.system.rows import Bar, Marks, Phrase, Pips
from domain.turn import Action, Drawn, Event
from tests.kit.given import Given, unchanged
from tests.osr.tables import given, override

HIT = Damage(character="brog", amount=9)


def trial(*more: Action) -> Given:
    return given(*more, minor_injuries="recovery_marks")


def passed(**more: Any) -> InjurySaves:
    return InjurySaves(character="brog", strength=99, will=99, **more)


FAILED = InjurySaves(character="brog", strength=0, will=99)
MINOR = (HIT, passed())


def major(**more: Any) -> ChooseFate:
    return ChooseFate(character="brog", fate="major_wound", **more)


MAJOR = (HIT, FAILED, major())
REST = ShortRest(characters=("brog",))


def wound(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "severity": "minor",
        "what": "shallow cut",
        "effect": "-2 to heavy physical tasks",
        "until": "long rest",
        "treated": False,
        **more,
    }


# -- 6.9: minor wounds -----------------------------------------------------------------------------------


def test_6_9_a_shallow_cut_may_do_something_else() -> None:
    given(HIT).when(passed(effect="bleeds")).has("brog", wounds=[wound(1, effect="bleeds")])


@pytest.mark.parametrize("field", ["wound", "effect", "until"])
def test_6_9_what_is_said_of_a_wound_is_not_empty(field: str) -> None:
    given(HIT).when({"type": "osr.injury_saves", "character": "brog", "strength": 9, "will": 9, field: ""}).invalid()


def test_6_9_the_numbers_that_an_override_gives_out_are_not_given_out_again() -> None:
    table = given(override(wounds=[{"id": 2, "severity": "major", "what": "lost eye"}]), *MINOR)
    assert [wound["id"] for wound in table.sheet("brog")["wounds"]] == [2, 3]


def test_6_9_an_override_gives_each_wound_its_own_number() -> None:
    cut = {"id": 1, "severity": "minor", "what": "cut"}
    table = given(*MINOR)
    table.when(override(wounds=[cut, cut])).refused("OSR 6.9", "one number")
    table.when(override(wounds=[cut])).has("brog", wounds=[wound(1, what="cut", effect=None, until=None)])
    table.when(override(wounds=[])).has("brog", wounds=[])


# -- 6.9: treating, recovering ---------------------------------------------------------------------------


@pytest.mark.parametrize(("wounded", "rule"), [(MINOR, "OSR 6.9"), (MAJOR, "OSR 6.10")])
def test_6_9_6_10_a_treated_wound_needs_no_more_treatment(wounded: tuple[Action, ...], rule: str) -> None:
    table = given(*wounded, Treat(character="brog", wound=1))
    with unchanged(table):
        table.when(Treat(character="brog", wound=1)).refused(rule, "treated already")


def test_of_several_wounds_those_that_are_treated_are_not_offered_for_treatment() -> None:
    wounds = (HIT, passed(), HIT, passed(), HIT, passed(), Treat(character="brog", wound=1))
    table = given(*wounds).when(Treat(character="brog")).refused(None, "several wounds")
    assert [choice.fields["wound"] for choice in table.error.choices] == [2, 3]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "action",
    [
        Treat(character="brog", wound=2),
        Worsen(character="brog", wound=2, dc=20),
        RecoverWound(character="brog", wound=2),
    ],
)
def test_a_wound_that_is_not_there_is_refused(action: Action) -> None:
    given(*MINOR).when(action).refused(None, "no wound 2; there is 1")
    given().when(action).refused(None, "has no wound")


@pytest.mark.parametrize("number", [0, -1, "one", 1.5])
def test_a_wound_is_named_by_its_number(number: object) -> None:
    given(*MINOR).when({"type": "osr.treat", "character": "brog", "wound": number}).invalid()


# -- 6.10: major wounds ----------------------------------------------------------------------------------


def test_6_10_losses_of_one_ability_add_up() -> None:
    table = given(HIT, FAILED, major(ability_loss={"wisdom": 2, "luck": 1}), HIT, FAILED)
    table.when(major(ability_loss={"wisdom": 1, "charisma": 1})).then_some(
        AbilityScoreLost("brog", {"wisdom": 1, "charisma": 1}, {"wisdom": 3, "charisma": 1})
    ).has("brog", ability_loss={"wisdom": 3, "luck": 1, "charisma": 1}, marks=2)


def test_6_10_what_an_ability_may_be_called_is_said() -> None:
    loss = {"type": "osr.choose_fate", "character": "brog", "fate": "major_wound", "ability_loss": {"luck 7": 1}}
    given(HIT, FAILED).when(loss).invalid("an object with a word of at most 30 letters as its keys, each value")


@pytest.mark.parametrize(
    "loss",
    [{"wisdon": 1}, {"luck 7": 1}, {"l" * 31: 1}, {"wisdom": 0}, {"wisdom": -1}, {"wisdom": 1.5}, ["wisdom"]],
)
def test_6_10_a_loss_is_of_an_ability_in_one_word_and_at_least_one_point(loss: object) -> None:
    given(HIT, FAILED).when(
        {"type": "osr.choose_fate", "character": "brog", "fate": "major_wound", "ability_loss": loss}
    ).invalid()


# -- 6.11: marks -----------------------------------------------------------------------------------------


def test_6_11_as_many_marks_as_levels_make_a_failed_strength_save_death() -> None:
    table = given(*MAJOR, *MAJOR).has("brog", marks=2)
    table.and_given(HIT, FAILED).has("brog", condition="dead", injury=None, marks=2)
    table.when(major()).refused("OSR 6.11", "Brog cannot take a major wound: 2 marks at level 2.")


# -- 6.9: recovery marks, on trial -----------------------------------------------------------------------


def test_6_9_on_trial_the_loss_is_drawn_when_nobody_gives_it() -> None:
    table = trial(HIT).when(passed())
    (loss,) = [event for event in table.events if isinstance(event, AbilityScoreLost)]
    assert loss.drawn
    ((ability, points),) = loss.lost.items()
    assert ability in ABILITIES
    assert points == 1
    table.has("brog", ability_loss={ability: 1}, recovery_marks=1)


@pytest.mark.parametrize("loss", [{}, {"Wisdom": 1}, {"wisdom": 0}])
def test_6_9_on_trial_a_stat_loss_names_an_ability_and_a_point_at_least(loss: object) -> None:
    trial(HIT).when(
        {"type": "osr.injury_saves", "character": "brog", "strength": 99, "will": 9, "stat_loss": loss}
    ).invalid()


def roll(**more: Any) -> RecoveryRoll:
    return RecoveryRoll(character="brog", ability="wisdom", improved=True, **more)


def test_6_9_a_rest_brings_as_many_recovery_rolls_as_there_were_marks_when_it_began() -> None:
    twice = trial(HIT, passed(), HIT, passed(), REST, roll())
    twice.when(roll()).has("brog", recovery_marks=0)
    twice.when(roll()).refused("OSR 6.9", "no recovery mark")


def test_6_9_a_mark_gained_after_the_rest_waits_for_the_next_one() -> None:
    later = trial(HIT, passed(), REST, HIT, passed(), roll()).has("brog", recovery_marks=1)
    later.when(roll()).refused("OSR 6.9", "after the last rest")
    later.and_given(REST).when(roll()).has("brog", recovery_marks=0)


def test_6_9_the_die_of_a_recovery_roll_is_on_record_as_reported() -> None:
    turn = trial(HIT, passed(), REST).when(roll(rolled=17)).outcome.turn  # type: ignore[union-attr]
    assert turn.chance["brog/improvement roll"] == Drawn((17,), 1, "brog", "improvement roll")
    assert not trial(HIT, passed(), REST).when(roll()).outcome.turn.chance  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "more", [{"ability": "strengt", "improved": True}, {"ability": "wisdom"}, {"ability": "wisdom", "improved": 1}]
)
def test_6_9_a_recovery_roll_says_for_which_ability_and_how_it_went(more: dict[str, Any]) -> None:
    trial(override(recovery_marks=1)).when({"type": "osr.recovery_roll", "character": "brog", **more}).invalid()


# -- abilities are the table's ---------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["Strength", "strenght", "wisdon"])
def test_6_10_what_is_nearly_one_of_the_usual_abilities_asks(word: str) -> None:
    given(HIT, FAILED).when(major(ability_loss={word: 2})).invalid("did you mean")


def test_6_9_abilities_are_proposed_those_lost_before_among_them() -> None:
    table = given(HIT, FAILED, major(ability_loss={"luck": 2}))
    proposed = table.system.proposals(table.handler.state(), RecoveryRoll, "ability", "brog")
    assert proposed == (*ABILITIES, "luck")


# -- which wound -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "event"),
    [
        (Treat(character="brog"), WoundTreated("brog", 1, "shallow cut")),
        (Worsen(character="brog", dc=22), WoundWorsened("brog", 1, "shallow cut", 22)),
        (RecoverWound(character="brog"), WoundRecovered("brog", 1, "shallow cut")),
    ],
)
def test_6_9_without_a_number_the_only_wound_is_meant(action: Action, event: Event) -> None:
    given(*MINOR).when(action).then(event)
    given().when(action).refused(None, "has no wound")
    given(*MINOR, HIT, passed(wound="torn ear")).when(action).refused(None, "1 (shallow cut) and 2 (torn ear)")


def test_6_10_a_worsened_wound_keeps_its_words_unless_others_are_said() -> None:
    worse = (HIT, passed(wound="bite", effect="it burns"), Worsen(character="brog", dc=22))
    given(*worse).when(passed()).then_some(MinorWoundTaken("brog", 2, "bite", "it burns", "long rest"))
    given(*worse).when(passed(wound="fever")).then_some(MinorWoundTaken("brog", 2, "fever", None, "long rest"))
    given(*worse, FAILED).when(major()).then_some(MajorWoundTaken("brog", 2, "bite", "it burns", 1))
    given(*worse, FAILED).when(major(wound="lost arm")).then_some(MajorWoundTaken("brog", 2, "lost arm", None, 1))


# -- to look at ------------------------------------------------------------------------------------------


def rows(table: Given, name: str = "brog") -> dict[str, Any]:
    return dict(table.system.rows(table.handler.state(), name, table.sheet(name)))


def test_a_sound_character_is_drawn_in_few_rows() -> None:
    assert rows(given()) == {
        "level": (Phrase("2, 2 hit dice"),),
        "hit points": (Bar(4, 12),),
        "condition": (Phrase("up"),),
        "wound marks": (Pips(0, 2),),
    }


def test_a_battered_character_is_drawn_with_every_wound_in_a_row() -> None:
    table = trial(
        *(HIT, FAILED, major(wound="lost hand", effect="one hand"), Treat(character="brog", wound=1)),
        *(HIT, passed(stat_loss={"wisdom": 1})),
        ShortRest(characters=("brog",), rolled={"brog": (1, 1)}),
        override(condition="collapsed", player="Ann"),
        Damage(character="brog", amount=5, source="an ogre"),
    )
    drawn = rows(table)
    assert "player" not in drawn
    assert drawn["hit points"] == (Bar(0, 12),)
    assert drawn["condition"] == (Phrase("collapsed", "bad"),)
    assert drawn["open injury"] == (Phrase("strength and will saves against DC 23 (an ogre)", "bad"),)
    assert drawn["fatigue"] == (Marks(1),)
    assert drawn["wound marks"] == (Pips(1, 2),)
    assert drawn["wound 1"] == (
        Phrase("major, lost hand: one hand"),
        Phrase("until the referee says it is over", "faint"),
        Phrase("treated", "good"),
    )
    assert drawn["wound 2"] == (
        Phrase("minor, shallow cut: -2 to heavy physical tasks"),
        Phrase("until a long rest", "faint"),
        Phrase("not treated, may worsen", "bad"),
    )
    assert drawn["ability loss"] == (Phrase("1 wisdom", "bad"),)
    assert drawn["recovery marks"] == (Marks(1),)
    table.and_given(InjurySaves(character="brog", strength=0, will=0))
    assert rows(table)["open injury"] == (Phrase("death or a major wound (an ogre)", "bad"),)


def test_a_non_player_is_drawn_as_one_with_marks_held_against_hit_dice() -> None:
    drawn = rows(Given("osr", Enrol(character="ogre", hit_dice=3)), "ogre")
    assert drawn["level"] == (Phrase("1, 3 hit dice"), Phrase("non-player", "faint"))
    assert drawn["wound marks"] == (Pips(0, 3),)


def proposed(table: Given, action: type[Action], field: str, name: str | None = "brog") -> Any:
    return table.system.proposals(table.handler.state(), action, field, name)


def test_the_wounds_that_an_action_can_take_are_proposed() -> None:
    table = given(*MINOR, *MINOR, Treat(character="brog", wound=1))
    assert proposed(table, Treat, "wound") == ("2",)
    assert proposed(table, Worsen, "wound") == ("2",)
    assert proposed(table, RecoverWound, "wound") == ("1", "2")
    assert proposed(table, RecoverWound, "wound", None) is None
    assert proposed(table, RecoverWound, "why") is None


def test_the_fates_that_are_left_are_proposed() -> None:
    assert proposed(given(HIT, FAILED), ChooseFate, "fate") == ("death", "major_wound")
    assert proposed(given(HIT, FAILED, override(marks=2)), ChooseFate, "fate") == ("death",)
    assert proposed(given(HIT), InjurySaves, "until") == ("long rest",)


# -- as sentences ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "action", "sentence"),
    [
        ((HIT, FAILED), major(wound="lost hand"), "Brog lives with a major wound: lost hand (1 mark)."),
        (MINOR, Worsen(character="brog", wound=1, dc=18),
         "Brog's wound 1 (shallow cut) worsens: strength and will saves against DC 18."),
        (MINOR, RecoverWound(character="brog", wound=1, why="A potion."),
         "Brog recovers from wound 1 (shallow cut): A potion."),
        (MINOR, Treat(character="brog", wound=1), "Brog's wound 1 (shallow cut) is treated."),
        (MAJOR, DieOfWounds(character="brog"), "Brog dies of their wounds: the player's choice."),
    ],
)  # fmt: skip
def test_what_becomes_of_wounds_is_told_in_plain_sentences(
    before: tuple[Action, ...], action: Action, sentence: str
) -> None:
    assert "".join(given(*before).when(action).events[0].sentence()) == sentence
