"""Summons: allies on the board that belong to an active card and leave with it."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

import msgspec
from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from domain.gloomhaven.conditions import settle_wound_of_summon, settles_a_wound
from domain.gloomhaven.exhaustion import must_take_part
from domain.gloomhaven.facts import PrintedCard, PrintedSummon
from domain.gloomhaven.order import must_be_during_turns, must_be_own_turn, must_not_rest
from domain.gloomhaven.piles import (
    change_summon,
    find_own_card,
    find_summon,
    put,
    summons_on_board,
)
from domain.gloomhaven.sheet import (
    FIGURES,
    Character,
    GloomhavenDecision,
    GloomhavenSheet,
    GloomhavenState,
    Ref,
    SummonOnBoard,
    hit_points,
)
from domain.naming import called, fit_name, key_of, possessive
from domain.refusal import Invalid, Refusal, refuse_unless
from domain.system.citing import rule
from domain.system.story import cause_alone
from domain.turn import Action, Event, NonEmptyText, Positive, Sentence, Whole

#: The number of summon tokens, each of another colour.
COLOURS: int = FIGURES["44"]["colours"]
#: The colours of the game's tokens, which are proposed; any other word is allowed too.
USUAL_COLOURS: Sequence[str] = FIGURES["44"]["usual"]


class Summon(Action, frozen=True, kw_only=True, tag="gloomhaven.summon"):
    """Place a summon in an empty hex beside its summoner."""

    character: Character
    card: Annotated[Ref, Meta(description="the active card it comes from")]
    colour: Annotated[
        NonEmptyText | None,
        Meta(description="the colour of its token", extra={"otherwise": "the first that is free"}),
    ] = None
    name: Annotated[
        NonEmptyText | None,
        Meta(
            description="what the summon is called, and the colour of its token",
            extra={"otherwise": "as its card", "remark": True},
        ),
    ] = None
    hp: Annotated[Positive | None, Meta(description="its hit points", extra={"otherwise": "as its card says"})] = None
    attack: Annotated[Whole | None, Meta(description="its attack value", extra={"otherwise": "as its card says"})] = (
        None
    )
    move: Annotated[Whole | None, Meta(description="its move value", extra={"otherwise": "as its card says"})] = None
    range: Annotated[Whole | None, Meta(description="its range", extra={"otherwise": "as its card says"})] = None
    traits: Annotated[
        Annotated[tuple[NonEmptyText, ...], Meta(min_length=1)] | None,
        Meta(description="what else its card says of it"),
    ] = None
    free_hex: Annotated[bool, Meta(description="an adjacent hex is empty")] = True

    def check(self) -> None:
        if any(not trait.strip() for trait in self.traits or ()):
            raise Invalid("A trait must not be blank.")

    @rule("GH 42", "GH 43", "GH 44", "GH 45", "GH 49", "GH 50")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Places a summon in an empty hex beside its summoner, with a token of a free colour."""
        name = self.character
        must_take_part(decision, name)
        must_be_own_turn(decision, name)
        must_not_rest(decision, name)
        must_have_a_free_hex(name, free_hex=self.free_hex)
        card = find_own_card(decision, name, self.card)
        sheet = decision.sheet(name)
        refuse_unless(
            sheet.bonus(card.id) is not None, "GH 46", f"{card.name} is not in {possessive(name)} active area."
        )
        refuse_unless(
            all(summon.card != card.id for summon in sheet.summons),
            "GH 46",
            f"{card.name} has a summon on the board already.",
        )
        on_board = summons_on_board(decision.state)
        words, hp, given_colour = self._parts_of_the_name()
        colour = given_colour or next(iter(free_colours(decision.state)), "")
        refuse_unless(
            colour not in [summon.colour for summon in on_board],
            "GH 44",
            f"The {colour} token is on the board already.",
        )
        refuse_unless(len(on_board) < COLOURS, "GH 44", "All eight summon tokens are on the board.")
        figures = self._figures(card, sheet, hp)
        title = fit_name(words or card.name)
        names_in_use = {key_of(name) for name in (*decision.state.characters, *(summon.name for summon in on_board))}
        if key_of(title) in names_in_use:
            raise Refusal(None, f"Somebody on the board is called {title} already; choose another name.")
        traits = tuple(map(str.strip, figures.traits))
        new = SummonOnBoard(title, figures.hp, card.id, colour, decision.table.round, traits=traits)
        decision.tell(Summoned(name, new, figures.attack, figures.move, figures.range))

    def _parts_of_the_name(self) -> tuple[str, int | None, str]:
        """The name, hit points and colour; the last two can be part of the typed name: "moth 2 yellow"."""
        if self.colour is not None:
            return (self.name or "").strip(), self.hp, self.colour.strip().lower()
        words, hp, colour = (self.name or "").split(), self.hp, ""
        for place in (-1, 0):
            if words and words[place].lower() in USUAL_COLOURS:
                colour = words.pop(place).lower()
                break
        if hp is None and words and words[-1].isdecimal() and int(words[-1]):
            hp = int(words.pop())
        return " ".join(words), hp, colour

    def _figures(self, card: PrintedCard, sheet: GloomhavenSheet, hp: int | None) -> PrintedSummon:
        """The figures of the card, replaced by those given. Raises Invalid if no hit points are known."""
        bonus = sheet.bonus(card.id)
        on_card = card.half(bonus.half).summon if bonus is not None else None
        if on_card is None and hp is None:
            raise Invalid(f"The log does not know what {card.name} summons: give its hit points (hp).")
        figures = {"hp": hp, **{figure: getattr(self, figure) for figure in ("attack", "move", "range", "traits")}}
        figures = {figure: value for figure, value in figures.items() if value is not None}
        return PrintedSummon(**{**(msgspec.structs.asdict(on_card) if on_card is not None else {}), **figures})


def free_colours(state: GloomhavenState) -> list[str]:
    """The colours of the game's tokens that are not on the board."""
    in_use = {summon.colour for summon in summons_on_board(state)}
    return [colour for colour in USUAL_COLOURS if colour not in in_use]


@rule("GH 42", "GH 43")
def must_have_a_free_hex(name: str, *, free_hex: bool) -> None:
    """Raise Refusal without an empty hex beside the summoner: the ability cannot be used then."""
    refuse_unless(free_hex, "GH 43", f"No hex beside {called(name)} is empty, so nothing can be summoned.")


class Summoned(Event, frozen=True, tag="gloomhaven.summoned"):
    """A summon stands on the board."""

    cites: ClassVar[tuple[str, ...]] = ("GH 42", "GH 45")
    character: str
    summon: SummonOnBoard
    attack: int | None
    move: int | None
    range: int | None

    def sentence(self) -> Sentence:
        summon = self.summon
        return (f"{called(self.character)} summons {summon.name} ({summon.colour}, {hit_points(summon.hp)}).",)

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None:
            new = replace(self.summon, max_hp=self.summon.most_hp, attack=self.attack, move=self.move, range=self.range)
            state.change(self.character, summons=(*sheet.summons, new))


class SummonDamage(Action, frozen=True, kw_only=True, tag="gloomhaven.summon_damage"):
    """Deal damage to a summon."""

    character: Character
    summon: Annotated[NonEmptyText, Meta(description="the summon's name")]
    amount: Annotated[Positive, Meta(description="the damage")]

    def decide(self, decision: GloomhavenDecision) -> None:
        name = self.character
        must_take_part(decision, name)
        must_be_during_turns(decision, name)
        hurt_summon(decision, name, find_summon(decision, name, self.summon), self.amount)


@rule("GH 46")
def hurt_summon(
    decision: GloomhavenDecision,
    name: str,
    hurt: SummonOnBoard,
    amount: int,
    source: str | None = None,
    *,
    attack: bool = True,
) -> None:
    """Damage a summon; without hit points it leaves the board, and its card goes to its pile."""
    hp = max(0, hurt.hp - amount)
    bleeds = settles_a_wound(source, attack=attack)
    decision.tell(SummonDamaged(name, hurt.name, amount, hp, source or UNSET, bleeds or UNSET))
    bonus = decision.sheet(name).bonus(hurt.card)
    if not hp and bonus is not None:
        put(decision, name, hurt.card, bonus.counts_as)


class SummonDamaged(Event, frozen=True, tag="gloomhaven.summon_damaged"):
    """A summon is hurt; `hp` is what it has left. `bleeds`: from its wound, at the start of its turn."""

    character: str
    summon: str
    amount: int
    hp: int
    source: str | UnsetType = UNSET
    bleeds: bool | UnsetType = UNSET

    def sentence(self) -> Sentence:
        source = f" ({cause_alone(self.source)})" if self.source else ""
        return (f"{called(self.summon)} suffers {self.amount} damage{source} and has {hit_points(self.hp)}.",)

    def fold(self, state: GloomhavenState) -> None:
        change_summon(state, self.character, self.summon, hp=self.hp)
        if self.bleeds:
            settle_wound_of_summon(state, self.character, self.summon)


def figures_of(summon: PrintedSummon) -> str:
    """The figures and traits of a printed summon in words."""
    figures = {"hp": summon.hp, "attack": summon.attack, "move": summon.move, "range": summon.range}
    return ", ".join([*(f"{label} {value}" for label, value in figures.items() if value is not None), *summon.traits])
