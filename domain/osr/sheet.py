"""The osr sheet."""

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct

from domain.system import Decision, Options, Sheet, State, Table


class Injury(Struct, frozen=True, gc=False):
    """An injury that is not settled: `stage` says what it waits for."""

    dc: int
    source: str | None = None
    stage: Literal["saves", "fate"] = "saves"


class Wound(Struct, frozen=True, gc=False):
    """One wound. `until` says what ends it."""

    id: int
    severity: Literal["minor", "major"]
    what: str
    effect: str | None = None
    until: str | None = None
    treated: bool = False


class OsrSheet(Sheet, frozen=True, gc=False):
    """One character after some turn (OSR 6)."""

    player: str | None
    level: int
    hit_dice: int
    hp: int
    fatigue: int = 0
    marks: int = 0
    condition: Literal["up", "collapsed", "dead"] = "up"
    injury: Injury | None = None
    wounds: tuple[Wound, ...] = ()
    ability_loss: Mapping[str, int] = {}
    recovery_marks: int = 0


class OsrTable(Table, frozen=True, gc=False):
    """Nothing belongs to nobody in osr."""


class OsrOptions(Options, frozen=True):
    """The open questions of osr."""

    keep_higher: Annotated[
        bool, Meta(description="a player may keep the old total on a rest", extra={"rule": "6.4"})
    ] = False


OsrState = State[OsrSheet, OsrTable, OsrOptions]
OsrDecision = Decision[OsrSheet, OsrTable, OsrOptions]
