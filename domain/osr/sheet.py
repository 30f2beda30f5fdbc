"""The osr sheet: one character's hit points, fatigue, wounds and marks, and the options of the rules."""

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct

from domain.system.decision import Decision
from domain.system.paragraphs import figures_of
from domain.system.state import Options, Sheet, State, TableState, option
from domain.turn import LARGEST, Positive, Text

#: The numbers and words of the rules, by paragraph.
FIGURES = figures_of("osr")

#: The usual abilities, which are proposed and drawn from; the table may use others.
ABILITIES = ("strength", "dexterity", "constitution", "intelligence", "wisdom", "charisma")
#: One word of letters, with apostrophes or hyphens between them.
Ability = Annotated[
    str, Meta(max_length=30, pattern=r"^[^\W\d_]+(['’-][^\W\d_]+)*$", description="a word of at most 30 letters")
]

#: Levels and hit dice.
HIGHEST_LEVEL = 100
#: The total of a save, or its DC.
Total = Annotated[int, Meta(ge=-LARGEST, le=LARGEST)]
#: Lost points of an ability score, bounded so that their sum can be stored.
Points = Annotated[int, Meta(ge=1, le=1_000_000)]
#: A number of marks.
Strokes = Annotated[int, Meta(ge=0, le=1_000_000)]
#: Points of fatigue, bounded because each adds a die to a roll.
Fatigue = Annotated[int, Meta(ge=0, le=1_000)]
WoundId = Positive
#: Rolled faces; the rules refuse those that no die has.
Dice = tuple[int, ...]


class Injury(Struct, frozen=True, forbid_unknown_fields=True):
    """An open injury; `stage` is the next step."""

    dc: Total
    source: Text | None = None
    stage: Literal["saves", "fate"] = "saves"


class Wound(Struct, frozen=True, forbid_unknown_fields=True):
    """One wound. `until`: what ends it; None: only the referee."""

    id: WoundId
    severity: Literal["minor", "major"]
    what: Text
    effect: Text | None = None
    until: Text | None = None
    treated: bool = False


class OsrSheet(Sheet, frozen=True):
    """One character after some turn (OSR 6).

    `ability_loss` has the lost points by ability. `non_player` is set by an enrolment with hit dice: such a character
    may rest for less time, and has room for marks by hit dice. The last three fields are bookkeeping between turns.
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
    #: Whether a foe makes saves like a character; others die at 0 hit points.
    saves: bool = False
    #: The wound whose worsening caused the latest injury.
    worsening: WoundId | None = None
    #: Whether a collapsed character has rested since, so that getting up is asked.
    rested_down: bool = False
    #: The number of recovery marks that may be rolled for: those of the latest rest that are left.
    recovery_rolls: Strokes = 0


class OsrTable(TableState, frozen=True):
    """The table; osr stores nothing of its own there."""


class OsrOptions(Options, frozen=True):
    """The options for what the source leaves open or is played differently."""

    keep_higher: Annotated[
        bool, option("6.4", "a player may keep the old total after a re-roll, which still costs fatigue")
    ] = False
    short_rest_together: Annotated[
        bool, option("6.4", "if one rests, every living character rests and re-rolls, except the exempt")
    ] = False
    zero_is_injury: Annotated[bool, option("6.6", "damage that leaves exactly 0 hit points calls for saves")] = False
    save_meets_dc: Annotated[bool, option("6.6", "a save total equal to the DC passes")] = True
    minor_injuries: Annotated[
        Literal["referee", "recovery_marks"],
        option("6.9", "what a minor wound does: what the referee says, or ability loss for a recovery mark as well"),
    ] = "referee"


OsrState = State[OsrSheet, OsrTable, OsrOptions]
OsrDecision = Decision[OsrSheet, OsrTable, OsrOptions]
