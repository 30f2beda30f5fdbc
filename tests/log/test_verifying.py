"""What is found in a log that somebody wrote into, one thing at a time."""

from typing import Any

import msgspec

from domain.common.notes import Note
from domain.common.revisions import Adopt
from domain.log.adopting import decide_adoption
from domain.log.effective_history import effective_history
from domain.log.hash_chain import beginning, links_of
from domain.log.port import MemoryLog
from domain.log.verifying import Redraws, check_links, turns_that_drew
from domain.registry import record_types
from domain.turn import TurnUndone
from tests.kit.given import Given
from tests.kit.soundness import findings
from tests.kit.tables import second_handler


def test_a_draw_that_agrees_with_its_facts_but_not_with_its_seed() -> None:
    """Somebody wrote a better roll, and the hit points that come of it."""
    table = Given("osr", seed=1).when({"type": "osr.enrol", "character": "brog", "level": 2})
    other = Given("osr", seed=5).when({"type": "osr.enrol", "character": "brog", "level": 2})
    mine, theirs = table.log.turns[1], other.log.turns[1]
    assert mine.events != theirs.events
    forged = msgspec.structs.replace(mine, events=theirs.events, chance=theirs.chance)
    (finding,) = findings("osr", [table.log.turns[0], forged])
    assert finding.sentence.startswith("T2 has dice or cards that its seed did not draw: ")


def test_an_action_that_the_rules_refuse() -> None:
    table = Given("osr").when({"type": "osr.enrol", "character": "brog", "rolled": [3]})
    table.when({"type": "osr.damage", "character": "brog", "amount": 1})
    turn = msgspec.structs.replace(
        table.log.turns[2], action=type(table.log.turns[2].action)(character="ada", amount=1)
    )
    (finding,) = findings("osr", [*table.log.turns[:2], turn])
    assert finding.turn == 3 and finding.sentence.startswith("T3 cannot be decided again: There is no character 'ada'")


def test_turns_of_an_older_version_of_the_rules_are_told_as_such() -> None:
    table = Given("osr").when({"type": "osr.enrol", "character": "brog", "rolled": [3]})
    first, second = table.log.turns
    started: Any = msgspec.structs.replace(first.events[0], version=1)
    turns = [msgspec.structs.replace(first, events=(started,)), msgspec.structs.replace(second, events=())]
    assert {finding.kind for finding in findings("osr", turns)} == {"older"}


def test_what_was_taken_back_and_drawn_again_is_told() -> None:
    table = Given("osr").when({"type": "osr.enrol", "character": "brog", "level": 2})
    table.when({"type": "undo"}).when({"type": "osr.enrol", "character": "brog", "level": 2})
    (note,) = Redraws().notes(turns_that_drew(table.log.turns, effective_history(table.log)))
    assert (note.turn, note.kind) == (4, "note") and note.sentence.startswith(
        "T2 was undone, and T4 did the same again"
    )


def test_links_that_are_missing_or_do_not_fit() -> None:
    turns = [(number, "note", bytes([number])) for number in range(1, 7)]
    links = list(links_of(beginning("c"), "c", turns))
    whole: list[Any] = [(*turn, link) for turn, link in zip(turns, links, strict=True)]

    def found(rows: list[Any]) -> list[str]:
        return [finding.sentence for finding in check_links(beginning("c"), "c", 0, rows)]

    assert found(whole) == []
    assert found([*whole[:2], (3, "note", b"forged", links[2]), *whole[3:]]) == [
        "T3 does not fit its link: it, or what lies before it, was changed."
    ]
    assert found([*whole[:2], *whole[4:]])[0] == "T3 to T4 are missing."
    assert found([*whole[:2], (*turns[2], None), *whole[3:]]) == ["T3 has no link."]
    assert found([*whole[:2], (3, "note", None, links[2]), *whole[3:]])[0].startswith("T3 is damaged")
    assert found([*whole[:5], ("last", "note", b"", None)]) == ["After T5 comes a turn that has no number."]


def test_an_adoption_that_names_other_turns_or_keeps_something_else() -> None:
    table = Given("osr").when({"type": "osr.enrol", "character": "brog", "rolled": [3]})
    line = second_handler(table).for_log(MemoryLog("osr", turns=list(table.log.turns)))
    line.record(Note(text="Rain."))
    table.log.append_all(decide_adoption(table.handler, line.log, "plan", 2).turns)
    *before, last = table.log.turns
    assert findings("osr", [*before, last]) == []
    for forged in (
        msgspec.structs.replace(last, action=Adopt(branch="plan", turns=(2,))),
        msgspec.structs.replace(last, action=Adopt(branch="plan", turns=())),
        msgspec.structs.replace(last, events=(record_types("osr").redecided(turn=3, events=(), kept=True),)),
        msgspec.structs.replace(last, events=(TurnUndone(3),)),
    ):
        (finding,) = findings("osr", [*before, forged])
        assert finding.sentence == "T4 does not follow: it does not say what was adopted."
