"""The longer run over secrets says what it did."""

import pytest

from tests.campaigns.secrecy import main


def test_the_run_prints_its_seed_and_its_count(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--count", "1", "--seed", "5"])
    assert capsys.readouterr().out.startswith("gloomhaven: seed 5, ")
