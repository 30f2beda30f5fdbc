"""What is known of a sailor, and the questions that the rules leave open."""

from typing import Annotated, TypeAlias

from campaign_log.rules import Decision, Options, Sheet, State, TableState, Text, Whole, option, secret
from msgspec import Meta

#: Measures of oil that a lantern holds.
Oil = Annotated[int, Meta(ge=0, le=9)]


class Sailor(Sheet, frozen=True):
    """One sailor."""

    player: Text | None = None
    lit: bool = True
    oil: Oil = 4
    miles: Whole = 0
    port: Annotated[Text | None, secret()] = None


class TidesOptions(Options, frozen=True):
    """What a table may rule otherwise."""

    lantern_shows_the_way: Annotated[bool, option("4", "A lit lantern adds a mile to the die.")] = True
    sail_in_the_dark: Annotated[bool, option("4", "Who has no light may set sail all the same.")] = True


TidesState: TypeAlias = State[Sailor, TableState, TidesOptions]
TidesDecision: TypeAlias = Decision[Sailor, TableState, TidesOptions]
