"""Each benchmark runs, in its short form, and tells every row; what it measures is not asserted."""

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.campaigns import benchmark_lived, benchmark_table
from tests.campaigns.lived import BEFORE, EVENING, MONTH, lived, lived_under
from tests.kit.soundness import findings
from tests.kit.subjects import Subject, built_in

#: A few of the commands of each kind: each of them is several processes. Of those that are typed, one has a limit by
#: its ratio and one has none; under the rules that are left, players keep secrets.
SOME: dict[str, Any] = {
    "OTHERWISE": {"gloomhaven": benchmark_lived.OTHERWISE["gloomhaven"]},
    "TYPED": benchmark_lived.TYPED[:1] + benchmark_lived.TYPED[-1:],
    "READ_AFTER": benchmark_lived.READ_AFTER[-1:],
    "CORRECTED": benchmark_lived.CORRECTED[:1],
    "SEEN": benchmark_lived.SEEN[:1],
}
#: What a row begins with, and what its limit is told by where it has one.
ROWS: dict[ModuleType, tuple[Sequence[str], str]] = {
    benchmark_lived: (
        (
            "60: a view made for the first time",
            *(f"60: campaign {typed.format(session=1, early=30)}" for typed, _, _ in SOME["TYPED"]),
            "60: campaign amend T2",
            *(f"60: after it, campaign {line}" for line in SOME["READ_AFTER"]),
            *(
                f"{rules}, 60: campaign {typed.format(first=3, otherwise=otherwise)}"
                for rules, otherwise in SOME["OTHERWISE"].items()
                for typed, _ in SOME["CORRECTED"]
            ),
            *(f"gloomhaven, 60: campaign {typed.format(player='spell', middle=30)}" for typed, _ in SOME["SEEN"]),
            "60: the same on a terminal",
        ),
        "(limit ",
    ),
    benchmark_table: (("a keystroke, 60 turns", "a line done, 60 turns"), ""),
}


@pytest.mark.parametrize("measuring", ROWS, ids=lambda module: module.__name__.rpartition(".")[2])
def test_a_benchmark_tells_every_row(
    measuring: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for name, some in SOME.items():
        monkeypatch.setattr(benchmark_lived, name, some)
    measuring.main(["--turns", "60", "--rounds", "1"])
    output = capsys.readouterr().out
    rows, limit = ROWS[measuring]
    for label in rows:
        assert any(label in line and limit in line for line in output.splitlines()), label


@pytest.mark.parametrize("subject", built_in(), ids=repr)
def test_what_is_measured_is_decided_as_today(subject: Subject) -> None:
    """A log that no table could have played is no measure; `verify` would end with 5."""
    assert findings(subject.key, lived_under(subject, 300)) == []


def test_what_is_measured_follows_in_every_month() -> None:
    """The month that is told again and again finds the sheets that the first one found."""
    assert findings("osr", list(lived(BEFORE + MONTH + EVENING))) == []
