"""The osr example holds everything that the rules can do."""

from collections import Counter
from pathlib import Path

import data
from domain.common.revisions import Amend, Undo
from domain.common.rulings import Ruling
from domain.common.sheets import Override
from domain.registry import system_of, tag_of
from tests.kit.recordings import recordings_in


def test_the_osr_example_holds_what_the_rules_can_do() -> None:
    (recorded,) = recordings_in(Path(data.__path__[0]), "osr")
    log = recorded.replayed()
    tags = Counter(tag_of(type(turn.action)) for turn in log.turns)
    assert log.last() >= 80
    assert tags["session.open"] >= 3
    missing = {tag_of(action) for action in system_of("osr").actions} - set(tags)
    assert not missing, (
        f"the example never plays {', '.join(sorted(missing))}: add turns to"
        " data/examples/drowned-chapel/actions.ndjson, then python -m tests.record_examples"
    )
    assert {tag_of(kind) for kind in (Undo, Amend, Override, Ruling)} <= set(tags)
