"""Whatever a command prints for one player tells nothing of what another player keeps secret."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from domain.registry import system_of

from ..kit.shell import Shell
from ..kit.subjects import Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests
from ..kit.twins import Twins, compared, written

COMPARISONS, SITES = 200, 2


def test_two_logs_that_differ_in_secrets_alone_print_the_same(
    subject: Subject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A longer run: `python -m tests.campaigns.secrecy --count 20000 --seed 3`."""
    if not system_of(subject.key).keeps_secrets:
        assert subject.otherwise is None
        return
    assert subject.otherwise is not None, f"{subject.key} keeps secrets; say how two tables differ in them alone"
    shell, chance, done = Shell(tmp_path, monkeypatch), Random(1), Counter[str]()
    while done.total() < COMPARISONS:
        for command, same in compared(shell, chance, subject):
            assert same, f"after {done.total()}: {' '.join(command)}"
            done[command[0]] += 1


def test_the_pages_for_one_player_tell_nothing_of_what_others_keep(
    subject: Subject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not system_of(subject.key).keeps_secrets:
        return
    shell, chance, done = Shell(tmp_path, monkeypatch), Random(7), 0
    while done < SITES:
        twins = Twins(chance, subject)
        if not twins.tell_apart:
            continue
        done += 1
        for viewer in (twins.viewer, "table"):
            sites = []
            for folder in written(twins, chance):
                with shell.at_home(folder):
                    site = f"{folder}-{viewer}-{done}"
                    shell.run("site", site, "--as", viewer, "-c", f"{folder}/table.campaign").ok()
                sites.append({path.relative_to(site): path.read_bytes() for path in Path(site).rglob("*.*")})
            assert sites[0] == sites[1], f"table {done}, as {viewer}"
