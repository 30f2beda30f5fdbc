"""An action is possible unless every value that it could have is refused."""

from collections.abc import Callable

import pytest

from cli.line import trials
from cli.line.context import Context
from cli.line.trials import MOST_TRIALS, why_not
from domain.osr.hit_points import Enrol
from domain.osr.injuries import Damage
from domain.refusal import Invalid, Refusal
from domain.turn import Action
from tests.kit.given import Given
from tests.kit.lines import context

#: Makes rules that forbid all but what fits, and answers with the list of what is tried.
Forbid = Callable[[Callable[[Action], bool]], list[Action]]


@pytest.fixture
def here() -> Context:
    return context(Given("osr", Enrol(character="Brog"), Enrol(character="Ada")))


@pytest.fixture
def forbid_unless(monkeypatch: pytest.MonkeyPatch) -> Forbid:
    def forbid(fits: Callable[[Action], bool]) -> list[Action]:
        tried: list[Action] = []

        def decided(_: object, __: object, action: Action, *___: object) -> None:
            tried.append(action)
            if not fits(action):
                raise Refusal("OSR 0", "No.")

        monkeypatch.setattr(trials, "decide", decided)
        return tried

    return forbid


def test_it_is_possible_if_one_trial_is_not_refused(here: Context, forbid_unless: Forbid) -> None:
    tried = forbid_unless(lambda action: "Ada" in repr(action))
    assert why_not(here, Damage, ("Brog", "Ada")) is None
    assert tried[-1] == Damage(character="Ada", amount=1)


def test_it_is_not_if_all_are_refused(here: Context, forbid_unless: Forbid) -> None:
    tried = forbid_unless(lambda _: False)
    assert str(why_not(here, Damage, ("Brog", "Ada"))) == "No (OSR 0)."
    assert {action.character for action in tried if isinstance(action, Damage)} == {"Brog", "Ada"}


def test_a_trial_that_is_no_value_says_nothing_of_others(here: Context, forbid_unless: Forbid) -> None:
    def no_value(action: Action) -> bool:
        raise Invalid(f"{action} cannot be.")

    forbid_unless(no_value)
    assert why_not(here, Damage, ("Brog",)) is None


def test_after_the_most_trials_it_is_taken_to_be_possible(here: Context, forbid_unless: Forbid) -> None:
    tried = forbid_unless(lambda _: False)
    assert why_not(here, Damage, ("Brog",) * MOST_TRIALS) is None
    assert len(tried) == MOST_TRIALS


def test_what_is_given_is_tried_with_nothing_else(here: Context, forbid_unless: Forbid) -> None:
    tried = forbid_unless(lambda _: False)
    assert why_not(here, Damage, ("Brog",), {"amount": 3}) is not None
    assert tried == [Damage(character="Brog", amount=3)]
