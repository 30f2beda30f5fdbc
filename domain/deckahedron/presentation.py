"""The views of sheets and the table, as JSON and as rows for people, pending decisions and proposals."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

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
from domain.deckahedron.sheet import DeckahedronSheet, DeckahedronState
from domain.deckahedron.stamina import LoseStamina, StaminaLost
from domain.deckahedron.words import how_many
from domain.naming import as_noun, called, capitalised, quantity
from domain.system.chance import values_under_key
from domain.system.figures import Adjustment, Figure
from domain.system.pending import PendingDecision
from domain.system.rows import Bar, Bit, CardView, Phrase, PileView, Pips, ReportableCards, Row
from domain.system.rulesystem import CardPiles
from domain.turn import Action, Event, StoredDrawn

MOST_STAMINA = stamina_in(FRESH_DECK)
#: Lengths of a rest that are offered, from the shortest.
HOURS_OFFERED = 8
#: Fields that no view shows and no override sets: the order of the deck, the hours spent, who deals.
HIDDEN = frozenset({"deck", "days", "cards"})
#: Fields of actions and events with the order of the deck, which no reader may see.
UNREAD = frozenset({"deck", "shuffled"})


def to_view(state: DeckahedronState, name: str) -> dict[str, Any]:
    """The sheet as `status --json` prints it; of the deck only the number of cards."""
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
    """The sheet as rows."""
    sheet = view
    on_the_table = [Phrase("on the table", "faint")] if state.characters[name].cards == "table" else []
    rows: list[Row] = [
        (
            "attributes",
            (Phrase(", ".join(f"{attribute.capitalize()} {rank}" for attribute, rank in sheet["attributes"].items())),),
        ),
        ("stamina", (Pips(sheet["stamina_left"], MOST_STAMINA),)),
        ("harm", (Pips(sheet["harm"], MOST_HARM),)),
        ("wounds", (Pips(sheet["wounds"], MOST_WOUNDS), *_if_any("Wound cards ", sheet["wound_cards"]))),
        ("deck", (Phrase(quantity(sheet["deck_count"], "card")), *on_the_table)),
        ("discard pile", (Phrase(quantity(len(sheet["discard"]), "card")),)),
        (
            "exhaustion pile",
            (Phrase(quantity(len(sheet["exhaustion"]), "card")), *_if_any("face up ", sheet["exhaustion"])),
        ),
    ]
    if sheet["incapacitated"]:
        meaning = sheet["incapacitated_means"]
        rows.append(("state", (Phrase(f"incapacitated{f': {meaning}' if meaning else ''}", "bad"),)))
    return rows


def figures(state: DeckahedronState, name: str, view: dict[str, Any]) -> Sequence[Figure]:  # noqa: ARG001
    """Stamina, which decreases by points and increases by a breather, and the tokens, which rest and healing remove."""
    lose = Adjustment(LoseStamina, "points", says="Lose Stamina", offers=tuple(range(1, MOST_STAMINA + 1)))
    stamina, harm, wounds = view["stamina_left"], view["harm"], view["wounds"]
    hours = tuple(range(state.options.rest_hours, state.options.rest_hours + HOURS_OFFERED))
    rest = Adjustment(Rest, "hours", says="Rest, in hours", offers=hours)
    heal = Adjustment(Heal, "days", says="Heal, in days")
    fights = state.table.scene == "combat"
    return (
        Figure(
            "stamina", stamina, MOST_STAMINA,
            less=lose if stamina else None,
            more=Adjustment(Breather, "attribute", says="Breather", offers=TAKEN_BY) if fights else None,
            vital=True,
        ),
        Figure("harm", harm, MOST_HARM,
               less=rest if harm else None, more=Adjustment(Strain, fields={"what": "a strain"}, says="Strain")),
        Figure("wounds", wounds, MOST_WOUNDS,
               less=heal if wounds else None, more=Adjustment(TakeWound, fields={"what": "a Wound"}, says="Wound")),
    )  # fmt: skip


def laid_out(state: DeckahedronState, name: str, view: dict[str, Any]) -> Sequence[PileView]:  # noqa: ARG001
    """The face-up piles, each card with its result at each rank."""
    piles = [PileView(label, len(view[label]), tuple(map(_card, view[label]))) for label in ("discard", "exhaustion")]
    return [pile for pile in piles if pile.count]


def cards_to_report(
    state: DeckahedronState,
    action: type[Action],  # noqa: ARG001
    field: str,
    name: str | None,
) -> ReportableCards | None:
    """The cards that may be turned over: those of the deck, then the discard pile, which a reshuffle brings back.

    Where cards come back or stay by chance, those of the exhaustion pile. The other side of an attack may be anybody
    else. No card is listed for a reshuffle where nothing was discarded.
    """
    sheet = state.characters.get(name) if name is not None else None
    if field in ("regained", "kept"):
        return ReportableCards(tuple((card, _card(card)) for card in sheet.exhaustion)) if sheet is not None else None
    if field == "deck":
        return ReportableCards(tuple((card, _card(card)) for card in (FRESH_DECK if sheet is None else _deck(sheet))))
    purpose = field.removeprefix("defender_")
    if purpose not in ("flipped", "shuffled"):
        return None
    if field != purpose or sheet is None:
        owners = [
            owner_sheet for owner, owner_sheet in state.characters.items() if owner != name and owner_sheet.away is None
        ]
    else:
        owners = [sheet]
    if purpose == "shuffled":
        owners = [owner for owner in owners if owner.discard]
    deck = [card for card in CARDS if any(card in _deck(owner) for owner in owners)]
    discards = list(dict.fromkeys(card for owner in owners for card in owner.discard if card not in deck))
    again = [replace(_card(card), notes=(*_card(card).notes, IN_THE_DISCARD_PILE)) for card in discards]
    cards = (*((card, _card(card)) for card in deck), *zip(discards, again, strict=True))
    return ReportableCards(cards, awaited=field == "flipped" and sheet is not None and sheet.cards == "table")


IN_THE_DISCARD_PILE = Phrase("in the discard pile", "faint")


def _deck(sheet: DeckahedronSheet) -> Sequence[str]:
    """The cards that lie face down, by their numbers."""
    borne = [card for card in CARDS if card in FRESH_DECK or card in sheet.wound_cards]
    return [card for card in borne if card not in sheet.discard and card not in sheet.exhaustion]


def _card(number: str) -> CardView:
    card = CARDS[number]
    results = "  ".join(f"{rank}\N{NO-BREAK SPACE}{read(number, rank)}" for rank in range(1, len(card.results) + 1))
    notes = [Phrase(results)]
    if card.wound:
        notes.append(Phrase("Wound card", "bad"))
    if card.stamina:
        notes.append(Phrase("● Stamina", "good"))
    return CardView(f"card {number}", number, tuple(notes))


def brief(state: DeckahedronState, name: str, view: dict[str, Any]) -> Sequence[tuple[Bit, ...]]:  # noqa: ARG001
    """One line with the Stamina left, the size of the deck, and the tokens."""
    bits: list[Bit] = [Bar(view["stamina_left"], MOST_STAMINA), Phrase(f"deck {view['deck_count']}", "faint")]
    for label, count, most in (("harm", view["harm"], MOST_HARM), ("wounds", view["wounds"], MOST_WOUNDS)):
        if count:
            bits += [Phrase(label, "bad"), Pips(count, most)]
    if view["incapacitated"]:
        bits.append(Phrase(view["incapacitated_means"] or "incapacitated", "bad"))
    return (tuple(bits),)


def _if_any(label: str, cards: Sequence[str]) -> tuple[Phrase, ...]:
    return (Phrase(label + " ".join(cards), "faint"),) if cards else ()


def table_rows(state: DeckahedronState) -> Sequence[Row]:
    """The scene, the superior position, and the losses of foes that are not down."""
    rows: list[Row] = [("scene", (Phrase(state.table.scene),))]
    if state.table.foe_superior:
        rows.append(("foe", (Phrase("in a superior position", "bad"),)))
    for name, foe in state.table.foes.items():
        if foe.is_down:
            continue
        total = "" if foe.stamina is None else f" of {foe.stamina}"
        tokens = [
            *([f"{foe.harm} Harm"] if foe.harm else []),
            *([how_many(foe.wounds, "Wound")] if foe.wounds else []),
        ]
        rows.append((name, (Phrase(", ".join([f"lost {foe.lost}{total} Stamina", *tokens])),)))
    return rows


def fallen(state: DeckahedronState, name: str) -> str | None:
    """The word "incapacitated" for an incapacitated character; else None."""
    return "incapacitated" if state.characters[name].incapacitated else None


def pending_for(state: DeckahedronState, name: str) -> Sequence[PendingDecision]:
    """The question what being incapacitated means, until the Storyteller has answered it."""
    sheet = state.characters[name]
    if sheet.incapacitated and sheet.incapacitated_means is None:
        why = f"{called(name)} is incapacitated and nobody has said what that means."
        return (PendingDecision((Choice(Storyteller, {"character": name}, ("meaning",)),), why),)
    return ()


def proposals(state: DeckahedronState, action: type[Action], field: str, name: str | None) -> Sequence[str] | None:
    """The legal cards, foes and attributes; never the cards of the face-down deck."""
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


def past(state: DeckahedronState, action: type[Action], field: str) -> Mapping[str, str]:
    """The foes that are down, who neither attack nor are attacked."""
    foes = state.table.foes.items() if field == "foe" and action in (Attack, FoeAttack) else ()
    return {name: f"{capitalised(as_noun(name))} is down." for name, foe in foes if foe.is_down}


#: The actions that change each field of the sheet and of the table.
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
    """Every card that a character may ever have, with its title."""
    return {card: f"card {card}" for card in CARDS}


def pile_of(sheet: Mapping[str, Any], card: int | str) -> str | None:
    """The pile that a card is in, as far as the view shows it."""
    if card in sheet["exhaustion"]:
        return "in the exhaustion pile"
    if card in sheet["discard"]:
        return "in the discard pile"
    return "in no pile" if card in WOUND_CARDS and card not in sheet["wound_cards"] else "in the deck"


PILES = CardPiles(cards_of, pile_of)


def as_reports(events: Sequence[Event]) -> dict[str, StoredDrawn]:
    """The cards that each character turned over, in order, in the form of a report by the table."""
    cards: dict[str, list[str]] = {}
    flips = {event.character for event in events if isinstance(event, CardsFlipped)}
    for event in events:
        owner, cards_turned_up = turned_up(event)
        if cards_turned_up:
            cards.setdefault(owner, []).extend(cards_turned_up)
    purposes = {owner: "attempt" if owner in flips else "search" for owner in cards}
    return {
        f"{owner}/{purposes[owner]}": values_under_key(
            f"{owner}/{purposes[owner]}", tuple(turned_up_cards), len(turned_up_cards)
        )
        for owner, turned_up_cards in cards.items()
    }


def turned_up(event: Event) -> tuple[str, Sequence[str]]:
    """The owner and the cards of an attempt or a search for Stamina; "" and () for other events."""
    match event:
        case CardsFlipped():
            return event.character, event.cards
        case StaminaLost():
            return event.character, event.flipped
        case _:
            return "", ()
