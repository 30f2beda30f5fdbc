"""OSR 6.9, 6.10 and 6.11: wounds, marks, and the recovery marks on trial."""

from typing import Any

import pytest

from domain.common.revisions import Amend, Undo
from domain.common.rulings import Ruling
from domain.common.sheets import Override
from domain.osr.hit_points import Enrol, LevelUp
from domain.osr.injuries import ChooseFate, Damage, InjurySaves
from domain.osr.rests import NightRest, ShortRest
from domain.osr.sheet import ABILITIES
from domain.osr.wounds import (
    AbilityScoreLost,
    DiedOfWounds,
    DieOfWounds,
    MajorWoundTaken,
    MinorWoundTaken,
    RecoverWound,
    RecoveryMarkErased,
    RecoveryMarkGained,
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
from tests.osr.tables import BROG, given, override

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


def test_6_9_a_minor_wound_is_a_shallow_cut_unless_the_referee_says_otherwise() -> None:
    given(HIT).when(passed()).then_some(
        MinorWoundTaken("brog", 1, "shallow cut", "-2 to heavy physical tasks", "long rest")
    ).has("brog", wounds=[wound(1)], marks=0, ability_loss={}, recovery_marks=0)


def test_6_9_the_referee_may_say_what_it_is_and_does_and_how_long() -> None:
    given(HIT).when(passed(wound="burn", effect="-1 to grips", until="a week")).has(
        "brog", wounds=[wound(1, what="burn", effect="-1 to grips", until="a week")]
    )


def test_6_9_what_a_shallow_cut_does_is_not_said_of_other_wounds() -> None:
    given(HIT).when(passed(wound="burn")).has("brog", wounds=[wound(1, what="burn", effect=None)])


def test_6_9_a_shallow_cut_may_do_something_else() -> None:
    given(HIT).when(passed(effect="bleeds")).has("brog", wounds=[wound(1, effect="bleeds")])


@pytest.mark.parametrize("field", ["wound", "effect", "until"])
def test_6_9_what_is_said_of_a_wound_is_not_empty(field: str) -> None:
    given(HIT).when({"type": "osr.injury_saves", "character": "brog", "strength": 9, "will": 9, field: ""}).invalid()


def test_6_9_a_short_rest_does_not_clear_it() -> None:
    given(*MINOR).when(ShortRest(characters=("brog",))).has("brog", wounds=[wound(1)])


def test_6_9_words_for_a_minor_wound_do_not_fit_a_failed_save_and_are_left_aside() -> None:
    given(HIT).when(InjurySaves(character="brog", strength=0, will=99, wound="burn")).has("brog", wounds=[])


def test_6_9_wounds_are_numbered_in_their_order() -> None:
    table = given(*MINOR, *MINOR)
    table.has("brog", wounds=[wound(1), wound(2)])


def test_6_9_numbers_are_never_given_out_again() -> None:
    table = given(*MINOR, RecoverWound(character="brog", wound=1), *MINOR)
    table.has("brog", wounds=[wound(2)])
    table.when(Undo(last=1)).and_given(passed()).has("brog", wounds=[wound(3)])


def test_6_9_each_character_counts_their_own_wounds() -> None:
    table = given(*MINOR, Enrol(character="ada", rolled=(1,)), Damage(character="ada", amount=9))
    table.and_given(InjurySaves(character="ada", strength=99, will=99)).has("ada", wounds=[wound(1)])


def test_6_9_a_name_enrolled_again_goes_on_counting() -> None:
    table = given(*MINOR)
    table.when(Undo(turns=(2, 3, 4))).and_given(Enrol(character="BROG", rolled=(1,)))
    table.and_given(Damage(character="brog", amount=9), passed())
    table.has("BROG", wounds=[wound(2)], marks=0, level=1)


def test_6_9_a_turn_decided_again_keeps_the_number_of_its_wound() -> None:
    table = given(*MINOR, *MINOR)
    table.when(Amend(turn=3, action={"type": "osr.damage", "character": "brog", "amount": 5}))
    table.has("brog", wounds=[wound(1), wound(2)])


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


@pytest.mark.parametrize("wounded", [MINOR, MAJOR])
def test_6_9_6_10_a_wound_can_be_treated(wounded: tuple[Action, ...]) -> None:
    table = given(*wounded).when(Treat(character="brog", wound=1))
    assert [type(event) for event in table.events] == [WoundTreated]
    assert table.sheet("brog")["wounds"][0]["treated"] is True


@pytest.mark.parametrize(("wounded", "rule"), [(MINOR, "OSR 6.9"), (MAJOR, "OSR 6.10")])
def test_6_9_6_10_a_treated_wound_needs_no_more_treatment(wounded: tuple[Action, ...], rule: str) -> None:
    table = given(*wounded, Treat(character="brog", wound=1))
    with unchanged(table):
        table.when(Treat(character="brog", wound=1)).refused(rule, "treated already")


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


def test_6_9_the_referee_may_say_that_a_wound_is_over() -> None:
    given(*MINOR).when(RecoverWound(character="brog", wound=1, why="a potion")).then(
        WoundRecovered("brog", 1, "shallow cut", "a potion")
    ).has("brog", wounds=[])


def test_6_11_the_mark_of_a_recovered_wound_stays() -> None:
    table = given(HIT, FAILED, major(ability_loss={"wisdom": 1}))
    table.when(RecoverWound(character="brog", wound=1)).has("brog", wounds=[], marks=1, ability_loss={"wisdom": 1})


# -- 6.10: major wounds ----------------------------------------------------------------------------------


def test_6_10_a_major_wound_is_what_the_referee_says() -> None:
    given(HIT, FAILED).when(
        major(wound="lost hand", effect="one hand", ability_loss={"dexterity": 2, "strength": 1})
    ).then(
        MajorWoundTaken("brog", 1, "lost hand", "one hand", 1),
        AbilityScoreLost("brog", {"dexterity": 2, "strength": 1}, {"dexterity": 2, "strength": 1}),
    ).has(
        "brog",
        wounds=[wound(1, severity="major", what="lost hand", effect="one hand", until=None)],
        ability_loss={"strength": 1, "dexterity": 2},
        marks=1,
    )


def test_6_10_a_major_wound_may_cost_no_ability() -> None:
    given(HIT, FAILED).when(major(ability_loss={})).quiet_about(AbilityScoreLost).has("brog", ability_loss={})


def test_6_10_losses_of_one_ability_add_up() -> None:
    table = given(HIT, FAILED, major(ability_loss={"wisdom": 2}), HIT, FAILED)
    table.when(major(ability_loss={"wisdom": 1, "charisma": 1})).then_some(
        AbilityScoreLost("brog", {"wisdom": 1, "charisma": 1}, {"wisdom": 3, "charisma": 1})
    ).has("brog", ability_loss={"wisdom": 3, "charisma": 1}, marks=2)


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


@pytest.mark.parametrize("wounded", [MINOR, MAJOR])
def test_6_10_any_untreated_wound_can_worsen(wounded: tuple[Action, ...]) -> None:
    table = given(*wounded)
    what = table.sheet("brog")["wounds"][0]["what"]
    table.when(Worsen(character="brog", wound=1, dc=18)).then(WoundWorsened("brog", 1, what, 18))
    table.has("brog", injury={"dc": 18, "source": what, "stage": "saves"}, hp=0)
    assert len(table.sheet("brog")["wounds"]) == 1
    table.and_given(passed())
    assert len(table.sheet("brog")["wounds"]) == 2


@pytest.mark.parametrize("wounded", [MINOR, MAJOR])
def test_6_10_a_treated_wound_cannot_worsen(wounded: tuple[Action, ...]) -> None:
    given(*wounded, Treat(character="brog", wound=1)).when(Worsen(character="brog", wound=1, dc=18)).refused(
        "OSR 6.10", "cannot worsen"
    )


def test_6_10_the_player_may_let_the_character_die_of_a_major_wound() -> None:
    given(*MAJOR).when(DieOfWounds(character="brog")).then(DiedOfWounds("brog")).has("brog", condition="dead")


def test_6_10_also_of_a_treated_one() -> None:
    given(*MAJOR, Treat(character="brog", wound=1)).when(DieOfWounds(character="brog")).has("brog", condition="dead")


@pytest.mark.parametrize("before", [(), MINOR, (*MAJOR, RecoverWound(character="brog", wound=1))])
def test_6_10_nobody_dies_of_wounds_without_a_major_one(before: tuple[Action, ...]) -> None:
    table = given(*before)
    with unchanged(table):
        table.when(DieOfWounds(character="brog")).refused("OSR 6.10", "no major wound")


# -- 6.11: marks -----------------------------------------------------------------------------------------


def test_6_11_as_many_marks_as_levels_make_a_failed_strength_save_death() -> None:
    table = given(*MAJOR, *MAJOR).has("brog", marks=2)
    table.and_given(HIT, FAILED).has("brog", condition="dead", injury=None, marks=2)
    table.when(major()).refused("OSR 6.11", "Brog cannot take a major wound: 2 marks at level 2.")


def test_6_11_a_level_gained_opens_the_choice_again() -> None:
    given(*MAJOR, *MAJOR, LevelUp(character="brog"), HIT, FAILED).when(major()).has("brog", marks=3, condition="up")


def test_6_11_the_choice_is_closed_whatever_raised_the_marks() -> None:
    table = given(HIT, FAILED, override(marks=2))
    table.when(major()).refused("OSR 6.11", "2 marks at level 2")
    table.when(ChooseFate(character="brog", fate="death")).has("brog", condition="dead")


def test_6_11_more_marks_than_levels_close_it_too() -> None:
    given(override(marks=5), HIT).when(FAILED).has("brog", condition="dead")


def test_6_11_a_passed_strength_save_does_not_ask_for_marks() -> None:
    given(override(marks=2), HIT).when(passed()).has("brog", condition="up", marks=2)


def test_6_11_marks_of_a_non_player_are_held_against_hit_dice() -> None:
    def ogre(marks: int) -> Given:
        return Given(
            "osr",
            Enrol(character="ogre", hit_dice=3, rolled=(1, 1, 1)),
            Override(character="ogre", set={"marks": marks}, why="old scars"),
            Damage(character="ogre", amount=9),
            InjurySaves(character="ogre", strength=0, will=99),
        )

    ogre(2).when(ChooseFate(character="ogre", fate="major_wound")).has("ogre", marks=3)
    ogre(3).has("ogre", condition="dead").when(ChooseFate(character="ogre", fate="major_wound")).refused(
        "OSR 6.11", "3 marks at 3 hit dice"
    )


# -- 6.9: recovery marks, on trial -----------------------------------------------------------------------


def test_6_9_on_trial_a_minor_wound_costs_ability_and_gives_a_recovery_mark() -> None:
    trial(HIT).when(passed(stat_loss={"wisdom": 2})).then_some(
        AbilityScoreLost("brog", {"wisdom": 2}, {"wisdom": 2}), RecoveryMarkGained("brog", 1)
    ).has("brog", ability_loss={"wisdom": 2}, recovery_marks=1, wounds=[wound(1)])


def test_6_9_on_trial_the_loss_is_drawn_when_nobody_gives_it() -> None:
    table = trial(HIT).when(passed())
    (loss,) = [event for event in table.events if isinstance(event, AbilityScoreLost)]
    assert loss.drawn
    ((ability, points),) = loss.lost.items()
    assert ability in ABILITIES
    assert points == 1
    table.has("brog", ability_loss={ability: 1}, recovery_marks=1)


def test_6_9_on_trial_every_ability_can_be_drawn() -> None:
    lost = set()
    for seed in range(60):
        table = Given("osr", BROG, HIT, passed(), options={"minor_injuries": "recovery_marks"}, seed=seed)
        lost |= set(table.sheet("brog")["ability_loss"])
    assert lost == set(ABILITIES)


def test_6_9_on_trial_a_failed_strength_save_costs_nothing_of_it() -> None:
    trial(HIT).when(FAILED).quiet_about(AbilityScoreLost, RecoveryMarkGained).has("brog", recovery_marks=0)


def test_6_9_a_stat_loss_is_refused_where_the_referee_says_what_a_wound_does() -> None:
    table = given(HIT)
    with unchanged(table):
        table.when(passed(stat_loss={"wisdom": 1})).refused("OSR 6.9", "recovery_marks")
    given(HIT).when(passed()).quiet_about(AbilityScoreLost, RecoveryMarkGained)


@pytest.mark.parametrize("loss", [{}, {"Wisdom": 1}, {"wisdom": 0}])
def test_6_9_on_trial_a_stat_loss_names_an_ability_and_a_point_at_least(loss: object) -> None:
    trial(HIT).when(
        {"type": "osr.injury_saves", "character": "brog", "strength": 99, "will": 9, "stat_loss": loss}
    ).invalid()


def test_6_9_on_trial_a_recovery_mark_is_erased_for_an_improvement_roll() -> None:
    trial(HIT, passed(stat_loss={"wisdom": 1}), REST).when(
        RecoveryRoll(character="brog", ability="wisdom", improved=True)
    ).then(RecoveryMarkErased("brog", "wisdom", True, 0)).has("brog", recovery_marks=0, ability_loss={"wisdom": 1})


def test_6_9_on_trial_no_roll_without_a_recovery_mark() -> None:
    trial().when(RecoveryRoll(character="brog", ability="wisdom", improved=False)).refused(
        "OSR 6.9", "no recovery mark"
    )


def roll(**more: Any) -> RecoveryRoll:
    return RecoveryRoll(character="brog", ability="wisdom", improved=True, **more)


@pytest.mark.parametrize("rest", [REST, ShortRest(characters=("brog",), rerolls=()), NightRest(characters=("brog",))])
def test_6_9_a_recovery_roll_belongs_to_a_rest_after_the_mark_was_gained(rest: Action) -> None:
    hurt = (HIT, passed(stat_loss={"wisdom": 1}))
    trial(*hurt).when(roll()).refused("OSR 6.9", "at a rest")
    trial(rest, *hurt).when(roll()).refused("OSR 6.9", "at a rest")
    trial(*hurt, rest).when(roll()).has("brog", recovery_marks=0)


def test_6_9_a_rest_brings_as_many_recovery_rolls_as_there_were_marks_when_it_began() -> None:
    twice = trial(HIT, passed(), HIT, passed(), REST, roll())
    twice.when(roll()).has("brog", recovery_marks=0)
    twice.when(roll()).refused("OSR 6.9", "no recovery mark")


def test_6_9_a_mark_gained_after_the_rest_waits_for_the_next_one() -> None:
    later = trial(HIT, passed(), REST, HIT, passed(), roll()).has("brog", recovery_marks=1)
    later.when(roll()).refused("OSR 6.9", "after the last rest")
    later.and_given(REST).when(roll()).has("brog", recovery_marks=0)


def test_6_9_marks_that_were_not_rolled_for_can_be_at_the_next_rest() -> None:
    trial(HIT, passed(), REST, HIT, passed(), REST, roll()).when(roll()).has("brog", recovery_marks=0)


def test_6_9_taking_the_rest_back_takes_the_recovery_roll_with_it() -> None:
    trial(HIT, passed(), REST, roll()).when(Undo(turns=(5,))).conflicts(6)


def test_6_9_the_die_of_a_recovery_roll_is_on_record_as_reported() -> None:
    turn = trial(HIT, passed(), REST).when(roll(rolled=17)).outcome.turn  # type: ignore[union-attr]
    assert turn.chance["brog/improvement roll"] == Drawn((17,), 1, "brog", "improvement roll")
    assert not trial(HIT, passed(), REST).when(roll()).outcome.turn.chance  # type: ignore[union-attr]


def test_6_9_no_recovery_roll_unless_on_trial() -> None:
    given(override(recovery_marks=1)).when(RecoveryRoll(character="brog", ability="wisdom", improved=False)).refused(
        "OSR 6.9", "minor_injuries"
    )


@pytest.mark.parametrize(
    "more", [{"ability": "strengt", "improved": True}, {"ability": "wisdom"}, {"ability": "wisdom", "improved": 1}]
)
def test_6_9_a_recovery_roll_says_for_which_ability_and_how_it_went(more: dict[str, Any]) -> None:
    trial(override(recovery_marks=1)).when({"type": "osr.recovery_roll", "character": "brog", **more}).invalid()


def test_6_9_a_ruling_begins_the_trial_and_a_later_one_ends_it() -> None:
    begin = Ruling(rule="6.9", text="Try it.", trial=True, set={"minor_injuries": "recovery_marks"})
    table = given(begin, HIT, passed(stat_loss={"wisdom": 1}))
    table.and_given(Ruling(rule="6.9", text="Enough.", set={"minor_injuries": "referee"}), HIT, passed())
    table.has("brog", recovery_marks=1, ability_loss={"wisdom": 1})


# -- abilities are the table's ---------------------------------------------------------------------------


def test_6_10_any_word_is_an_ability_the_usual_ones_first() -> None:
    table = given(HIT, FAILED).when(major(ability_loss={"Mut": 2, "O’Luck": 1, "wisdom": 1}))
    table.has("brog", ability_loss={"wisdom": 1, "Mut": 2, "O’Luck": 1})
    assert list(table.sheet("brog")["ability_loss"]) == ["wisdom", "Mut", "O’Luck"]


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


def test_6_10_the_next_injury_knows_nothing_of_a_wound_that_worsened_before() -> None:
    table = given(HIT, passed(wound="bite"), Worsen(character="brog", dc=22), passed(), HIT)
    table.when(passed()).then_some(MinorWoundTaken("brog", 3, "shallow cut", "-2 to heavy physical tasks", "long rest"))


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
