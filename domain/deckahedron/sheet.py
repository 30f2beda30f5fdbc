"""The deckahedron sheet: three piles of cards, two kinds of tokens, three attributes."""

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.naming import called, key_of
from domain.refusal import Refusal
from domain.system.decision import Decision
from domain.system.paragraphs import figures_of
from domain.system.state import Options, Sheet, State, TableState, option
from domain.turn import LARGEST, Name, Text, Whole

#: The numbers of the rules, by paragraph.
FIGURES = figures_of("deckahedron")

Rank = Annotated[int, Meta(ge=1, le=4)]
Dealer = Literal["log", "table"]
Scene = Literal["combat", "travel", "camp", "haven"]
FoeName = Annotated[str, Meta(min_length=1, max_length=200)]
#: The character that an action is about.
Character = Annotated[Name, Meta(description="the character")]


class Attributes(Struct, frozen=True, forbid_unknown_fields=True):
    """The three attributes, each of rank 1 to 4."""

    strength: Rank
    dexterity: Rank
    intelligence: Rank


class Day(Struct, frozen=True):
    """The hours spent on one day of the campaign; `healing`: all of them on healing."""

    hours: int = 0
    healing: bool = False


class DeckahedronSheet(Sheet, frozen=True):
    """One character after some turn. The piles hold 20 cards and the Wound cards, each of them once."""

    player: Text | None
    attributes: Attributes
    #: Face down, top first. No view shows the order.
    deck: tuple[str, ...]
    discard: tuple[str, ...] = ()
    exhaustion: tuple[str, ...] = ()
    #: Tokens on the exhaustion pile, at most two of each.
    harm: Whole = 0
    wounds: Whole = 0
    #: The Wound cards in deck and discard, lowest id first.
    wound_cards: tuple[str, ...] = ()
    incapacitated: bool = False
    incapacitated_means: Text | None = None
    #: Day of the campaign -> how it was spent, for the days that were given.
    days: Mapping[int, Day] = {}
    #: Who deals: the log, or the table, for which the log draws nothing.
    cards: Dealer = "log"


class Foe(Struct, frozen=True, omit_defaults=True):
    """The Stamina that a foe has lost, its total (None if unknown), and the Harm and Wounds that attacks gave it.

    JSON has the last two only where there are any.
    """

    lost: int
    stamina: int | None
    harm: int = 0
    wounds: int = 0

    @property
    def is_down(self) -> bool:
        """Whether it has no Stamina left; False if its total is unknown."""
        return self.stamina is not None and self.lost >= self.stamina


class DeckahedronTable(TableState, frozen=True):
    """The scene, whether the foe has a superior position in it, and the foes by name."""

    scene: Scene = "camp"
    foe_superior: bool = False
    foes: Mapping[str, Foe] = {}


class DeckahedronOptions(Options, frozen=True):
    """The open questions of deckahedron."""

    third_strain: Annotated[
        Literal["wound_only", "both"], option("17", "whether a strain that becomes a Wound also costs its own Stamina")
    ] = "wound_only"
    incapacitated_when: Annotated[
        Literal["cannot_pay", "none_left"],
        option("9", "whether a character falls only when Stamina cannot be paid, or already when none is left"),
    ] = "cannot_pay"
    incapacitated_heal: Annotated[bool, option("9", "whether an incapacitated character can spend a day healing")] = (
        False
    )
    wound_card_in_search: Annotated[
        Literal["no_effect", "as_flip"],
        option("26", "whether a Wound card met while searching for Stamina costs one more"),
    ] = "no_effect"
    regained_to: Annotated[Literal["discard", "deck"], option("12", "where cards regained by a breather go")] = (
        "discard"
    )
    rested_to: Annotated[Literal["deck", "discard"], option("22", "where cards freed by rest and healing go")] = "deck"
    wound_card_removed: Annotated[bool, option("31", "whether a healed Wound takes its card out, lowest id first")] = (
        True
    )
    rest_hours: Annotated[
        int,
        Meta(
            ge=0,
            le=LARGEST,
            description="how many hours are several, so that they count as a rest",
            extra={"rule": "18"},
        ),
    ] = FIGURES["18"]["hours"]


DeckahedronState = State[DeckahedronSheet, DeckahedronTable, DeckahedronOptions]
DeckahedronDecision = Decision[DeckahedronSheet, DeckahedronTable, DeckahedronOptions]


def foe_called(state: DeckahedronState, name: str) -> str:
    """A foe's name as it was first entered, compared like names of characters."""
    return next((foe for foe in state.table.foes if key_of(foe) == key_of(name)), name.strip())


def must_not_be_a_character(state: DeckahedronState, foe: str) -> None:
    """Raise Refusal if a foe would have the name of a character."""
    for name in state.characters:
        if key_of(name) == key_of(foe):
            raise Refusal(None, f"{called(name)} is a character, so no foe can have that name; choose another name.")


def foe_loses(
    state: DeckahedronState, name: str, points: int, inflicts: Literal["wound", "harm"] | None = None
) -> None:
    """Count the loss of a foe, and the Wound or Harm that it takes; an unknown foe is added."""
    foe = state.table.foes.get(name, Foe(0, None))
    harm, wounds = foe.harm + (inflicts == "harm"), foe.wounds + (inflicts == "wound")
    hurt = replace(foe, lost=foe.lost + points, harm=harm, wounds=wounds)
    state.change_table(foes={**state.table.foes, name: hurt})
