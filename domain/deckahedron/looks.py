"""How sheets and the table look: as JSON, as rows, and what a character waits for."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from domain.choice import Choice
from domain.deckahedron.attacks import Attack
from domain.deckahedron.attempts import CardsFlipped
from domain.deckahedron.breathers import TAKEN_BY, Breather
from domain.deckahedron.cards import CARDS, FRESH_DECK, WOUND_CARDS, read, stamina_in
from domain.deckahedron.foes import EnterFoe, FoeAttack
from domain.deckahedron.harm import MOST_HARM, MOST_WOUNDS, Strain, TakeWound
from domain.deckahedron.healing import Heal
from domain.deckahedron.incapacitation import Storyteller
from domain.deckahedron.rests import Rest
from domain.deckahedron.scenes import BeginScene
from domain.deckahedron.sheet import DeckahedronState
from domain.deckahedron.stamina import LoseStamina, StaminaLost
from domain.naming import called
from domain.system.chance import drawn_under
from domain.system.figures import Figure, Step
from domain.system.pending import PendingDecision
from domain.system.rows import Bar, Bit, CardView, Phrase, PileView, Pips, Row
from domain.system.rulesystem import CardPiles
from domain.turn import Action, Event, StoredDrawn

MOST_STAMINA = stamina_in(FRESH_DECK)
#: Stored, but neither shown nor to be overridden: the order of the face-down cards, how hours were spent, who deals.
HIDDEN = frozenset({"deck", "days", "cards"})
#: The order of the deck, as events carry it and as the table reports a shuffle.
UNREAD = frozenset({"deck", "shuffled"})


def to_view(state: DeckahedronState, name: str) -> dict[str, Any]:
    """The sheet as printed; the deck is a number of cards."""
    sheet = state.characters[name]
    return {
        "player": sheet.player,
        "attributes": msgspec.to_builtins(sheet.attributes),
        "deck_count": len(sheet.deck),
        "discard": list(sheet.discard),
        "exhaustion": list(sheet.exhaustion),
        "harm": sheet.harm,
        "wounds": sheet.wounds,
        "wound_cards": list(sheet.wound_cards),
        "stamina_left": stamina_in(sheet.deck, sheet.discard),
        "incapacitated": sheet.incapacitated,
        "incapacitated_means": sheet.incapacitated_means if sheet.incapacitated else None,
    }


def rows(state: DeckahedronState, name: str, view: dict[str, Any]) -> Sequence[Row]:
    """The sheet as rows to look at."""
    sheet = view
    rows: list[Row] = [
        (
            "attributes",
            (Phrase(", ".join(f"{each.capitalize()} {rank}" for each, rank in sheet["attributes"].items())),),
        ),
        ("stamina", (Pips(sheet["stamina_left"], MOST_STAMINA),)),
        ("harm", (Pips(sheet["harm"], MOST_HARM),)),
        ("wounds", (Pips(sheet["wounds"], MOST_WOUNDS), *_if_any("Wound cards ", sheet["wound_cards"]))),
        ("deck", (Phrase(_cards(sheet["deck_count"])), *_on_the_table(state, name))),
        ("discard pile", (Phrase(_cards(len(sheet["discard"]))),)),
        ("exhaustion pile", (Phrase(_cards(len(sheet["exhaustion"]))), *_if_any("face up ", sheet["exhaustion"]))),
    ]
    if sheet["incapacitated"]:
        meaning = sheet["incapacitated_means"]
        rows.append(("state", (Phrase(f"incapacitated{f': {meaning}' if meaning else ''}", "bad"),)))
    return rows


def figures(state: DeckahedronState, name: str, view: dict[str, Any]) -> Sequence[Figure]:  # noqa: ARG001
    """Stamina is lost by the point, and comes back by cards."""
    lose = Step(LoseStamina, "points", says="Lose Stamina", offers=tuple(range(1, MOST_STAMINA + 1)))
    left = view["stamina_left"]
    return (Figure("stamina", left, MOST_STAMINA, less=lose if left else None, vital=True),)


def laid_out(state: DeckahedronState, name: str, view: dict[str, Any]) -> Sequence[PileView]:  # noqa: ARG001
    """The piles that lie open, each card with what it shows at each rank."""
    piles = [PileView(each, len(view[each]), tuple(map(_card, view[each]))) for each in ("discard", "exhaustion")]
    return [pile for pile in piles if pile.count]


def _card(number: str) -> CardView:
    card = CARDS[number]
    results = " · ".join(f"{rank} {read(number, rank)}" for rank in range(1, len(card.results) + 1))
    notes = [Phrase(f"by rank: {results}")]
    if card.wound:
        notes.append(Phrase("Wound card", "bad"))
    if card.stamina:
        notes.append(Phrase("● Stamina", "good"))
    return CardView(f"card {number}", number, tuple(notes))


def brief(state: DeckahedronState, name: str, view: dict[str, Any]) -> Sequence[tuple[Bit, ...]]:  # noqa: ARG001
    """One line: the Stamina that is left, the cards still face down, and the tokens."""
    bits: list[Bit] = [Bar(view["stamina_left"], MOST_STAMINA), Phrase(f"deck {view['deck_count']}", "faint")]
    for label, count, most in (("harm", view["harm"], MOST_HARM), ("wounds", view["wounds"], MOST_WOUNDS)):
        if count:
            bits += [Phrase(label, "bad"), Pips(count, most)]
    if view["incapacitated"]:
        bits.append(Phrase(view["incapacitated_means"] or "incapacitated", "bad"))
    return (tuple(bits),)


def _on_the_table(state: DeckahedronState, name: str) -> tuple[Phrase, ...]:
    return (Phrase("on the table", "faint"),) if state.characters[name].cards == "table" else ()


def _cards(count: int) -> str:
    return f"{count} card{'' if count == 1 else 's'}"


def _if_any(label: str, cards: Sequence[str]) -> tuple[Phrase, ...]:
    return (Phrase(label + " ".join(cards), "faint"),) if cards else ()


def table_rows(state: DeckahedronState) -> Sequence[Row]:
    """The scene, who has the better of it, and what the foes who are up have lost."""
    rows: list[Row] = [("scene", (Phrase(state.table.scene),))]
    if state.table.foe_superior:
        rows.append(("foe", (Phrase("in a superior position", "bad"),)))
    for name, foe in state.table.foes.items():
        if foe.is_down:
            continue
        of = "" if foe.stamina is None else f" of {foe.stamina}"
        rows.append((name, (Phrase(f"has lost {foe.lost}{of} Stamina"),)))
    return rows


def fallen(state: DeckahedronState, name: str) -> str | None:
    """Incapacitated, as long as the Storyteller does not say otherwise."""
    return "incapacitated" if state.characters[name].incapacitated else None


def pending_for(state: DeckahedronState, name: str) -> Sequence[PendingDecision]:
    """What the Storyteller still has to say."""
    sheet = state.characters[name]
    if sheet.incapacitated and sheet.incapacitated_means is None:
        why = f"{called(name)} is incapacitated and nobody has said what that means."
        return (PendingDecision((Choice(Storyteller, {"character": name}, ("meaning",)),), why),)
    return ()


def proposals(state: DeckahedronState, action: type[Action], field: str, name: str | None) -> Sequence[str] | None:
    """Cards that are legal now. What lies in the deck is proposed nowhere."""
    if field == "foe" and action in (Attack, FoeAttack):
        return tuple(name for name, foe in state.table.foes.items() if not foe.is_down)
    if field == "attribute" and action is Breather:
        return TAKEN_BY
    sheet = state.characters.get(name) if name is not None else None
    if sheet is None:
        return None
    if (action is Breather and field == "regained") or (action in (Rest, Heal) and field == "kept"):
        return sheet.exhaustion
    if action is TakeWound and field == "card":
        return [card for card in WOUND_CARDS if card not in sheet.wound_cards]
    return None


#: What changes which field of a sheet, and of the table.
CHANGED_BY: Mapping[str, tuple[type[Action], ...]] = {
    "deck_count": (LoseStamina, Rest, Heal),
    "discard": (LoseStamina, Rest, Heal),
    "exhaustion": (LoseStamina, Breather, Rest, Heal),
    "stamina_left": (LoseStamina, Breather, Rest, Heal),
    "harm": (Strain, Rest, Heal),
    "wounds": (TakeWound, Heal),
    "wound_cards": (TakeWound, Heal),
    "incapacitated": (Storyteller,),
    "incapacitated_means": (Storyteller,),
    "scene": (BeginScene,),
    "foe_superior": (Breather, BeginScene),
    "foes": (EnterFoe, Attack),
}


def cards_of(_state: DeckahedronState, _name: str) -> dict[int | str, str]:
    """Every card that a character may come to have."""
    return {card: f"card {card}" for card in CARDS}


def pile_of(sheet: Mapping[str, Any], card: int | str) -> str | None:
    """Where a card lies, as far as the sheet shows it."""
    if card in sheet["exhaustion"]:
        return "in the exhaustion pile"
    if card in sheet["discard"]:
        return "in the discard pile"
    return "in no pile" if card in WOUND_CARDS and card not in sheet["wound_cards"] else "in the deck"


PILES = CardPiles(cards_of, pile_of)


def as_announced(events: Sequence[Event]) -> dict[str, StoredDrawn]:
    """The cards that each character turned over, in order, as the table would have reported them."""
    cards: dict[str, list[str]] = {}
    flips = {event.character for event in events if isinstance(event, CardsFlipped)}
    for event in events:
        whose, turned = turned_up(event)
        if turned:
            cards.setdefault(whose, []).extend(turned)
    purposes = {whose: "attempt" if whose in flips else "search" for whose in cards}
    return {
        f"{whose}/{purposes[whose]}": drawn_under(f"{whose}/{purposes[whose]}", tuple(turned), len(turned))
        for whose, turned in cards.items()
    }


def turned_up(event: Event) -> tuple[str, Sequence[str]]:
    """Whose cards an event turned up, and which: those of an attempt, and those of a search for Stamina."""
    match event:
        case CardsFlipped():
            return event.character, event.cards
        case StaminaLost():
            return event.character, event.flipped
        case _:
            return "", ()
