"""What the rules ask the player before something is done: each question, each answer, and when there is none."""

from typing import Any

from domain.osr.hit_points import Enrol
from domain.osr.injuries import Damage, InjurySaves
from domain.osr.wounds import Worsen
from tests.kit.given import Given
from tests.kit.interview import interview, interview_of_choice, quiet


def table(*more: Any, **options: Any) -> Given:
    return Given("osr", Enrol(character="brog", level=2, rolled=(5, 6)), *more, options=options)


# -- OSR 6.6 to 6.8: both saves, and the fate --------------------------------------------------------------


def saves(**fields: Any) -> dict[str, Any]:
    return {"type": "osr.injury_saves", "character": "brog", "strength": 40, **fields}


def test_both_saves_are_asked_for_when_somebody_is_injured() -> None:
    injured = table(Damage(character="brog", amount=20))
    (matter,) = injured.system.pending_for(injured.handler.state(), "brog")
    assert interview_of_choice(injured, matter.choices[0]).to_type == ("strength", "will")


def test_strength_alone_asks_for_the_will_save_or_to_fail_it_on_purpose() -> None:
    injured = table(Damage(character="brog", amount=20))
    assert interview(injured, saves(), "the total").to_type == ("will",)
    found = interview(injured, saves(), "fail it on purpose")
    assert found.questions[0][0] == "Brog's will save against DC 29?"
    assert found.actions == [saves(fail_will=True)]
    injured.when(saves(fail_will=True)).then_some().has("brog", condition="collapsed")


def test_nothing_is_asked_where_both_are_told_or_nobody_is_injured() -> None:
    quiet(table(Damage(character="brog", amount=20)), saves(will=12))
    quiet(table(), saves())


def test_the_fate_is_chosen_with_one_key() -> None:
    fallen = table(Damage(character="brog", amount=20), InjurySaves(character="brog", strength=1, will=40))
    (matter,) = fallen.system.pending_for(fallen.handler.state(), "brog")
    assert [way.says for way in matter.choices] == ["death", "major wound"]
    found = interview_of_choice(fallen, matter.choices[0])
    assert found.actions == [{"type": "osr.choose_fate", "character": "brog", "fate": "death"}]


def fate(**fields: Any) -> dict[str, Any]:
    return {"type": "osr.choose_fate", "character": "brog", "fate": "major_wound", **fields}


def test_a_major_wound_asks_what_it_is() -> None:
    fallen = table(Damage(character="brog", amount=20), InjurySaves(character="brog", strength=1, will=40))
    assert interview(fallen, fate(), "describe it").to_type == ("wound",)
    left_open = interview(fallen, fate(), "leave it open")
    assert left_open.questions == [("What is Brog's major wound?", ["describe it", "leave it open"])]
    assert left_open.actions == [fate()]
    quiet(fallen, fate(wound="a crushed hand"))
    quiet(fallen, {**fate(), "fate": "death"})
    quiet(table(), fate())


def test_a_wound_that_worsened_into_a_major_one_may_stay_what_it_was() -> None:
    bite = InjurySaves(character="brog", strength=40, will=40, wound="a bite")
    worse = Worsen(character="brog", dc=40)
    fallen = table(Damage(character="brog", amount=20), bite, worse, InjurySaves(character="brog", strength=1, will=40))
    assert interview(fallen, fate(), "it stays a bite").actions == [fate()]


# -- OSR 6.12: paying ------------------------------------------------------------------------------------


def hit(**fields: Any) -> dict[str, Any]:
    return {"type": "osr.bypassing_hit", "character": "brog", "dc": 20, **fields}


def test_a_hit_with_a_price_asks_whether_it_is_paid() -> None:
    found = interview(table(), hit(cost=5), "pay 5 hit points and have 6 left")
    assert found.actions == [hit(cost=5, sacrifice=True)]
    assert interview(table(), hit(attacker_level=1), "save against DC 20").actions == [hit(attacker_level=1)]


def test_it_does_not_ask_for_a_price_that_is_not_told_or_not_there() -> None:
    quiet(table(), hit())
    quiet(table(), hit(attacker_level=2))
    quiet(table(), hit(cost=5, sacrifice=True))


# -- OSR 6.4: the old total ------------------------------------------------------------------------------


def rest(**fields: Any) -> dict[str, Any]:
    return {"type": "osr.short_rest", "characters": ["brog"], **fields}


def test_a_lower_roll_asks_whether_the_old_total_is_kept_where_it_may_be() -> None:
    kept = table(keep_higher=True)
    found = interview(kept, rest(rolled={"brog": [1, 2]}), "Brog keeps 11")
    assert found.questions == [("Brog had 11 hit points and rolled 3.", ["take what was rolled", "Brog keeps 11"])]
    assert found.actions == [rest(rolled={"brog": [1, 2]}, keep=["brog"])]
    assert interview(kept, rest(rolled={"brog": [1, 2]}), "take").actions == [rest(rolled={"brog": [1, 2]})]


def test_dice_that_are_drawn_are_asked_about_when_they_have_fallen() -> None:
    kept = table(keep_higher=True)
    kept.when({"type": "override", "character": "brog", "set": {"hp": 12}, "why": "a feast"}).then_some()
    found = interview(kept, rest(), "Brog keeps 12")
    assert found.actions == [rest(keep=["brog"])]
    kept.when(found.actions[0]).then_some()
    kept.has("brog", hp=12, fatigue=1)


def test_nothing_is_asked_where_the_roll_is_higher_or_the_table_keeps_to_the_rule() -> None:
    quiet(table(), rest(rolled={"brog": [1, 2]}))
    quiet(table(keep_higher=True), rest(rolled={"brog": [6, 6]}))


# -- what is open at the end of the evening ----------------------------------------------------------------


CLOSE = {"type": "session.close"}


def test_a_session_with_an_open_injury_asks_before_it_closes() -> None:
    injured = table(Damage(character="brog", amount=20))
    injured.when({"type": "session.open"}).then_some()
    found = interview(injured, CLOSE, "close it")
    assert found.questions[0][0].startswith("The session closes with something open. Brog: Make the strength and will")
    assert found.actions == [CLOSE]
    assert interview(injured, CLOSE, "").to_type == ("strength", "will")


def test_a_session_with_nothing_open_just_closes() -> None:
    quiet_evening = table()
    quiet_evening.when({"type": "session.open"}).then_some()
    quiet(quiet_evening, CLOSE)
    quiet(table(Damage(character="brog", amount=20)), CLOSE)
