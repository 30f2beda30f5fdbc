"""How osr sheets look at the table: who cannot act, and why, is in sight."""

import pytest

from domain.system.rows import Phrase
from tests.kit.given import Given
from tests.osr.tables import osr_table


@pytest.mark.parametrize("condition", ["up", "collapsed", "dead"])
def test_who_cannot_act_says_why_and_whoever_can_says_nothing(condition: str) -> None:
    at: Given = osr_table().when({"type": "override", "character": "brog", "set": {"condition": condition}, "why": "x"})
    assert at.error is None, at.error
    state = at.scribe.state()
    assert at.system.fallen(state, "brog") == (None if condition == "up" else condition)
    told = [
        bit.text for line in at.system.brief(state, "brog", at.sheet("brog")) for bit in line if isinstance(bit, Phrase)
    ]
    assert [text for text in told if "collapsed" in text] == (["collapsed"] if condition == "collapsed" else [])
