"""osr: hit points, injuries and healing."""

from typing import Annotated
from msgspec import Meta
import msgspec
from domain.osr.sheet import *
from domain.record import *
from domain.rules import rule
from domain.system import *


class Enrol(Action, frozen=True, kw_only=True, tag="osr.enrol"):
    """Enrol a character."""

    character: NewName
    player: Text | None = None
    level: Annotated[int, Meta(ge=1, le=100)] = 1
    rolled: tuple[int, ...] | None = None


class Damage(Action, frozen=True, kw_only=True, tag="osr.damage"):
    """Damage."""

    character: Name
    amount: Whole


class Enrolled(Event, frozen=True, gc=False, tag="osr.enrolled"):
    character: str
    player: str | None
    level: int
    dice: tuple[int, ...]
    hp: int

    def told(self):
        return (f"{self.character} joins",)


class Damaged(Event, frozen=True, gc=False, tag="osr.damaged"):
    character: str
    amount: int
    hp: int

    def told(self):
        return (f"{self.character} hit",)


def enrol(d: OsrDecision, a: Enrol) -> None:
    dice = d.chance.dice(f"{a.character}/hit dice", a.level, 6, a.rolled, rule="OSR 6.1")
    d.tell(Enrolled(a.character, a.player, a.level, dice, sum(dice)))


def damage(d: OsrDecision, a: Damage) -> None:
    refuse_unless(d.sheet(a.character).hp, "OSR 6.6", "open injury")
    d.tell(Damaged(a.character, a.amount, max(0, d.sheet(a.character).hp - a.amount)))


def enrolled(s, e):
    s.characters[e.character] = OsrSheet(e.player, e.level, e.level, e.hp)


def damaged(s, e):
    s.change(e.character, hp=e.hp)


SYSTEM = RuleSystem(
    key="osr",
    cite="OSR",
    version=1,
    actions=(Enrol, Damage),
    events=(Enrolled, Damaged),
    options=OsrOptions,
    sheet=OsrSheet,
    table=OsrTable,
    decide={Enrol: enrol, Damage: damage},
    evolve={Enrolled: enrolled, Damaged: damaged},
    shown=lambda s, n: msgspec.to_builtins(s.characters[n]),
    audit=lambda d, n, f: None,
)
