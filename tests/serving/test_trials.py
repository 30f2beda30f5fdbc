"""An action is possible unless every value that it could have is refused."""

from collections.abc import Callable

import pytest

from cli.recording.audience import Audience
from cli.serving.trials import MOST_TRIALS, is_possible
from domain.osr.hit_points import Enrol
from domain.osr.injuries import Damage
from domain.refusal import Invalid, Refusal
from domain.turn import Action
from tests.kit.given import Given


@pytest.fixture
def audience() -> Audience:
    table = Given("osr", Enrol(character="Brog"), Enrol(character="Ada"))
    return Audience(table.log, table.system, table.handler.state, viewer="Mia", keeper=True)


def refused_unless(fits: Callable[[Action], bool], tried: list[Action]) -> Callable[[Action], str]:
    def preview_of(action: Action) -> str:
        tried.append(action)
        if not fits(action):
            raise Refusal("OSR 0", "No.")
        return "Yes."

    return preview_of


def test_it_is_possible_if_one_trial_is_not_refused(audience: Audience) -> None:
    tried: list[Action] = []
    assert is_possible(Damage, ("Brog", "Ada"), audience, refused_unless(lambda action: "Ada" in repr(action), tried))
    assert tried[-1] == Damage(character="Ada", amount=1)


def test_it_is_not_if_all_are_refused(audience: Audience) -> None:
    tried: list[Action] = []
    assert not is_possible(Damage, ("Brog", "Ada"), audience, refused_unless(lambda _: False, tried))
    assert {action.character for action in tried if isinstance(action, Damage)} == {"Brog", "Ada"}


def test_a_trial_that_is_no_value_says_nothing_of_others(audience: Audience) -> None:
    def preview_of(action: Action) -> str:
        raise Invalid(f"{action} cannot be.")

    assert is_possible(Damage, ("Brog",), audience, preview_of)


def test_after_the_most_trials_it_is_taken_to_be_possible(audience: Audience) -> None:
    tried: list[Action] = []
    assert is_possible(Damage, ("Brog",) * MOST_TRIALS, audience, refused_unless(lambda _: False, tried))
    assert len(tried) == MOST_TRIALS
