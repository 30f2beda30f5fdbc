"""An action is possible unless every value that it could have is refused."""

from collections.abc import Callable

import pytest

from cli.line.context import Context
from cli.line.trials import MOST_TRIALS, why_not
from domain.osr.hit_points import Enrol
from domain.osr.injuries import Damage
from domain.refusal import Invalid, Refusal
from domain.turn import Action
from tests.kit.given import Given
from tests.kit.lines import context


@pytest.fixture
def here() -> Context:
    return context(Given("osr", Enrol(character="Brog"), Enrol(character="Ada")))


def refused_unless(fits: Callable[[Action], bool], tried: list[Action]) -> Callable[[Action], str]:
    def preview_of(action: Action) -> str:
        tried.append(action)
        if not fits(action):
            raise Refusal("OSR 0", "No.")
        return "Yes."

    return preview_of


def test_it_is_possible_if_one_trial_is_not_refused(here: Context) -> None:
    tried: list[Action] = []
    assert why_not(here, Damage, ("Brog", "Ada"), refused_unless(lambda action: "Ada" in repr(action), tried)) is None
    assert tried[-1] == Damage(character="Ada", amount=1)


def test_it_is_not_if_all_are_refused(here: Context) -> None:
    tried: list[Action] = []
    refusal = why_not(here, Damage, ("Brog", "Ada"), refused_unless(lambda _: False, tried))
    assert str(refusal) == "No (OSR 0)."
    assert {action.character for action in tried if isinstance(action, Damage)} == {"Brog", "Ada"}


def test_a_trial_that_is_no_value_says_nothing_of_others(here: Context) -> None:
    def preview_of(action: Action) -> str:
        raise Invalid(f"{action} cannot be.")

    assert why_not(here, Damage, ("Brog",), preview_of) is None


def test_after_the_most_trials_it_is_taken_to_be_possible(here: Context) -> None:
    tried: list[Action] = []
    assert why_not(here, Damage, ("Brog",) * MOST_TRIALS, refused_unless(lambda _: False, tried)) is None
    assert len(tried) == MOST_TRIALS


def test_what_is_given_is_tried_with_nothing_else(here: Context) -> None:
    tried: list[Action] = []
    assert why_not(here, Damage, ("Brog",), refused_unless(lambda _: False, tried), {"amount": 3}) is not None
    assert tried == [Damage(character="Brog", amount=3)]
