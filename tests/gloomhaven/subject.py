"""Gloomhaven in the suite that every rule system has to pass."""

from pathlib import Path
from random import Random
from typing import Any

from domain.gloomhaven.order import whose_turn
from domain.gloomhaven.rounds import ties
from domain.gloomhaven.sheet import GloomhavenSheet
from tests.gloomhaven.evening import EVENING
from tests.kit.given import Given
from tests.kit.subjects import Line, Subject

NAMES = ("brog", "spell", "grob")
HANDS = {"brute": (1, 2, 4, 5, 6, 7, 8, 9, 12, 13), "spellweaver": (61, 63, 64, 65, 66, 69, 70, 71)}
ITEMS = (3, 6, 8, 12)


def some(chance: Random, cards: tuple[int, ...], count: int = 1) -> list[int]:
    return chance.sample(cards, min(count, len(cards))) or [chance.choice((1, 61))]


def one(chance: Random, *cards: int) -> int:
    return some(chance, cards)[0]


def pay(chance: Random, sheet: GloomhavenSheet) -> dict[str, Any]:
    """A way to negate damage, or none."""
    ways: list[dict[str, Any]] = [{}, {}]
    if sheet.hand:
        ways.append({"lose_hand": one(chance, *sheet.hand)})
    if len(sheet.discard) >= 2:
        ways.append({"lose_discard": some(chance, sheet.discard, 2)})
    return chance.choice(ways)


#: A card of level 2 that the Brute is not built in with.
RUSH = {"class": "brute", "id": 901, "name": "Barrow Rush", "level": 2, "initiative": 40}

CONDITIONS = ("wound", "stun", "bless", "curse")


def enrolment(chance: Random, name: str, *, rush: bool) -> Line:
    kind = "spellweaver" if name == "spell" else "brute"
    items = ITEMS[: chance.randint(1, 4)]
    return {
        "type": "gloomhaven.enrol", "character": name, "class": kind, "hand": HANDS[kind], "items": items,
        "player": name, "xp": 50, "gold": 30, "modifiers": chance.choice(("deck", "deck", "table")),
        **({"level": 2, "gained": [901]} if rush and kind == "brute" and chance.random() < 0.5 else {}),
    }  # fmt: skip


def laid_out(chance: Random, sheet: GloomhavenSheet) -> dict[str, Any]:
    """The cards, dealt anew by the referee's word."""
    cards = chance.sample(sheet.chosen, len(sheet.chosen))
    cut, end = sorted((chance.randint(2, len(cards)), chance.randint(2, len(cards))))
    return {"hand": cards[:cut], "discard": cards[cut:end], "lost": cards[end:], "selected": [], "active": []}


def onward(chance: Random, at: Given) -> dict[str, Any]:
    """What the phase waits for, done by whoever it waits for."""
    state = at.handler.state()
    table = state.table
    if not table.playing:
        return {"type": "gloomhaven.begin_scenario", "scenario": "1", "level": 2}
    if table.outcome == "lost":
        return {"type": "gloomhaven.end_scenario", "won": False}
    if table.phase in (None, "cleanup"):
        resters = [n for n, s in state.characters.items() if len(s.discard) >= 2 and not s.rested and not s.exhausted]
        thinking = [name for name, sheet in state.characters.items() if sheet.second_thought]
        if table.phase and thinking and chance.random() < 0.4:
            who = chance.choice(thinking)
            return {"type": "gloomhaven.reroll_rest", "character": who, **pay(chance, state.characters[who])}
        if table.phase and resters and chance.random() < 0.6:
            who = chance.choice(resters)
            reroll = chance.random() < 0.4
            paid = pay(chance, state.characters[who]) if reroll else {}
            return {"type": "gloomhaven.short_rest", "character": who, "reroll": reroll, **paid}
        return {"type": "gloomhaven.begin_round"}
    if table.phase == "selection":
        waiting = [n for n, s in state.characters.items() if s.joined and not (s.exhausted or s.resting or s.selected)]
        if not waiting:
            return {"type": "gloomhaven.reveal"}
        who = chance.choice(waiting)
        sheet = state.characters[who]
        if len(sheet.hand) < 2 or (len(sheet.discard) >= 2 and chance.random() < 0.3):
            return {"type": "gloomhaven.declare_long_rest", "character": who}
        others = [other.selected for other in state.characters.values() if {*other.selected} <= {*sheet.hand}]
        alike = [pair for pair in others if len(pair) == 2]
        lead, second = chance.choice(alike) if alike and chance.random() < 0.4 else some(chance, sheet.hand, 2)
        return {"type": "gloomhaven.select", "character": who, "lead": lead, "second": second}
    seen = [name for name, sheet in state.characters.items() if sheet.modifier_deck and sheet.modifier_deck.top]
    if seen and chance.random() < 0.2:
        deck = state.characters[seen[0]].modifier_deck
        return {"type": "gloomhaven.put_back", "character": seen[0], "bottom": list(deck.top) if deck else []}
    due = [name for name, sheet in state.characters.items() if sheet.due and not sheet.exhausted]
    if due and chance.random() < 0.4:
        keep = {"keep": [chance.choice(CONDITIONS)]} if chance.random() < 0.3 else {}
        return {"type": "gloomhaven.expire", "character": due[0], **keep}
    turn = whose_turn(state)
    if turn is None:
        return {"type": "gloomhaven.clean_up"}
    if (tied := ties(state)) and chance.random() < 0.4:
        return {"type": "gloomhaven.turn_order", "characters": tied[0][::-1]}
    sheet = state.characters[turn]
    if sheet.resting:
        lose = {"lose": one(chance, *sheet.discard)} if sheet.discard else {}
        return {"type": "gloomhaven.long_rest", "character": turn, **lose}
    if sheet.attack is not None:
        if sheet.modifier_deck is not None and sheet.modifier_deck.kept:
            how = chance.choice(({}, {"advantage": True}, {"disadvantage": True}))
            return {"type": "gloomhaven.draw_modifier", "character": turn, **how}
        return {"type": "gloomhaven.draw_modifier", "character": turn, "modifier": "+1"}
    halves = [half for half in ("top", "bottom") if half not in sheet.halves]
    if sheet.selected and halves and chance.random() < 0.85:
        allies = [name for name in state.characters if name != turn and not state.characters[name].exhausted]
        allies += [f"{name}/{summon.name}" for name in state.characters for summon in state.characters[name].summons]
        return {
            "type": "gloomhaven.perform", "character": turn, "card": one(chance, *sheet.selected),
            "half": chance.choice(halves), "basic": chance.random() < 0.1, "condition_met": chance.random() < 0.5,
            **({"active": "persistent", "slots": [1, 0], "shield": 1} if chance.random() < 0.3 else {}),
            **({"beneficiaries": [chance.choice(allies)], "active": "round", "shield": 1}
               if allies and chance.random() < 0.2 else {}),
        } if chance.random() < 0.9 else {"type": "gloomhaven.attack", "character": turn}  # fmt: skip
    return {"type": "gloomhaven.end_turn", "character": turn, "tokens": chance.randint(0, 2)}


def in_town(chance: Random, who: str) -> Line:
    """What is done between scenarios."""
    verb, fields = chance.choice(
        (
            ("buy_item", {"item": chance.choice((9, 10, 11, 13, 14))}),
            ("sell_item", {"item": chance.choice(ITEMS)}),
            ("choose_hand", {"hand": chance.sample((61, *range(1, 14)), 10)}),
            ("level_up", {"card": 901}),
            ("modifiers", {"modifiers": chance.choice(("deck", "deck", "table"))}),
            ("perk", {"remove": ["-1"], "add": [chance.choice(("+1", "rolling +1"))]}),
            ("reward", {"xp": 5, "items": [chance.choice(ITEMS)], "why": "The city is grateful."}),
        )
    )
    return {"type": f"gloomhaven.{verb}", "character": who, **fields}


def line(chance: Random, at: Given) -> Line:
    """Something that might be done under the rules of Gloomhaven, by three who were enrolled first."""
    state = at.handler.state()
    absent = [name for name in NAMES if name not in state.characters]
    known = state.table.classes.get("brute")
    if state.characters and (known is None or known.card(901) is None) and chance.random() < 0.3:
        return {"type": "gloomhaven.learn", "cards": [RUSH]}
    if absent and chance.random() < (0.9 if len(absent) == len(NAMES) else 0.4):
        return enrolment(chance, absent[0], rush=known is not None and known.card(901) is not None)
    if not state.characters or chance.random() < 0.6:
        return onward(chance, at)
    at_turn = whose_turn(state)
    who = at_turn if at_turn and chance.random() < 0.6 else chance.choice(tuple(state.characters))
    sheet = state.characters[who]
    if not state.table.playing and chance.random() < 0.6:
        return in_town(chance, who)
    active = tuple(bonus.card for bonus in sheet.active)
    used_up = chance.choice(("spent", "consumed"))
    used = sheet.items.spent if used_up == "spent" else sheet.items.consumed
    summons = [summon.name for summon in sheet.summons]
    kind = chance.choice(("discarded", "lost"))
    pile = sheet.lost if kind == "lost" else sheet.discard
    called_up = {"card": one(chance, *active), "name": f"{who}'s {chance.choice('ab')}", "hp": 2, "colour": who}
    everything: tuple[tuple[str, dict[str, Any]], ...] = (
        ("damage", {"amount": chance.randint(0, 4), "attack": chance.random() < 0.7, "item_shield": 1,
                    "effects": ["poison"], **pay(chance, sheet)}),
        ("damage", {"amount": chance.choice((1, 2, 3, 12)), "attack": False}),
        ("damage", {"amount": chance.choice((1, 2, 3)), "items": list(sheet.items.ready[:1]) or None}),
        ("damage", {"amount": 2, "attack": False, **pay(chance, sheet)}),
        ("heal", {"amount": chance.randint(1, 4)}),
        ("condition", {"condition": chance.choice(CONDITIONS), "gained": chance.random() < 0.6}),
        ("condition", {"condition": "stun"}),
        *[("use_item", {"item": item, "declined": chance.random() < 0.2}) for item in sheet.items.ready],
        *[("refresh", {"items": [one(chance, *used)], "kind": used_up})] * (2 if used else 0),
        *[("trigger", {"card": one(chance, *active)})] * (4 if active else 0),
        ("put_away", {"card": one(chance, *active)}),
        ("recover", {"cards": some(chance, pile, 2), "kind": kind, "up_to": 2}),
        ("loot", {"tokens": 1, "item": chance.choice(ITEMS)}),
        *[("summon", called_up)] * (6 if active else 0),
        *[("summon_damage", {"summon": name, "amount": chance.randint(1, 2)}) for name in summons * 3],
        *[("damage", {"summon": name, "amount": chance.randint(0, 2), "effects": ["poison"]}) for name in summons * 3],
        *[("heal", {"summon": name, "amount": 1}) for name in summons],
        *[("condition", {"summon": name, "condition": "wound"}) for name in summons],
        *[("kill", {"monster": "Guard", "summon": name}) for name in summons],
        ("kill", {"monster": "Guard"}),
        ("perk", {"remove": [chance.choice(("-1", "-2", "+0"))], "add": [chance.choice(("+1", "rolling +1"))]}),
        chance.choice(
            (
                ("look", {"count": chance.randint(1, 3)}),
                ("shuffle", {"undrawn": chance.random() < 0.5}),
                ("take_out", {"cards": [chance.choice(("-1", "curse", "2x"))]}),
            )
        ),
        ("end_scenario", {"won": True}) if chance.random() < 0.2 else ("begin_round", {}),
        ("select", {"lead": one(chance, *sheet.hand), "second": one(chance, *sheet.hand)}),
    )  # fmt: skip
    if chance.random() < 0.04:
        return {"type": "override", "character": who, "set": laid_out(chance, sheet), "why": "Dealt anew."}
    tag, fields = chance.choice(everything)
    mine = {} if tag in ("end_scenario", "begin_round") else {"character": who}
    return {"type": f"gloomhaven.{tag}", **mine, **fields}


def sound(at: Given) -> None:
    """What is true of every sheet after every turn."""
    state = at.handler.state()
    for name, sheet in state.characters.items():
        assert sorted(sheet.cards) == sorted(sheet.chosen), name
        assert len(sheet.chosen) == state.table.classes[sheet.class_].hand_size
        shown = at.sheet(name)
        own = [bonus for bonus in shown["active"] if "lent_by" not in bonus]
        lying = [*shown["hand"], *shown["selected"], *shown["discard"], *shown["lost"], *(b["card"] for b in own)]
        assert sorted(lying) == sorted(sheet.chosen)
        assert 0 <= shown["hp"] <= shown["max_hp"]
        assert shown["exhausted"] or shown["hp"] > 0
        if shown["exhausted"]:
            assert not any(shown[pile] for pile in ("hand", "selected", "discard", "active", "summons", "conditions"))
            assert shown["initiative"] is None
            assert name not in at.system.table_view(state)["order"]
        for bonus in own:
            assert (bonus["token"] is None) == (not bonus["slots"])
        assert all(sheet.bonus(summon.card) is not None for summon in sheet.summons)
        items = shown["items"]
        assert all(int(number) in items["ready"] for number in items["circles_used"])
        left = shown["modifiers"]
        assert left is None or all(count > 0 for count in left.values())
        for card in ("bless", "curse") if left is not None else ():
            assert (card in left) <= (card in shown["conditions"]) or shown["exhausted"], name
    for card in ("bless", "curse"):
        assert sum((at.sheet(name)["modifiers"] or {}).get(card, 0) for name in state.characters) <= 10


def sound_when_kept(at: Given) -> None:
    """Kept turns move cards and never double them."""
    for sheet in at.handler.state().characters.values():
        assert sorted(sheet.cards) == sorted(sheet.chosen)


def otherwise(chance: Random, at: Given, line: Line) -> Line:
    """The same with other cards in hand or face down."""
    sheet = at.handler.state().characters.get(line.get("character", ""))
    if sheet is None:
        return line
    if line["type"] == "gloomhaven.select":
        held = (*sheet.hand, *sheet.selected)
        lead, second = some(chance, held, 2) if len(held) > 1 else (1, 2)
        return {**line, "lead": lead, "second": second}
    if line["type"] == "gloomhaven.choose_hand":
        return {**line, "hand": chance.sample(range(1, 14), 10)}
    return line


SUBJECT = Subject(
    key="gloomhaven",
    line=line,
    stored_names=Path(__file__).with_name("stored.txt"),
    paragraphs=tuple(str(number) for number in range(1, 88)),
    options={
        "conditions_end": ("5", ("asked", "by_themselves")),
        "active_counts_for_rest": ("29", (True, False)),
        "persistent_to": ("26", ("its_pile", "lost")),
        "reroll_damage_negatable": ("81", (True, False)),
        "long_rest_short_of_cards": ("78", ("lose_if_available", "refuse")),
        "part_used_items": ("86", ("stay", "reset")),
    },
    tries=(12, 40),
    sound=sound,
    sound_when_kept=sound_when_kept,
    viewer="spell",
    otherwise=otherwise,
    contract=Path(__file__).with_name("contract.txt"),
    evening=EVENING,
)
