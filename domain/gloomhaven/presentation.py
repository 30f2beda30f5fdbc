"""The views of sheets and the table, as JSON and as rows for people, and the pending decisions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from domain.choice import Choice
from domain.common.presence import Absence
from domain.gloomhaven.attacks import DrawModifier
from domain.gloomhaven.bonuses import serving
from domain.gloomhaven.classes import find_card
from domain.gloomhaven.conditions import BLEEDING, STATES, Expire
from domain.gloomhaven.damage import Damage
from domain.gloomhaven.exhaustion import can_rest, out_of_cards
from domain.gloomhaven.healing import Heal
from domain.gloomhaven.items import ItemUsed, UseItem, figures_unknown
from domain.gloomhaven.levels import LevelUp, next_level, pool
from domain.gloomhaven.modifiers import cards_in_words, deck_of, left_in
from domain.gloomhaven.order import in_play, whose_turn
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.piles import facts_of, named_cards, slots_drawn
from domain.gloomhaven.recovering import Recover
from domain.gloomhaven.rests import LongRest, RerollRest, ShortRest, may_rest
from domain.gloomhaven.rounds import (
    NOBODY_HERE,
    PLAYED,
    BeginRound,
    CleanUp,
    DeclareLongRest,
    EndTurn,
    Reveal,
    Revealed,
    Select,
    TurnOrder,
    ties,
)
from domain.gloomhaven.scenarios import BeginScenario, EndScenario
from domain.gloomhaven.sheet import ActiveBonus, GloomhavenState, SummonOnBoard
from domain.gloomhaven.summons import Summon, figures_of
from domain.naming import as_noun, called, listed, possessive, quantity
from domain.system.citing import rule
from domain.system.pending import PendingDecision
from domain.system.rows import Bar, Phrase, Row
from domain.system.rulesystem import CardPiles
from domain.turn import Event

#: Fields of a bonus that no view shows.
_SILENT_BONUS_FIELDS = ("advances_on", "beneficiaries", "ally_summons", "lent_by")


def to_view(state: GloomhavenState, name: str) -> dict[str, Any]:
    """The sheet as `status --json` prints it."""
    sheet, deck = state.characters[name], deck_of(state, name)
    bonuses = sorted(
        ((bonus, owner) for owner, bonus in serving(state, name)), key=lambda pair: (pair[0].card, pair[1] != name)
    )
    return {
        "player": sheet.player,
        "class": sheet.class_,
        "level": sheet.level,
        "hp": sheet.hp,
        "max_hp": facts_of(state, name).max_hp(sheet.level),
        "xp": sheet.xp,
        "gold": sheet.gold,
        "hand": sorted(sheet.hand),
        "selected": list(sheet.selected),
        "discard": sorted(sheet.discard),
        "lost": sorted(sheet.lost),
        "active": [_bonus(bonus, None if owner == name else owner) for bonus, owner in bonuses],
        "items": {
            "ready": sorted(sheet.items.ready),
            "spent": sorted(sheet.items.spent),
            "consumed": sorted(sheet.items.consumed),
            "circles_used": dict(sheet.items.circles_used),
        },
        "summons": [_summon(summon) for summon in sheet.summons],
        "conditions": sorted(set(sheet.conditions)),
        "modifiers": None if deck is None else left_in(deck),
        "resting": sheet.resting,
        "initiative": sheet.initiative,
        "acted": sheet.acted,
        "exhausted": sheet.exhausted,
        "kills": sheet.kills,
    }


def _summon(summon: SummonOnBoard) -> dict[str, Any]:
    return {
        "name": summon.name, "hp": summon.hp, "card": summon.card, "colour": summon.colour,
        "since_round": summon.since_round, "max_hp": summon.most_hp, "attack": summon.attack, "move": summon.move,
        "range": summon.range, "traits": list(summon.traits), "conditions": list(summon.conditions),
    }  # fmt: skip


def _bonus(bonus: ActiveBonus, lent_by: str | None) -> dict[str, Any]:
    view: dict[str, Any] = msgspec.to_builtins(bonus)
    view = {field: value for field, value in view.items() if field not in _SILENT_BONUS_FIELDS}
    view["slots"] = list(bonus.slots)
    return view if lent_by is None else {**view, "lent_by": lent_by}


def fallen(state: GloomhavenState, name: str) -> str | None:
    """The word "exhausted" for an exhausted character; else None."""
    return "exhausted" if state.characters[name].exhausted else None


def order(state: GloomhavenState) -> list[tuple[str, str | None]]:
    """The current order of turns as (character, its summon or None), without those who are exhausted or away."""
    places = []
    for place in state.table.order:
        sheet = state.characters.get(place.character)
        if sheet is None or sheet.exhausted or sheet.away:
            continue
        if place.summon is None or any(summon.name == place.summon for summon in sheet.summons):
            places.append((place.character, place.summon))
    return places


def table_to_view(state: GloomhavenState) -> dict[str, Any]:
    """The table as `status --json` prints it."""
    table = state.table
    return {
        "scenario": table.scenario,
        "level": table.level,
        "round": table.round,
        "phase": table.phase,
        "order": [summon or name for name, summon in order(state)],
        "outcome": table.outcome,
    }


# -- to look at --------------------------------------------------------------------------------------------


def rows(state: GloomhavenState, name: str, view: dict[str, Any]) -> Sequence[Row]:
    """The sheet in rows; of a hidden pile the view has only the number of cards."""
    rows: list[Row] = [
        ("class", (Phrase(f"{called(str(view['class']))}, level {view['level']}"),)),
        ("hit points", (Bar(view["hp"], view["max_hp"]), *([Phrase("exhausted", "bad")] if view["exhausted"] else []))),
        ("experience", (Phrase(str(view["xp"])),)),
        ("gold", (Phrase(str(view["gold"])),)),
    ]
    for pile in ("hand", "selected", "discard", "lost"):
        rows.append((pile, (Phrase(_cards(state, name, view[pile]), "faint" if pile == "lost" else "plain"),)))
    if not state.table.playing and isinstance(view["hand"], list):
        aside = [card for card in pool(state, name) if card not in state.characters[name].cards]
        if aside:
            rows.append(("set aside", (Phrase(_cards(state, name, aside), "faint"),)))
    rows += [("active", (Phrase(_bonus_line(state, name, bonus), "good"),)) for bonus in view["active"]]
    if not view["active"]:
        rows.append(("active", (Phrase("none", "faint"),)))
    rows += [("items", (line,)) for line in _item_lines(state, view["items"])]
    rows += [
        (
            "summon",
            (Phrase(f"{summon['name']} ({summon['colour']})"), Bar(summon["hp"], summon["max_hp"]), *_figures(summon)),
        )
        for summon in view["summons"]
    ]
    if view["conditions"]:
        rows.append(("conditions", tuple(Phrase(condition, "bad") for condition in view["conditions"])))
    if view["modifiers"] is not None:
        cards_left = view["modifiers"]
        deck = deck_of(state, name)
        seen = [("on top", deck.top), ("at the bottom", deck.bottom)] if deck is not None else []
        known = [Phrase(f"{where} {listed(cards, 'then')}") for where, cards in seen if cards]
        rows.append(("modifiers", (Phrase(f"{sum(cards_left.values())} left: {cards_in_words(cards_left)}"), *known)))
    if view["resting"]:
        rows.append(("resting", (Phrase("a long rest"),)))
    if view["initiative"] is not None:
        status = " (has acted)" if view["acted"] else ""
        rows.append(("initiative", (Phrase(f"{view['initiative']}{status}"),)))
    if view["kills"]:
        rows.append(("kills", (Phrase(str(view["kills"])),)))
    return rows


def _figures(summon: dict[str, Any]) -> list[Phrase]:
    """The figures, traits and conditions of a summon."""
    figures = [f"{figure} {summon[figure]}" for figure in ("attack", "move", "range") if summon[figure] is not None]
    texts = [*([", ".join(figures)] if figures else []), *summon["traits"]]
    return [*map(Phrase, texts), *(Phrase(condition, "bad") for condition in summon["conditions"])]


def _cards(state: GloomhavenState, name: str, pile: Iterable[int] | int) -> str:
    if isinstance(pile, int):
        return quantity(pile, "card")
    return ", ".join(f"{card.name} ({card.id})" for card in named_cards(state, name, pile)) or "none"


def _bonus_line(state: GloomhavenState, name: str, bonus: dict[str, Any]) -> str:
    owner = bonus.get("lent_by", name)
    (card,) = named_cards(state, owner, (bonus["card"],))
    slots = slots_drawn(bonus)
    reach = f" at range {bonus['range']}" if bonus["range"] else ""
    parts = [
        f"{card.name} ({card.id}), {bonus['kind']}",
        *([slots] if slots else []),
        *([f"Shield {bonus['shield']}"] if bonus["shield"] else []),
        *([f"Retaliate {bonus['retaliate']}{reach}"] if bonus["retaliate"] else []),
        *(["negates damage"] if bonus["negates_damage"] else []),
        *([f"lent by {called(owner)}"] if owner != name else _lent_to(state, name, bonus["card"])),
        *([f"counts as {bonus['counts_as']}"] if owner == name else []),
    ]
    return ", ".join(parts)


def _lent_to(state: GloomhavenState, name: str, card: int) -> list[str]:
    bonus = state.characters[name].bonus(card)
    beneficiaries = [*map(called, bonus.beneficiaries), *map(str, bonus.served_summons)] if bonus is not None else []
    return [f"serves {listed(beneficiaries)} too"] if beneficiaries else []


def _item_lines(state: GloomhavenState, items: dict[str, Any]) -> list[Phrase]:
    lines = []
    for place in ("ready", "spent", "consumed"):
        texts = []
        for number in items[place]:
            facts = state.table.items.get(number)
            used = items["circles_used"].get(str(number), 0)
            circles = "●" * used + "○" * (facts.circles - used) if facts and facts.circles and place == "ready" else ""
            texts.append(f"{facts.name if facts else f'item {number}'}{f' {circles}' if circles else ''}")
        if texts:
            lines.append(Phrase(f"{place}: {', '.join(texts)}", "plain" if place == "ready" else "faint"))
    return lines or [Phrase("none", "faint")]


def in_words(state: GloomhavenState, name: str, field: str, value: Any) -> Any:
    """A value of the view with cards and items by name; a hidden pile stays a number of cards."""
    if name not in state.characters:
        return value
    top, _, inside = field.partition(".")
    if top in ("hand", "selected", "discard", "lost") and isinstance(value, list):
        return [card.name for card in named_cards(state, name, value)]
    if top == "items" and isinstance(value, dict):
        return {place: in_words(state, name, f"items.{place}", numbers) for place, numbers in value.items()}
    if top == "items" and inside in ("ready", "spent", "consumed") and isinstance(value, list):
        facts = state.table.items
        return [facts[number].name if number in facts else f"item {number}" for number in value]
    if top == "active" and isinstance(value, dict) and "kind" in value:
        return _bonus_line(state, name, value)
    if top == "summons" and isinstance(value, dict) and "colour" in value:
        figures = " · ".join(phrase.text for phrase in _figures(value))
        return f"{value['colour']}, {value['hp']} of {value['max_hp']} hp{f' · {figures}' if figures else ''}"
    if top in ("active", "summons") and isinstance(value, list):
        return [in_words(state, name, field, entry) for entry in value]
    return value


def field_in_words(state: GloomhavenState, name: str, field: str, value: Any) -> str:
    """A path on a sheet with cards, summons and items by their names: "active.Warding Strength.token".

    A path to a whole bonus stays as it is, because its value includes the name.
    """
    top, _, inside = field.partition(".")
    number, _, rest = inside.removeprefix("circles_used.").partition(".")
    sheet = state.characters.get(name)
    if sheet is None or not number.isdecimal():
        return field
    match top:
        case "active" if rest or value is None:
            title = named_cards(state, name, (int(number),))[0].name
        case "summons":
            title = next((summon.name for summon in sheet.summons if summon.card == int(number)), number)
        case "items" if int(number) in state.table.items:
            title = f"circles_used of {state.table.items[int(number)].name}"
        case _:
            return field
    return ".".join(part for part in (top, title, rest) if part)


def read_value(state: GloomhavenState, name: str, field: str, value: Any, *, is_typed: bool) -> Any:
    """A value as somebody typed it: cards of a pile become numbers; `is_typed` sorts as the sheet is shown."""
    if not isinstance(value, list) or field not in ("hand", "selected", "discard", "lost", "conditions"):
        return value
    if field == "conditions":
        return sorted(value, key=str) if is_typed else value
    facts = facts_of(state, name)
    ids = [find_card(facts, card).id if isinstance(card, str) else card for card in value]
    return sorted(ids) if is_typed and field != "selected" else ids


def table_rows(state: GloomhavenState) -> Sequence[Row]:
    """The table as rows for display: round, turn and order while a scenario is played, and the scenario."""
    table = state.table
    outcome = f" ({table.outcome})" if table.outcome else ""
    level = f", level {table.level}" if table.level is not None else ""
    rows: list[Row] = []
    if table.playing:
        rows.append(("round", (Phrase(f"{table.round}{f', {table.phase}' if table.phase else ''}"),)))
    turn = whose_turn(state)
    if turn is not None:
        rows.append(("turn", (Phrase(called(turn), "good"),)))
    if table.order:
        rows.append(("order", tuple(_place(state, name, summon) for name, summon in order(state))))
    return [*rows, ("scenario", (Phrase(f"{table.scenario}{level}{outcome}" if table.scenario else "none"),))]


def _place(state: GloomhavenState, name: str, summon: str | None) -> Phrase:
    sheet = state.characters[name]
    if summon is not None:
        return Phrase(summon, "faint" if sheet.acted else "plain")
    number = "rest" if sheet.resting else sheet.initiative
    return Phrase(f"{called(name)} {number}", "faint" if sheet.acted else "plain")


# -- pending decisions -------------------------------------------------------------------------------------


def pending_for(state: GloomhavenState, name: str) -> Sequence[PendingDecision]:
    """The pending decisions of this character."""
    sheet, phase = state.characters[name], state.table.phase
    if sheet.exhausted or sheet.away:
        return ()
    if not state.table.playing:
        return _between(state, name)
    due = _due(state, name)
    if phase == "selection":
        return (*due, *_selecting(state, name))
    if phase == "cleanup":
        return (*due, *_thinking(state, name))
    return (*due, *(_acting(state, name) if whose_turn(state) == name else ()))


def _due(state: GloomhavenState, name: str) -> Sequence[PendingDecision]:
    """After a turn: the conditions that lasted until its end, of the character and of the summons."""
    by_bearer: dict[str, list[str]] = {}
    for held in state.characters[name].conditions_due:
        by_bearer.setdefault(held.summon or name, []).append(STATES[held.condition])
    if not by_bearer:
        return ()
    by = {"character": name}
    choices = (Choice(Expire, by, says="no longer"), Choice(Expire, by, ("keep",), "something stays"))
    bearers = listed(f"{called(bearer)} was {listed(states)}" for bearer, states in by_bearer.items())
    return (PendingDecision(choices, f"{bearers} until the end of the turn."),)


def _between(state: GloomhavenState, name: str) -> Sequence[PendingDecision]:
    """Between scenarios: a level that the character has earned."""
    level = next_level(state.characters[name])
    if level is None:
        return ()
    choice = Choice(LevelUp, {"character": name}, ("card",))
    return (PendingDecision((choice,), f"{called(name)} has experience enough for level {level}."),)


def _selecting(state: GloomhavenState, name: str) -> Sequence[PendingDecision]:
    sheet, by = state.characters[name], {"character": name}
    if not sheet.joined or sheet.resting or len(sheet.selected) == PLAYED:
        return ()
    choices = (
        *([Choice(Select, by, ("lead", "second"))] if len(sheet.hand) + len(sheet.selected) >= PLAYED else []),
        *([Choice(DeclareLongRest, by)] if can_rest(state, name) else []),
    )
    return (PendingDecision(choices, f"{called(name)} has not selected any cards yet."),) if choices else ()


def _thinking(state: GloomhavenState, name: str) -> Sequence[PendingDecision]:
    """After a short rest: whether to keep the card that it lost."""
    sheet = state.characters[name]
    offer = sheet.second_thought
    if offer is None or len(offer.discard) < 2 or offer.card not in sheet.lost:
        return ()
    (card,) = named_cards(state, name, (offer.card,))
    choice = Choice(RerollRest, {"character": name}, says=f"keep {card.name} for 1 damage and lose another")
    why = f"{called(name)} may still keep {card.name} for 1 damage."
    return (PendingDecision((choice,), why, leave=f"lose {card.name}"),)


def _acting(state: GloomhavenState, name: str) -> Sequence[PendingDecision]:
    """On the character's turn: an open attack, else a rest, else wound, summons and the cards left, else its end."""
    sheet, character, by = state.characters[name], called(name), {"character": name}
    if sheet.attack is not None:
        target = f" on {as_noun(sheet.attack.target)}" if sheet.attack.target else ""
        items = [state.table.items[number] for number in sheet.items.ready if number in state.table.items]
        uses = [Choice(UseItem, {**by, "item": item.name}) for item in items if item.affects_attack]
        has_deck = deck_of(state, name) is not None
        choices = (Choice(DrawModifier, by, () if has_deck else ("modifier",)), *uses)
        return (PendingDecision(choices, f"{possessive(character)} attack{target} waits for its modifier."),)
    suffering = _suffering(state, name)
    first = f"{_summons_first(state, name)}{_afflictions(state, name)}"
    if sheet.resting:
        if not can_rest(state, name) and state.options.long_rest_short_of_cards == "refuse":
            return (
                *suffering,
                PendingDecision(
                    (Choice(EndTurn, by),), f"{character} cannot rest: fewer than two cards are discarded."
                ),
            )
        choice = Choice(LongRest, by, ("lose",) if sheet.discard else ())
        return (*suffering, PendingDecision((choice,), f"{first}It is {possessive(character)} turn to rest."))
    if sheet.selected:
        cards = listed(card.name for card in named_cards(state, name, sheet.selected))
        why = f"{first}It is {possessive(character)} turn, with {cards} to perform."
        return (*suffering, *_to_summon(state, name), PendingDecision((Choice(Perform, by, ("card", "half")),), why))
    return (
        *_to_summon(state, name),
        PendingDecision((Choice(EndTurn, by),), f"It is {possessive(character)} turn; both cards are played."),
    )


def _suffering(state: GloomhavenState, name: str) -> Sequence[PendingDecision]:
    """At the start of a turn: 1 damage or a heal for each who is wounded, summons first; the log does neither."""
    sheet = state.characters[name]
    if sheet.halves:
        return ()
    wounded = [
        ally.name
        for ally in _acting_summons(state, name)
        if "wound" in ally.conditions and ally.name not in sheet.summons_settled
    ]
    decisions = []
    for summon in (*wounded, *([None] if "wound" in sheet.conditions and not sheet.wound_settled else [])):
        by = {"character": name, **({"summon": summon} if summon else {})}
        suffers = Choice(Damage, {**by, "amount": 1, "source": BLEEDING, "attack": False}, says="suffer 1, bleeding")
        heals = Choice(Heal, by, ("amount",), says="a heal comes first")
        why = f"{called(summon or name)} is wounded: 1 damage at the start of the turn, unless a heal comes first."
        decisions.append(PendingDecision((suffers, heals), why))
    return decisions


def _acting_summons(state: GloomhavenState, name: str) -> list[SummonOnBoard]:
    """The summons that have a turn in this round, directly before the character's."""
    return [summon for summon in state.characters[name].summons if summon.since_round < state.table.round]


#: What each condition prevents, in words.
HINDRANCES = {
    "stun": "stunned (no actions)",
    "disarm": "disarmed (no attacks)",
    "immobilize": "immobilized (no moves)",
    "muddle": "muddled (attacks at a disadvantage)",
}


def _afflictions(state: GloomhavenState, name: str) -> str:
    """Sentences about the conditions that hinder summons and character at the start of a turn; else "".

    A character who rests does nothing that they hinder.
    """
    sheet = state.characters[name]
    if sheet.halves:
        return ""
    bearers = [(summon.name, summon.conditions) for summon in _acting_summons(state, name)]
    bearers += [] if sheet.resting else [(name, sheet.conditions)]
    hindrances = ((bearer, [HINDRANCES[c] for c in HINDRANCES if c in conditions]) for bearer, conditions in bearers)
    return "".join(f"{called(bearer)} is {listed(words)}. " for bearer, words in hindrances if words)


@rule("GH 47")
def _summons_first(state: GloomhavenState, name: str) -> str:
    """A sentence about the summons that act before their owner; else ""."""
    first = [summon for owner, summon in order(state) if owner == name and summon is not None]
    if not first or state.characters[name].halves:
        return ""
    acts = "acts" if len(first) == 1 else "act"
    return f"{listed(map(called, first))} {acts} directly before {called(name)}, by the monsters' rules. "


def _to_summon(state: GloomhavenState, name: str) -> Sequence[PendingDecision]:
    """For each performed half that summons: the summon that is not on the board yet."""
    sheet, facts = state.characters[name], facts_of(state, name)
    decisions = []
    for bonus in sheet.active:
        card = facts.card(bonus.card)
        summons = card.half(bonus.half).summon if card is not None else None
        if card is None or summons is None or bonus.card not in sheet.performed:
            continue
        if all(summon.card != bonus.card for summon in sheet.summons):
            choice = Choice(Summon, {"character": name, "card": card.name}, (), "it appears")
            decisions.append(PendingDecision((choice,), f"{card.name} summons an ally ({figures_of(summons)})."))
    return decisions


def pending_for_table(state: GloomhavenState) -> Sequence[PendingDecision]:
    """The pending decisions of the table: of the character whose turn it is, else the next step of the round."""
    table = state.table
    if not table.playing:
        decisions = [pending for name in state.characters for pending in pending_for(state, name)]
        return (
            (
                *decisions,
                PendingDecision((Choice(BeginScenario, {}, ("scenario",)),), prompt="No scenario is being played."),
            )
            if state.characters
            else ()
        )
    if table.outcome is not None:
        return (PendingDecision((Choice(EndScenario, {"won": False}),), "Everyone is exhausted."),)
    turn = whose_turn(state)
    due = [pending for name in in_play(state) if name != turn for pending in _due(state, name)]
    if turn is not None:
        return (*due, *pending_for(state, turn))
    return (*due, *_next_step(state))


def _next_step(state: GloomhavenState) -> Sequence[PendingDecision]:
    """The next step of a round in which nobody's turn is open."""
    table = state.table
    if table.phase == "selection":
        here = in_play(state)
        if not here:
            return (_who_is_back(state),)
        ready = all(
            state.characters[name].resting
            or len(state.characters[name].selected) == PLAYED
            or out_of_cards(state, name)
            for name in here
        )
        return (PendingDecision((Choice(Reveal),), "Everyone has chosen."),) if ready else _still_to_choose(state)
    if table.phase == "turns":
        return (PendingDecision((Choice(CleanUp),), "Everyone has had a turn."),)
    resters = [name for name in in_play(state) if may_rest(state, name)] if table.phase == "cleanup" else []
    choices = (Choice(BeginRound), *(Choice(ShortRest, {"character": name}) for name in resters))
    why = f"{listed(map(called, resters))} may take a short rest before the next round." if resters else ""
    return (PendingDecision(choices, why),)


def _who_is_back(state: GloomhavenState) -> PendingDecision:
    """A round that nobody is there to play, until one of those who are away is back."""
    away = (name for name, sheet in state.characters.items() if sheet.joined and sheet.away == "absent")
    return PendingDecision(tuple(Choice(Absence, {"character": name, "here": True}) for name in away), NOBODY_HERE)


def loose_ends(state: GloomhavenState) -> Sequence[PendingDecision]:
    """A scenario that is still being played, which an evening seldom leaves so."""
    if not state.table.playing:
        return ()
    ends = (
        Choice(EndScenario, {"won": True}, says="end the scenario: won"),
        Choice(EndScenario, {"won": False}, says="end the scenario: lost"),
    )
    return (PendingDecision(ends, f"Scenario {state.table.scenario} is still being played."),)


def follow_ups(state: GloomhavenState, facts: Sequence[Event]) -> Sequence[PendingDecision]:
    """What an item does of which the log knows no more than that it was used; who of those that tie goes first."""
    decisions = []
    for use in facts:
        item = state.table.items.get(use.item.id) if isinstance(use, ItemUsed) else None
        if isinstance(use, ItemUsed) and item is not None and figures_unknown(item):
            by = {"character": use.character}
            choices = (Choice(Heal, by, ("amount",)), Choice(Recover, by, ("cards", "kind")))
            decisions.append(PendingDecision(choices, f"What {item.name} does is a line of its own."))
    if any(isinstance(event, Revealed) for event in facts):
        for names in ties(state):
            last_first = Choice(TurnOrder, {"characters": names[::-1]}, says=f"{called(names[-1])} acts first")
            why = f"{listed(map(called, names))} tie; {called(names[0])} acts first, unless you say otherwise."
            decisions.append(PendingDecision((last_first,), why))
    return decisions


def _still_to_choose(state: GloomhavenState) -> Sequence[PendingDecision]:
    """Who has neither selected two cards nor declared a rest, with the choices of the first of them."""
    decisions = [(name, pending) for name in in_play(state) for pending in _selecting(state, name)]
    have = "has" if len(decisions) == 1 else "have"
    names = listed(called(name) for name, _ in decisions)
    return (PendingDecision(decisions[0][1].choices, f"{names} still {have} to choose."),) if decisions else ()


def cards_of(state: GloomhavenState, name: str) -> dict[int | str, str]:
    """Every card of the character's class."""
    return {card.id: card.name for card in facts_of(state, name).cards}


def pile_of(sheet: Mapping[str, Any], card: int | str) -> str | None:
    """The name of the pile a card is in; None if it may be in a pile of which the view has only the number."""
    for field, label in (("discard", "discarded"), ("lost", "lost")):
        if card in sheet[field]:
            return label
    if any(bonus["card"] == card and "lent_by" not in bonus for bonus in sheet["active"]):
        return "active"
    for field, label in (("hand", "in hand"), ("selected", "selected")):
        if isinstance(sheet[field], list) and card in sheet[field]:
            return label
    return "set aside" if isinstance(sheet["hand"], list) else None


PILES = CardPiles(cards_of, pile_of)
