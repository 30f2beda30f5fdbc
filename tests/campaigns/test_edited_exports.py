"""The short form of a longer run: edited exports are refused, whatever version of the rules their log began under."""

import pytest

from tests.campaigns.edited_exports import main


def test_edited_exports_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--rounds", "15", "--seed", "7"]) == 0
    assert " refused; control: " in capsys.readouterr().out
