"""The osr sheet: one character's hit points, fatigue, wounds and marks, and the options of the rules."""

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct

from domain.system.decision import Decision
from domain.system.paragraphs import figures_of
from domain.system.state import Options, Sheet, State, Table
from domain.turn import LARGEST, Positive, Text

#: The numbers and words of the rules, each under its paragraph.
FIGURES = figures_of("osr")

#: The abilities are the table's. These are the usual ones: they are proposed, and drawn from.
ABILITIES = ("strength", "dexterity", "constitution", "intelligence", "wisdom", "charisma")
#: One word: letters, and what may stand between them.
Ability = Annotated[
    str, Meta(max_length=30, pattern=r"^[^\W\d_]+(['’-][^\W\d_]+)*$", description="a word of at most 30 letters")
]

#: Levels and hit dice.
HIGHEST_LEVEL = 100
#: The total of a save, or what it is held against.
Total = Annotated[int, Meta(ge=-LARGEST, le=LARGEST)]
#: Points of an ability score that are gone. The bound keeps every sum of them within a stored number.
Points = Annotated[int, Meta(ge=1, le=1_000_000)]
#: Strokes on a sheet.
Strokes = Annotated[int, Meta(ge=0, le=1_000_000)]
#: Points of fatigue; each is a die to roll, so that their number has to stay one that can be rolled.
Fatigue = Annotated[int, Meta(ge=0, le=1_000)]
WoundId = Positive
#: Faces as they were rolled. A face that no die has is for the rules to refuse.
Dice = tuple[int, ...]


class Injury(Struct, frozen=True, forbid_unknown_fields=True):
    """An injury that is not settled: `stage` says what it waits for."""

    dc: Total
    source: Text | None = None
    stage: Literal["saves", "fate"] = "saves"


class Wound(Struct, frozen=True, forbid_unknown_fields=True):
    """One wound. `until` says what ends it by itself; None: only the referee does."""

    id: WoundId
    severity: Literal["minor", "major"]
    what: Text
    effect: Text | None = None
    until: Text | None = None
    treated: bool = False


class OsrSheet(Sheet, frozen=True):
    """One character after some turn (OSR 6).

    `ability_loss` counts points gone, ability by ability. `non_player` is what the enrolment with hit dice
    of their own says for good; it decides whose minutes are the referee's and what marks are held against.
    The last three are what the rules remember between two turns.
    """

    player: Text | None
    level: int
    hit_dice: int
    hp: int
    fatigue: Fatigue = 0
    marks: Strokes = 0
    condition: Literal["up", "collapsed", "dead"] = "up"
    injury: Injury | None = None
    wounds: tuple[Wound, ...] = ()
    ability_loss: Mapping[Ability, Points] = {}
    recovery_marks: Strokes = 0
    #: "foe": on the other side, and no player's.
    side: Literal["foe"] | None = None
    non_player: bool = False
    #: A foe makes the saves of an injury as characters do; any other dies with its last hit point.
    saves: bool = False
    #: The wound whose worsening the latest injury was.
    worsening: WoundId | None = None
    #: A short rest since the collapse: whoever is down still is asked about.
    rested_down: bool = False
    #: How many recovery marks may be rolled for: those that were there at the latest rest and are still there.
    recovery_rolls: Strokes = 0


class OsrTable(Table, frozen=True):
    """The table as a whole: osr keeps nothing here."""


class OsrOptions(Options, frozen=True):
    """What the source leaves open, or what its tables played otherwise."""

    keep_higher: Annotated[
        bool,
        Meta(
            description="a player may keep the old total after a re-roll, which still costs fatigue",
            extra={"rule": "6.4"},
        ),
    ] = False
    short_rest_together: Annotated[
        bool,
        Meta(
            description="if one rests, every living character rests and re-rolls, except the exempt",
            extra={"rule": "6.4"},
        ),
    ] = False
    zero_is_injury: Annotated[
        bool,
        Meta(description="damage that leaves exactly 0 hit points calls for saves", extra={"rule": "6.6"}),
    ] = False
    save_meets_dc: Annotated[
        bool,
        Meta(description="a save total equal to the DC passes", extra={"rule": "6.6"}),
    ] = True
    minor_injuries: Annotated[
        Literal["referee", "recovery_marks"],
        Meta(
            description="what a minor wound does: what the referee says, or ability loss for a recovery mark as well",
            extra={"rule": "6.9"},
        ),
    ] = "referee"


OsrState = State[OsrSheet, OsrTable, OsrOptions]
OsrDecision = Decision[OsrSheet, OsrTable, OsrOptions]
