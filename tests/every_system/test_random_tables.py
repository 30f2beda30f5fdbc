"""The random tables are no idle ones: what a revision has to cope with happens at many of them."""

from collections import Counter

from domain.registry import system_of, tag_of

from ..kit.subjects import Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests
from ..kit.tables import Chances, occurrences, revised

TABLES = 40
#: What happens at how many of the tables, at least.
OFTEN = {
    "a turn that speaks of others": 36,
    "a turn that comes out differently": 10,
    "a turn kept against the rules": 10,
    "a turn dropped": 10,
    "an undo that is undone": 10,
    "a turn amended into a ruling that counts from earlier": 10,
    "two turns that fold behind one": 10,
    "a turn told late": 24,
    "a turn told late that others come out differently by": 4,
    "a turn told late and undone": 6,
    "a turn moved": 6,
    "a turn that folds behind one told late": 8,
}


def test_what_a_revision_has_to_cope_with_happens_often(subject: Subject) -> None:
    happened = Counter[str]()
    for seed in range(TABLES):
        happened.update(what for what, times in occurrences(revised(Chances(seed), subject)).items() if times)
    seldom = {what: happened[what] for what, least in OFTEN.items() if happened[what] < least}
    assert not seldom, f"so few of each; let tests/kit/tables.py play them more often: {seldom}"


def test_every_action_happens_and_most_of_what_is_tried_is_legal(subject: Subject) -> None:
    """Some actions need a long story: tables are played until each has happened, up to a bound."""
    missing = {tag_of(kind) for kind in system_of(subject.key).actions}
    tried, done = 0, 0
    for seed in range(10 * TABLES):
        table = revised(Chances(seed), subject)
        tried += table.attempts
        done += table.log.last() - 1
        missing -= {tag_of(type(turn.action)) for turn in table.log.read()}
        if not missing:
            break
    advice = f"let `line` of tests/{subject.key}/subject.py ask for each of them"
    assert not missing, f"{advice}: {', '.join(sorted(missing))}"
    assert done > tried / 3
