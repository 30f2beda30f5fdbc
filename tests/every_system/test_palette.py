"""Each verb of a rule system, from the empty line to a recorded turn, by the palette and the slots alone.

What is filled in are the evenings that the subjects bring: whatever a form asks for, a slot asks for by name.
"""

import tomllib
from pathlib import Path

import pytest

from cli.line.understanding import Understood
from cli.recording.steps import TurnsRecorded
from domain.registry import action_from, system_of, verb_name

from ..kit.palette import OF_A_FILE, walk
from ..kit.shell import Shell
from ..kit.subjects import Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests
from ..kit.typed import Typed, sitting


def test_each_verb_is_reached_by_palette_and_slots_alone(
    subject: Subject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = {verb_name(kind) for kind in system_of(subject.key).actions if kind.has_verb}
    missing = own - {verb for verb, _ in subject.evening}
    assert not missing, f"fill each of these in, in tests/{subject.key}/evening.py: {sorted(missing)}"
    shell = Shell(tmp_path, monkeypatch)
    shell.do(f"new Table --rules {subject.key}")
    with sitting(shell) as table:
        typed = Typed(table)
        for verb, values in subject.evening:
            if verb in OF_A_FILE:
                action = action_from(
                    subject.key, {"type": f"{subject.key}.{verb}", "data": tomllib.loads(values["data"])}
                )
                assert isinstance(table.conversation.do(Understood((action,))), TurnsRecorded)
            else:
                walk(typed, verb, values)
