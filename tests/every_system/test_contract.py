"""The contract of every rule system, a test for each table of the `contract.txt` that a subject brings."""

from collections.abc import Mapping

from ..kit.contract import Scenario, run
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests


def test_the_contract(scenario: tuple[str, Mapping[str, Scenario], str]) -> None:
    run(*scenario)
