"""Campaign files written by earlier versions open, and tell every sheet and every turn as they did then.

Beside each file in `data/old_logs/` lie what `campaign log -O ndjson` and, for each turn, `campaign status --at`
answered when it was written. A sheet may have gained fields since; nothing that it had reads otherwise.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import data
from tests.kit.shell import Shell

OLD = sorted((Path(data.__path__[0]) / "old_logs").glob("*/*.campaign"))


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path, monkeypatch)


def still_there(then: Any, now: Any, where: str) -> None:
    """Everything that was told then is told now."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key, value in then.items():
            assert key in now, f"{where}: {key} is gone"
            still_there(value, now[key], f"{where}.{key}")
    else:
        assert then == now, where


@pytest.mark.parametrize("path", OLD, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_an_old_log_reads_as_it_did(path: Path, table: Shell) -> None:
    name = path.name
    shutil.copy(path, table.folder / name)
    told = [json.loads(line) for line in path.with_suffix(".log.ndjson").read_text("utf-8").splitlines()]
    now = table.run("log", "-c", name, "-O", "ndjson").ok().rows()
    assert [each["sentence"] for each in now] == [each["sentence"] for each in told]
    for then, each in zip(told, now, strict=True):
        still_there(then, each, f"T{then['turn']}")
    sheets = [json.loads(line) for line in path.with_suffix(".sheets.ndjson").read_text("utf-8").splitlines()]
    assert len(sheets) == len(told)
    for number, then in enumerate(sheets, 1):
        still_there(then, table.run("status", "-c", name, "--at", f"T{number}", "--json").ok().json(), f"at T{number}")


def test_every_rule_system_has_an_old_log() -> None:
    from domain.system.registry import SYSTEMS

    rules = {
        json.loads(path.with_suffix(".sheets.ndjson").read_text("utf-8").split("\n")[0])["campaign"]["rules"]
        for path in OLD
    }
    assert rules == set(SYSTEMS)
