"""The longer run over somebody's own data says what it read, here over a few cards of that shape."""

from pathlib import Path

import pytest

from tests.campaigns.ghs import main
from tests.gloomhaven import test_ghs_data

FOLDER = Path(test_ghs_data.__file__).with_name("ghs")


def test_every_class_is_read_and_each_of_its_cards_performed(capsys: pytest.CaptureFixture[str]) -> None:
    main([str(FOLDER)])
    output = capsys.readouterr().out
    assert "lanternist: 10 cards" in output and "20 halves performed" in output
    assert "Lanternist: what moves its token" in output
