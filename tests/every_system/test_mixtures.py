"""Random mixtures of verbs, names and values in any order lose none of their words (`tests.kit.mixtures`)."""

from collections import Counter

from ..kit.mixtures import lost_word, mixture
from ..kit.subjects import Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests
from ..kit.tables import Chances, fresh

TABLES, LINES = 6, 150


def test_no_mixture_records_a_turn_that_leaves_out_a_word(subject: Subject) -> None:
    seen: Counter[str] = Counter()
    for seed in range(TABLES):
        chance = Chances(seed)
        table = fresh(chance, subject)
        for _ in range(LINES):
            line = mixture(chance, table)
            word = lost_word(table, line, seen)
            assert word is None, f"{line}: {word!r} is lost"
    assert seen["recorded"] > LINES / 5, seen
