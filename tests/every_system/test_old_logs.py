"""Campaign files written by earlier versions open, and tell every sheet and every turn as they did then.

Beside each file in `data/old_logs/` lie what `campaign log -O ndjson` and, for each turn, `campaign status --at`
answered when it was written. A sheet may have gained fields since; nothing that it had reads otherwise.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ..kit.recorded import old_logs_in
from ..kit.shell import Shell
from ..kit.subjects import Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path, monkeypatch)


def still_there(then: Any, now: Any, where: str) -> None:
    """Everything that was told then is told now."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key, value in then.items():
            assert key in now, f"{where}: {key} is gone"
            still_there(value, now[key], f"{where}.{key}")
    elif isinstance(then, list) and isinstance(now, list):
        assert len(then) == len(now), where
        for number, (each, of_now) in enumerate(zip(then, now, strict=True)):
            still_there(each, of_now, f"{where}[{number}]")
    else:
        assert then == now, where


def test_an_old_log_reads_as_it_did(old_log: Path, shell: Shell) -> None:
    path, name = old_log, old_log.name
    shutil.copy(path, shell.folder / name)
    told = [json.loads(line) for line in path.with_suffix(".log.ndjson").read_text("utf-8").splitlines()]
    now = shell.run("log", "-c", name, "-O", "ndjson").ok().rows()
    assert [each["sentence"] for each in now] == [each["sentence"] for each in told]
    for then, each in zip(told, now, strict=True):
        still_there(then, each, f"T{then['turn']}")
    sheets = [json.loads(line) for line in path.with_suffix(".sheets.ndjson").read_text("utf-8").splitlines()]
    assert len(sheets) == len(told)
    for number, then in enumerate(sheets, 1):
        still_there(then, shell.run("status", "-c", name, "--at", f"T{number}", "--json").ok().json(), f"at T{number}")


def test_every_rule_system_has_an_old_log(subject: Subject) -> None:
    assert old_logs_in(subject.data, subject.key)
