"""A rule system's version says which rules decided a turn: no name that is stored and no rule changes without it."""

import msgspec

from domain.registry import system_of

from ..kit.subjects import Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests
from ..kit.versions import Version, differences, path_of


def test_nothing_changes_what_is_stored_or_decided_without_a_new_version(subject: Subject) -> None:
    recorded = msgspec.json.decode(path_of(subject).read_bytes(), type=Version)
    version = system_of(subject.key).version
    if recorded.version == version:
        changed = differences(recorded, subject)
        assert not changed, (
            f"{subject.key}: {'; '.join(changed)}, and its version is still {version}. Logs of version {version}"
            " would no longer verify. If this was meant: raise `version` in the rule system's class, then"
            " `python -m tests.record_version` and `python -m tests.record_examples`."
        )
    assert recorded.version == version, (
        f"The version of {subject.key} is {version}, and {path_of(subject).name} records version {recorded.version}:"
        " run `python -m tests.record_version`."
    )
