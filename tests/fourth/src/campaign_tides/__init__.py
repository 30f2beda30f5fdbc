"""Tides: sailors, their lanterns, and a port that each keeps to themselves. A rule system as a package of its own.

`pyproject.toml` names the class; `data/` lies beside this file, and the tests beside the package.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from campaign_log.rules import Phrase, Pips, Row, RuleSystem, TableState, called, refuse_unless

from campaign_tides import lanterns, sailing, sailors
from campaign_tides.sheet import Sailor, TidesDecision, TidesOptions, TidesState


class Tides(RuleSystem):
    """Lanterns, and ports that are kept secret."""

    key, cite, version = "tides", "TD", 1
    chapters = (sailors, lanterns, sailing)
    sheet, table, options = Sailor, TableState, TidesOptions
    vital = ("oil", "measures of oil")

    def to_view(self, state: TidesState, name: str) -> dict[str, Any]:
        return dict(msgspec.to_builtins(state.characters[name]))

    def audit(self, decision: TidesDecision, name: str, overridden: Mapping[str, Any]) -> None:
        """A lantern without oil is out."""
        sheet = decision.sheet(name)
        refuse_unless(sheet.oil or not sheet.lit, "TD 3", f"{called(name)}'s lantern cannot be lit without oil.")

    def rows(self, state: TidesState, name: str, view: dict[str, Any]) -> Sequence[Row]:
        lantern = Phrase("lit", "good") if view["lit"] else Phrase("out", "bad")
        return [
            ("lantern", (lantern, Pips(min(view["oil"], 9), 9))),
            ("miles", (Phrase(str(view["miles"])),)),
            ("port", (Phrase(view["port"] or "–"),)),
        ]
