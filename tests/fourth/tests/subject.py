"""tides in the suite that every rule system has to pass."""

from pathlib import Path
from random import Random

from campaign_log.suite.kit.given import Given
from campaign_log.suite.kit.subjects import Line, Subject

import campaign_tides

NAMES = ("brog", "ada", "spell")
PORTS = ("Nowhere", "the bar", "Skerry", "the last quay")


def line(chance: Random, table: Given) -> Line:
    """Something that might be done under tides."""
    sheets = table.handler.state().characters
    absent = [name for name in NAMES if name not in sheets]
    if absent and chance.random() < (0.9 if len(absent) == len(NAMES) else 0.3):
        return {"type": "tides.enrol", "character": absent[0], "player": absent[0], "port": chance.choice(PORTS)}
    name = chance.choice(NAMES)
    about = {"character": name}
    return chance.choice(
        (
            {"type": "tides.sail", **about},
            {"type": "tides.sail", **about, "rolled": [chance.randint(1, 6)]},
            {"type": "tides.douse", **about},
            {"type": "tides.light", **about},
            {"type": "tides.fill", **about, "measures": chance.randint(1, 6)},
            {"type": "tides.steer", **about, "port": chance.choice(PORTS)},
            {"type": "override", **about, "set": {"oil": chance.randint(0, 9)}, "why": "so says the referee"},
        )
    )  # fmt: skip


def sound(table: Given) -> None:
    """Nobody's lantern burns without oil."""
    for sheet in table.handler.state().characters.values():
        assert sheet.oil or not sheet.lit


def otherwise(chance: Random, _: Given, line: Line) -> Line:
    """The same, with another port."""
    return {**line, "port": chance.choice(PORTS)} if "port" in line else line


#: Each verb once, as it is filled in.
EVENING = (
    ("enrol", {"character": "Brog", "player": "Mia", "oil": "4", "port": "Skerry"}),
    ("enrol", {"character": "Ada", "oil": "2"}),
    ("sail", {"character": "Brog", "rolled": "5"}),
    ("douse", {"character": "Brog"}),
    ("light", {"character": "Brog"}),
    ("fill", {"character": "Ada", "measures": "3"}),
    ("steer", {"character": "Brog", "port": "the last quay"}),
)
SUBJECT = Subject(
    key="tides",
    line=line,
    stored_names=Path(__file__).with_name("stored.txt"),
    paragraphs=("1", "2", "3", "4", "5"),
    options={"lantern_shows_the_way": ("4", (True, False)), "sail_in_the_dark": ("4", (True, False))},
    sound=sound,
    viewer="spell",
    otherwise=otherwise,
    evening=EVENING,
    contract=Path(__file__).with_name("contract.txt"),
    data=Path(campaign_tides.__file__).with_name("data"),
)
