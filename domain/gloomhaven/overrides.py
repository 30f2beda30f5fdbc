"""The invariants of a sheet, which an override must not break."""

from collections.abc import Mapping
from typing import Annotated, Any

from domain.gloomhaven.classes import find_item
from domain.gloomhaven.facts import PrintedClass
from domain.gloomhaven.learning import learn_items
from domain.gloomhaven.piles import facts_of, named_cards, refreshing_allies, summons_on_board, taken_back
from domain.gloomhaven.sheet import PILES, ActiveBonus, GloomhavenDecision, GloomhavenSheet, GloomhavenState
from domain.naming import called, listed, possessive
from domain.refusal import Refusal, Unknown
from domain.system.secrets import secret
from domain.system.story import left_out
from domain.turn import Event, Sentence


def audit(decision: GloomhavenDecision, name: str, overridden: Mapping[str, Any]) -> None:
    """Raise Refusal, with a sentence per mistake, if the overridden sheet breaks an invariant."""
    sheet = decision.sheet(name)
    if sheet.class_ not in decision.table.classes:
        raise Unknown("class", sheet.class_, f"This log knows no class {sheet.class_!r}")
    if any(facts_of(decision.state, name).card(card) is None for card in sheet.chosen):
        raise Refusal(
            None, f"{possessive(name)} cards are not those of the {sheet.class_}; a class cannot be exchanged."
        )
    if "items" in overridden:
        learn_items(decision, *(find_item(decision.table.items, number) for number in sheet.items.owned))
    wrong = [
        *_piles(decision, name, sheet),
        *_hit_points(name, sheet, facts_of(decision.state, name)),
        *_bonuses(decision, name, sheet),
        *_items(decision, name, sheet),
        *_summons(decision, sheet),
        *_exhaustion(name, sheet),
    ]
    if wrong:
        raise Refusal(None, " ".join(wrong))
    if any(pile in overridden for pile in PILES):
        decision.tell(CardsLaidOut(name, **{pile: getattr(sheet, pile) for pile in PILES}))


def _piles(decision: GloomhavenDecision, name: str, sheet: GloomhavenSheet) -> list[str]:
    """Mistakes of the piles: each chosen card must be in exactly one pile, and no other card in any."""
    cards, character, wrong = sheet.cards, called(name), []
    doubles = sorted({card for card in cards if cards.count(card) > 1})
    foreign = sorted(set(cards) - set(sheet.chosen))
    missing = sorted(set(sheet.chosen) - set(cards))
    if doubles:
        wrong.append(f"{character} would have {_titles(decision, name, doubles)} in more than one place.")
    if foreign:
        wrong.append(f"{character} did not take along {_titles(decision, name, foreign)}.")
    if missing:
        wrong.append(f"{character} would have {_titles(decision, name, missing)} in no pile.")
    if len(sheet.selected) not in (0, 1, 2):
        wrong.append(f"{character} would have {len(sheet.selected)} cards selected; two is the most.")
    if sheet.resting and sheet.selected:
        wrong.append(f"{character} would rest with cards selected.")
    return wrong


def _titles(decision: GloomhavenDecision, name: str, cards: list[int]) -> str:
    facts = facts_of(decision.state, name)
    return listed(
        f"{card.name} ({card.id})" if facts.card(card.id) else card.name
        for card in named_cards(decision.state, name, cards)
    )


def _hit_points(name: str, sheet: GloomhavenSheet, facts: PrintedClass) -> list[str]:
    wrong, most = [], facts.max_hp(sheet.level)
    if sheet.hp > most:
        wrong.append(f"{called(name)} has at most {most} hit points at level {sheet.level}, not {sheet.hp}.")
    if sheet.hp == 0 and not sheet.exhausted:
        wrong.append(f"{called(name)} with 0 hit points is exhausted; set that too.")
    return wrong


def _bonuses(decision: GloomhavenDecision, name: str, sheet: GloomhavenSheet) -> list[str]:
    wrong = []
    for bonus in sheet.active:
        (card,) = named_cards(decision.state, name, (bonus.card,))
        if bonus.lent_by is not None:
            wrong.append(f"{card.name} is lent by {called(bonus.lent_by)}; it is set on that sheet.")
        if (bonus.token is None) != (not bonus.slots) or (bonus.token or 0) >= max(1, len(bonus.slots)):
            wrong.append(
                f"The token on {card.name} must stand on one of its slots, 0 to {len(bonus.slots) - 1}."
                if bonus.slots
                else f"{card.name} has no slots for a token to stand on."
            )
        unknown = [ally for ally in bonus.beneficiaries if ally not in decision.state.characters]
        unknown += [
            str(ally)
            for ally in bonus.served_summons
            if ally.character not in decision.state.characters
            or decision.sheet(ally.character).summon(str(ally.summon)) is None
        ]
        if unknown:
            wrong.append(f"{card.name} cannot serve {listed(unknown)}: nobody is called so.")
    return wrong


def _items(decision: GloomhavenDecision, name: str, sheet: GloomhavenSheet) -> list[str]:
    items, wrong = sheet.items, []
    if len(set(items.owned)) != len(items.owned):
        wrong.append(f"{called(name)} would have an item in two places.")
    for number, circles in items.circles_used.items():
        facts = decision.table.items.get(int(number))
        if int(number) not in items.ready or facts is None or circles >= max(1, facts.circles):
            wrong.append(f"Item {number} cannot be ready with {circles} of its use circles taken.")
    return wrong


def _summons(decision: GloomhavenDecision, sheet: GloomhavenSheet) -> list[str]:
    wrong = [
        f"{summon.name} comes from a card that is not active."
        for summon in sheet.summons
        if sheet.bonus(summon.card) is None
    ]
    wrong += [
        f"{summon.name} has at most {summon.most_hp} hit points, not {summon.hp}."
        for summon in sheet.summons
        if summon.hp > summon.most_hp
    ]
    on_board = summons_on_board(decision.state)
    for label, values in (
        ("colour", [summon.colour for summon in on_board]),
        ("name", [summon.name for summon in on_board]),
    ):
        if len(set(values)) != len(values):
            wrong.append(f"Two summons on the board would have the same {label}.")
    return wrong


def _exhaustion(name: str, sheet: GloomhavenSheet) -> list[str]:
    """Mistakes of an exhausted character, who must have nothing in hand, active or open."""
    if not sheet.exhausted:
        return []
    still = [
        *(
            field
            for field in ("hand", "selected", "discard", "active", "summons", "conditions")
            if getattr(sheet, field)
        ),
        *(["resting"] if sheet.resting else []),
        *(["initiative"] if sheet.initiative is not None else []),
    ]
    return [f"{called(name)} is exhausted; clear {listed(still)} too."] if still else []


class CardsLaidOut(Event, frozen=True, tag="gloomhaven.cards_laid_out"):
    """Where every card lies after an override of piles; so it holds whatever is undone before it."""

    character: str
    hand: Annotated[tuple[int, ...], secret(counted=True)]
    selected: Annotated[tuple[int, ...], secret(counted=True)]
    discard: tuple[int, ...]
    lost: tuple[int, ...]
    active: tuple[ActiveBonus, ...]

    def sentence(self) -> Sentence:
        return (f"{possessive(self.character)} cards are laid out anew.",)

    sentence_for_others = sentence

    in_story = left_out

    @refreshing_allies
    def fold(self, state: GloomhavenState) -> None:
        """Set all piles, also if earlier turns are undone; the cards of an exhausted character are all lost."""
        sheet = state.characters.get(self.character)
        if sheet is None:
            return
        cards = (*self.hand, *self.selected, *self.discard, *self.lost, *(bonus.card for bonus in self.active))
        chosen_cards = tuple(sorted(cards))
        piles = {pile: getattr(self, pile) for pile in PILES}
        if sheet.exhausted:
            piles = {"hand": (), "selected": (), "discard": (), "lost": chosen_cards, "active": ()}
        active = [bonus.card for bonus in piles["active"]]
        summons = tuple(summon for summon in sheet.summons if summon.card in active)
        state.change(self.character, chosen=chosen_cards, summons=summons, **piles, **taken_back(sheet))
