"""Trials: what a table played under a ruling, weighed against what it would have played without (OSR 6.4, 6.9)."""

from typing import Any

import pytest

from domain.common.rulings import Ruling, RulingEnd
from domain.log.command_handler import CommandHandler
from domain.osr.hit_points import Enrol
from domain.osr.injuries import Damage, InjurySaves
from domain.osr.rests import NightRest, ShortRest
from domain.osr.wounds import RecoveryRoll
from domain.turn import Action
from projections.rule_history import remarks
from projections.trials import Evidence, evidence_of
from tests.kit.given import Given

BROG = Enrol(character="brog", level=2, rolled=(6, 6))
ADA = Enrol(character="ada", level=1, rolled=(6,))


def tried(*before: Action, rule: str, options: dict[str, Any], played: tuple[Action, ...]) -> Evidence:
    """The evidence of a trial of these options that was begun after some turns, and then played."""
    table = Given("osr", *before, Ruling(rule=rule, text="Tried.", trial=True, set=options), *played)
    (trial,) = remarks(table.log, None, table.log.last())
    return evidence_of(table.handler, trial, range(trial.turn + 1, table.log.last() + 1), None)


def rest(**more: Any) -> ShortRest:
    return ShortRest(**{"characters": ("brog",), **more})


KEEP = {"keep_higher": True}
TOGETHER = {"short_rest_together": True}
MARKS = {"minor_injuries": "recovery_marks"}


def test_6_4_without_the_ruling_the_kept_total_is_what_the_dice_say() -> None:
    kept = tried(BROG, rule="6.4", options=KEEP, played=(rest(keep=("brog",), rolled={"brog": (1, 1)}),))
    (turn,) = kept.differing
    assert turn.under == "Brog rolls (1) (1) but keeps 12 hit points. Brog's fatigue is now 1."
    assert turn.without == "Brog rolls 1 1 and has 2 hit points. Brog's fatigue is now 1."
    assert kept.sheets == {"brog": "hp 12, without it 2"}


def test_6_4_what_follows_from_the_kept_total_follows_from_the_dice_without_it() -> None:
    played = (rest(keep=("brog",), rolled={"brog": (1, 1)}), Damage(character="brog", amount=5))
    without = tried(BROG, rule="6.4", options=KEEP, played=played).differing
    assert [turn.turn for turn in without] == [4, 5]
    assert (
        without[1].without
        == "Brog is hit for 5 and loses the last 2 hit points: strength and will saves against DC 23."
    )


def test_6_4_without_resting_together_who_was_exempt_does_not_rest() -> None:
    resting = rest(exempt=("ada",), rolled={"brog": (3, 4)})
    (turn,) = tried(BROG, ADA, rule="6.4", options=TOGETHER, played=(resting,)).differing
    assert turn.under is not None and turn.under.endswith("Ada is exempt from the re-roll.")
    assert turn.without == "Brog rolls 3 4 and has 7 hit points. Brog's fatigue is now 1."


def test_6_4_without_resting_together_nobody_else_is_rolled_for() -> None:
    resting = rest(rolled={"brog": (3, 4), "ada": (2,)})
    both = tried(BROG, ADA, rule="6.4", options=TOGETHER, played=(resting,))
    assert both.differing[0].without == "Brog rolls 3 4 and has 7 hit points. Brog's fatigue is now 1."
    assert both.sheets == {"ada": "hp 2, without it 6; fatigue 1, without it 0"}


WOUND = InjurySaves(character="brog", strength=99, will=99, stat_loss={"wisdom": 2})
HIT = Damage(character="brog", amount=13)


def test_6_9_without_recovery_marks_it_is_the_same_wound_without_the_loss() -> None:
    wounded = tried(BROG, rule="6.9", options=MARKS, played=(HIT, WOUND))
    (turn,) = wounded.differing
    assert turn.under is not None
    assert turn.without == turn.under.replace(" Brog loses 2 wisdom. Brog has 1 recovery mark.", "") != turn.under
    assert wounded.sheets == {"brog": "ability_loss.wisdom 2, without it none; recovery_marks 1, without it 0"}


def test_6_9_what_would_not_be_legal_without_it_is_told_and_the_rest_goes_on() -> None:
    roll = RecoveryRoll(character="brog", ability="wisdom", improved=True)
    night = NightRest(characters=("brog",), rolled={"brog": (1, 2)})
    evidence = tried(BROG, rule="6.9", options=MARKS, played=(HIT, WOUND, night, roll, HIT))
    assert [turn.turn for turn in evidence.differing] == [5, 7]
    assert evidence.differing[1].without == (
        "not possible: There are no recovery marks here, unless a ruling brings them in (OSR 6.9)."
    )
    assert evidence.sheets == {"brog": "ability_loss.wisdom 2, without it none"}


def test_an_earlier_turn_is_weighed_with_the_ruling_as_it_was_played() -> None:
    earlier = tried(BROG, rest(rolled={"brog": (1, 1)}), rule="6.4", options=KEEP, played=()).earlier
    assert earlier == (), "nobody kept anything"


def test_a_trial_that_takes_a_choice_away_is_weighed_without_that_choice() -> None:
    table = Given(
        "osr",
        BROG,
        rest(keep=("brog",), rolled={"brog": (1, 1)}),
        Ruling(rule="6.4", text="Tried.", trial=True, set={"keep_higher": False}),
        options=KEEP,
    )
    (trial,) = remarks(table.log, None, table.log.last())
    (turn,) = evidence_of(table.handler, trial, (), None).earlier
    assert (turn.turn, turn.under) == (3, "Brog rolls 1 1 and has 2 hit points. Brog's fatigue is now 1.")
    assert turn.without is not None and "keeps 12" in turn.without


class Kept(dict[bytes, bytes]):
    """What was worked out, by its key."""

    find, keep = dict[bytes, bytes].get, dict[bytes, bytes].__setitem__


def kept_table() -> tuple[Given, Kept]:
    """Brog rests before a trial and under it."""
    ruling = Ruling(rule="6.4", text="Tried.", trial=True, set=KEEP)
    played = rest(keep=("brog",), rolled={"brog": (1, 1, 1)})
    return Given("osr", BROG, rest(rolled={"brog": (2, 2)}), ruling, played), Kept()


def weigh(table: Given, store: Kept | None, over: int | None = None) -> Evidence:
    (trial,) = remarks(table.log, None, table.log.last())[:1]
    return evidence_of(table.handler, trial, range(trial.turn + 1, table.log.last() + 1), over, store)


def test_what_was_worked_out_once_is_not_decided_again(monkeypatch: pytest.MonkeyPatch) -> None:
    table, store = kept_table()
    first = weigh(table, store)
    assert first == weigh(table, None) and first.differing
    monkeypatch.setattr(CommandHandler, "record", None)
    assert weigh(table, store) == first


def test_a_trial_that_is_over_is_not_weighed_again_for_later_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    table, store = kept_table()
    table.when(RulingEnd(ruling=1))
    first = weigh(table, store, over=6)
    table.when(rest(rolled={"brog": (6, 1, 1, 1)}))
    monkeypatch.setattr(CommandHandler, "record", None)
    assert weigh(table, store, over=6) == first


@pytest.mark.parametrize(
    "later",
    [
        {"type": "osr.damage", "character": "brog", "amount": 5},
        {"type": "undo", "turns": [5]},
        {"type": "amend", "turn": 5, "action": {"type": "osr.short_rest", "characters": ["brog"], "keep": ["brog"]}},
    ],
)
def test_another_turn_under_an_open_trial_is_weighed_too(later: dict[str, Any]) -> None:
    table, store = kept_table()
    before = weigh(table, store)
    table.when(later)
    assert weigh(table, store) == weigh(table, None) != before


def test_what_other_rules_decided_is_worked_out_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    table, store = kept_table()
    weigh(table, store)
    kept = len(store)
    monkeypatch.setattr(table.system, "version", table.system.version + 1)
    weigh(table, store)
    assert len(store) == 2 * kept


def test_what_is_kept_but_no_evidence_is_worked_out_anew() -> None:
    table, store = kept_table()
    first = weigh(table, store)
    for key in store:
        store[key] = b"\xc1"
    assert weigh(table, store) == first
