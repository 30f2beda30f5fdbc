"""Whatever is changed behind the back of a campaign is found by `verify`; by SQLite's own check it is not."""

import random
from pathlib import Path

import pytest

from domain.log.hash_chain import Seal
from tests.campaigns import tampering
from tests.campaigns.tampering import WAYS, forge, found_in, played
from tests.kit.elsewhere import move_home


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("whole") / "whole.campaign"


@pytest.fixture(scope="module")
def seal(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Seal:
    with pytest.MonkeyPatch.context() as patch:
        move_home(patch, tmp_path_factory.mktemp("cache"))
        return played(whole)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    move_home(monkeypatch, tmp_path / "cache")


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_it_is_found(tmp_path: Path, whole: Path, seal: Seal, way: object) -> None:
    assert not found_in(whole, seal)
    chance = random.Random(way.__name__)  # type: ignore[attr-defined]
    for _ in range(3):
        found, by_sqlite = forge(tmp_path, whole, seal, way, chance)  # type: ignore[arg-type]
        assert found and not by_sqlite


def test_the_longer_run_tells_its_seed_and_its_counts(capsys: pytest.CaptureFixture[str]) -> None:
    tampering.main(["--rounds", "10", "--seed", "3"])
    output = capsys.readouterr().out
    assert output.startswith("seed 3: ") and "control: integrity_check found" in output
