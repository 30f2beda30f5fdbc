"""What is stored goes by names that never change: the tags of actions and events, and their fields.

`stored.txt` holds every name that was ever stored: beside the contract of a rule system its own, in `tests/kit`
those of all campaigns. Whoever adds an action, an event or a field adds its name there.
"""

from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec

from domain.registry import record_types, system_of, tag_of
from domain.system.rulesystem import check_system

from ..kit import given
from ..kit.subjects import Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests

COMMON = Path(given.__file__).with_name("stored.txt")


def stored_in(path: Path) -> dict[str, set[str]]:
    """Tag -> the names of its fields."""
    lines = [line.split() for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return {tag: set(fields) for tag, *fields in lines}


def known(subject: Subject) -> dict[str, type[Any]]:
    """Tag -> what it is decoded to: the closed table of one rule system."""
    record = record_types(subject.key)
    (events, _) = get_args(get_type_hints(record.turn)["events"])
    return {tag_of(kind): kind for kind in (*get_args(record.action), *get_args(events))}


def test_every_name_that_was_ever_stored_is_still_known(subject: Subject) -> None:
    kinds = known(subject)
    for tag, fields in {**stored_in(COMMON), **stored_in(subject.stored_names)}.items():
        assert tag in kinds, f"logs hold {tag}, which nothing reads any more: keep its type, or write an upcast"
        lost = fields - {field.encode_name for field in msgspec.structs.fields(kinds[tag])}
        assert not lost, f"logs hold these fields of {tag}, which it has lost: keep them, or write an upcast: {lost}"


def test_every_name_that_may_be_stored_is_on_the_list(subject: Subject) -> None:
    listed = {**stored_in(COMMON), **stored_in(subject.stored_names)}
    for tag, kind in known(subject).items():
        names = [field.encode_name for field in msgspec.structs.fields(kind)]
        assert set(names) <= listed.get(tag, set()), (
            f"what is stored keeps its name for ever; if this is the one, add to {subject.stored_names}:"
            f" {' '.join([tag, *names])}"
        )


def test_no_piece_of_the_rule_system_is_missing(subject: Subject) -> None:
    # one of a package of its own is checked whenever it is loaded
    assert check_system(system_of(subject.key)).key == subject.key
