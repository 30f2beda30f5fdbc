"""What holds at every table, whatever is done, undone or redone."""

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.common.campaign import Amend, Override, Redo, SheetCheck, Undo, decide
from domain.gloomhaven import actions as a
from domain.gloomhaven.completing import CARDS
from domain.gloomhaven.order import whose_turn
from domain.gloomhaven.sheet import GloomhavenSheet
from domain.log.chance import Chance
from domain.log.folding import state_at
from domain.log.standing import judge, tell
from domain.system.registry import record_types
from domain.turn import Event
from tests.gloomhaven.tables import BRUTE, brog, cleaned_up, on_turn, piles, playing, selecting, spell
from tests.kit.given import Given

NAMES = ("brog", "spell", "grob", "zoe")
OPTIONS: dict[str, tuple[Any, ...]] = {
    "active_counts_for_rest": (True, False),
    "persistent_to": ("its_pile", "lost"),
    "reroll_damage_negatable": (True, False),
    "long_rest_short_of_cards": ("lose_if_available", "refuse"),
    "part_used_items": ("stay", "reset"),
}
HANDS = {"brute": (1, 2, 4, 5, 6, 7, 8, 9, 12, 13), "spellweaver": (61, 63, 64, 65, 66, 69, 70, 71)}
ITEMS = (3, 6, 8, 12)
seeds = st.integers(0, 2**32)
modest = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


# -- random tables -----------------------------------------------------------------------------------------


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


def laid_out(chance: Random, sheet: GloomhavenSheet) -> dict[str, Any]:
    """The cards, dealt anew by the referee's word."""
    cards = chance.sample(sheet.chosen, len(sheet.chosen))
    cut, end = sorted((chance.randint(2, len(cards)), chance.randint(2, len(cards))))
    return {"hand": cards[:cut], "discard": cards[cut:end], "lost": cards[end:], "selected": [], "active": []}


def onward(chance: Random, at: Given) -> dict[str, Any]:
    """What the phase waits for, done by whoever it waits for."""
    state = at.scribe.state()
    table = state.table
    if not table.playing:
        return {"type": "gloomhaven.begin_scenario", "scenario": "1", "level": 2}
    if table.outcome == "lost":
        return {"type": "gloomhaven.end_scenario", "won": False}
    if table.phase in (None, "cleanup"):
        resters = [n for n, s in state.characters.items() if len(s.discard) >= 2 and not s.rested and not s.exhausted]
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
        lead, second = some(chance, sheet.hand, 2)
        return {"type": "gloomhaven.select", "character": who, "lead": lead, "second": second}
    turn = whose_turn(state)
    if turn is None:
        return {"type": "gloomhaven.clean_up"}
    sheet = state.characters[turn]
    if sheet.resting:
        lose = {"lose": one(chance, *sheet.discard)} if sheet.discard else {}
        return {"type": "gloomhaven.long_rest", "character": turn, **lose}
    if sheet.attack is not None:
        return {"type": "gloomhaven.draw_modifier", "character": turn, "modifier": "+1"}
    halves = [half for half in ("top", "bottom") if half not in sheet.halves]
    if sheet.selected and halves and chance.random() < 0.85:
        allies = [name for name in state.characters if name != turn and not state.characters[name].exhausted]
        return {
            "type": "gloomhaven.perform", "character": turn, "card": one(chance, *sheet.selected),
            "half": chance.choice(halves), "basic": chance.random() < 0.1, "condition_met": chance.random() < 0.5,
            **({"active": "persistent", "slots": [1, 0], "shield": 1} if chance.random() < 0.15 else {}),
            **({"beneficiaries": allies[:1], "active": "round"} if allies and chance.random() < 0.1 else {}),
        } if chance.random() < 0.9 else {"type": "gloomhaven.attack", "character": turn}  # fmt: skip
    return {"type": "gloomhaven.end_turn", "character": turn, "tokens": chance.randint(0, 2)}


def something(chance: Random, at: Given) -> dict[str, Any]:
    """One thing that might be done at this table; not all of it is legal."""
    state = at.scribe.state()
    if not state.characters or chance.random() < 0.6:
        return onward(chance, at)
    who = chance.choice(tuple(state.characters))
    sheet = state.characters[who]
    active = tuple(bonus.card for bonus in sheet.active)
    kind = chance.choice(("discarded", "lost"))
    pile = sheet.lost if kind == "lost" else sheet.discard
    called_up = {"card": one(chance, *active), "name": f"{who}'s {chance.choice('ab')}", "hp": 2, "colour": who}
    everything: tuple[tuple[str, dict[str, Any]], ...] = (
        ("damage", {"amount": chance.randint(0, 4), "attack": chance.random() < 0.7, "item_shield": 1,
                    "effects": ["poison"], **pay(chance, sheet)}),
        ("damage", {"amount": chance.choice((1, 2, 3, 12)), "attack": False}),
        ("damage", {"amount": 2, "attack": False, **pay(chance, sheet)}),
        ("heal", {"amount": chance.randint(1, 4)}),
        ("condition", {"condition": chance.choice(("wound", "stun")), "gained": chance.random() < 0.6}),
        ("use_item", {"item": chance.choice(ITEMS), "declined": chance.random() < 0.2}),
        ("refresh", {"items": [chance.choice(ITEMS)], "kind": chance.choice(("spent", "consumed"))}),
        *[("trigger", {"card": one(chance, *active)})] * (3 if active else 0),
        ("put_away", {"card": one(chance, *active)}),
        ("recover", {"cards": some(chance, pile, 2), "kind": kind, "up_to": 2}),
        ("loot", {"tokens": 1, "item": chance.choice(ITEMS)}),
        *[("summon", called_up)] * (3 if active else 0),
        ("summon_damage", {"summon": f"{who}'s a", "amount": chance.randint(1, 2)}),
        ("kill", {"monster": "Guard"}),
        ("end_scenario", {"won": True}) if chance.random() < 0.2 else ("begin_round", {}),
        ("sell_item", {"item": chance.choice(ITEMS)}),
        ("choose_hand", {"hand": chance.sample(range(1, 14), 10)}),
        ("level_up", {"card": 11}),
        ("select", {"lead": one(chance, *sheet.hand), "second": one(chance, *sheet.hand)}),
    )  # fmt: skip
    if chance.random() < 0.04:
        return {"type": "override", "character": who, "set": laid_out(chance, sheet), "why": "Dealt anew."}
    tag, fields = chance.choice(everything)
    mine = {} if tag in ("end_scenario", "begin_round") else {"character": who}
    return {"type": f"gloomhaven.{tag}", **mine, **fields}


def play(chance: Random, turns: int = 60) -> Given:
    """A table of two to four characters at which random things were done."""
    options = {name: chance.choice(values) for name, values in OPTIONS.items()}
    at = Given("gloomhaven", options=options, seed=chance.randrange(10**6))
    for number, name in enumerate(NAMES[: chance.randint(2, 4)]):
        kind = ("brute", "spellweaver")[number % 2]
        at.when({"type": "gloomhaven.enrol", "character": name, "class": kind, "hand": HANDS[kind],
                 "items": ITEMS[: chance.randint(1, 4)], "player": name, "xp": 50})  # fmt: skip
        assert at.error is None, at.error
    tries = 0
    while at.log.last() < turns and tries < 3 * turns:
        at.when(something(chance, at))
        tries += 1
        sound(at)
    return at


def sound(at: Given) -> None:
    """What is true of every sheet after every turn."""
    state = at.scribe.state()
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
            assert name not in at.system.shown_table(state)["order"]
        for bonus in own:
            assert (bonus["token"] is None) == (not bonus["slots"])
        assert all(sheet.bonus(summon.card) is not None for summon in sheet.summons)
        items = shown["items"]
        assert all(int(number) in items["ready"] for number in items["circles_used"])
        at.system.drawn(state, name, shown)
        at.system.open_matters(state, name)


def revise(chance: Random, at: Given, settle: str = "drop") -> None:
    if chance.random() < 0.25:
        at.when({"type": "redo", "conflicts": settle})
    else:
        at.when({"type": "undo", "turns": [chance.randint(2, at.log.last())], "conflicts": settle})


def facts_of(at: Given) -> list[tuple[Event, ...]]:
    return [each.facts if each.standing else () for each in tell(at.log)]


# -- the properties ----------------------------------------------------------------------------------------


@modest
@given(seeds)
def test_every_card_is_in_exactly_one_pile_after_every_turn(seed: int) -> None:
    chance = Random(seed)
    at = play(chance)
    for _ in range(4):
        revise(chance, at)
        sound(at)
        for _ in range(3):
            at.when(something(chance, at))
            sound(at)


@modest
@given(seeds)
def test_kept_turns_move_cards_and_never_double_them(seed: int) -> None:
    chance = Random(seed)
    at = play(chance, 35)
    for _ in range(3):
        revise(chance, at, "keep")
        for sheet in at.scribe.state().characters.values():
            assert sorted(sheet.cards) == sorted(sheet.chosen)


@modest
@given(seeds)
def test_undo_then_redo_is_nothing(seed: int) -> None:
    chance = Random(seed)
    at = play(chance)
    before, facts = at.sheets(), facts_of(at)
    for _ in range(3):
        at.when({"type": "undo", "turns": [chance.randint(2, at.log.last())], "conflicts": "drop"})
        if at.error is None:
            at.when({"type": "redo"})
            assert at.error is None
            assert at.sheets() == before
            assert facts_of(at)[: len(facts)] == facts


@modest
@given(seeds)
def test_deciding_each_standing_turn_again_tells_what_the_log_tells(seed: int) -> None:
    chance = Random(seed)
    at = play(chance)
    for _ in range(3):
        revise(chance, at, chance.choice(("drop", "keep")))
    judgement = judge(at.log)
    state = at.system.opening()
    for each in tell(at.log):
        if not each.standing or isinstance(each.turn.action, Undo | Redo | Amend):
            continue
        pinned = each.turn.number == 1 or each.kept or isinstance(each.action, Override | SheetCheck)
        if not pinned:
            again = Chance(each.turn.seed, judgement.chance(each.turn), lenient=True, used=at.scribe.used)
            assert tuple(decide(at.system, state, each.action, again, each.turn.number).events) == each.facts
        for event in each.facts:
            at.system.evolve[type(event)](state, event)


@modest
@given(seeds)
def test_a_state_rebuilt_is_the_state_caught_up(seed: int) -> None:
    chance = Random(seed)
    at = play(chance)
    revise(chance, at)
    at.when(something(chance, at))
    assert at.scribe.state() == state_at(at.system, at.log)


@modest
@given(seeds)
def test_remembering_is_total_over_any_order_of_facts(seed: int) -> None:
    chance = Random(seed)
    facts = [event for each in tell(play(chance).log) for event in each.facts]
    chance.shuffle(facts)
    at = Given("gloomhaven")
    state = at.system.opening()
    for event in facts[: chance.randint(0, len(facts))]:
        at.system.evolve[type(event)](state, event)
    for name in state.characters:
        at.system.drawn(state, name, at.system.shown(state, name))
        at.system.open_matters(state, name)
    at.system.drawn_table(state)


@modest
@given(seeds)
def test_every_turn_can_be_stored_read_back_and_told(seed: int) -> None:
    turn = record_types("gloomhaven").turn
    for each in play(Random(seed)).log.read():
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(each), type=turn) == each
        assert msgspec.json.decode(msgspec.json.encode(each), type=turn) == each
        for event in each.events:
            said = "".join(event.told())
            assert said.rstrip()[-1] in ".)"


# -- what the command line proposes ------------------------------------------------------------------------


@modest
@given(seeds)
def test_proposed_cards_are_never_unknown_or_out_of_place(seed: int) -> None:
    chance = Random(seed)
    at = play(chance, 25)
    state = at.scribe.state()
    for name in state.characters:
        for kind, field in CARDS:
            proposed = at.system.proposals(state, kind, field, name)
            assert proposed is not None
            assert len(set(proposed)) == len(proposed)
        for card in at.system.proposals(state, a.PutAway, "card", name) or ():
            at.when({"type": "gloomhaven.put_away", "character": name, "card": card})
            assert at.error is None or at.scribe.state().table.outcome == "lost"


def proposed(at: Given, kind: type[Any], field: str, name: str = "brog") -> list[str]:
    return list(at.system.proposals(at.scribe.state(), kind, field, name) or ())


def test_what_is_proposed_is_what_is_legal_now() -> None:
    at = playing(brog(items=(3, 6), gold=10), spell())
    assert proposed(at, a.Select, "lead") == []
    at = selecting(brog(items=(3, 6), gold=10), spell()).and_given(piles("2 3", "1 4"))
    assert proposed(at, a.Select, "second") == ["Eye for an Eye", "Sweeping Blow"]
    assert proposed(at, a.Damage, "lose_hand") == ["Eye for an Eye", "Sweeping Blow"]
    assert proposed(at, a.Damage, "lose_discard") == ["Trample", "Provoking Roar"]
    assert proposed(at, a.LongRest, "lose") == []
    assert proposed(at, a.UseItem, "item") == ["Hide Armor"]
    assert proposed(at, a.SellItem, "item") == ["Hide Armor", "Eagle-Eye Goggles"]
    assert "Minor Healing Potion" in proposed(at, a.BuyItem, "item")
    assert "Heater Shield" not in proposed(at, a.BuyItem, "item")
    assert "Overwhelming Assault" in proposed(at, a.Recover, "cards")
    assert proposed(at, a.LevelUp, "card") == ["Skewer", "Balanced Measure", "Wall of Doom"]
    assert "Wall of Doom" in proposed(at, a.ChooseHand, "hand")
    assert proposed(at, a.Enrol, "class") == ["brute", "spellweaver"]
    assert at.system.proposals(at.scribe.state(), a.Select, "lead", None) is None
    assert at.system.proposals(at.scribe.state(), a.Kill, "monster", "brog") is None


def test_what_a_turn_and_a_cleanup_offer() -> None:
    at = on_turn(7, 1).and_given(a.Perform(character="brog", card=7, half="bottom"))
    assert proposed(at, a.Perform, "card") == ["Trample"]
    assert proposed(at, a.Summon, "card") == proposed(at, a.Trigger, "card") == ["Warding Strength"]
    at.and_given(a.Summon(character="brog", card=7, name="Bat", hp=2, colour="red"), a.Attack(character="brog"))
    assert proposed(at, a.Perform, "card") == proposed(at, a.Summon, "card") == []
    assert proposed(at, a.Kill, "summon") == ["Bat"]
    at = cleaned_up()
    assert proposed(at, a.ShortRest, "drawn") == ["Trample", "Provoking Roar"]
    at.and_given(piles("2 3", "1"))
    assert proposed(at, a.ShortRest, "drawn") == proposed(at, a.Damage, "lose_discard") == []


def test_unrecoverable_cards_are_not_proposed() -> None:
    at = playing(spell()).and_given(piles("61 62", "64", "spell"))
    assert "Reviving Ether" not in proposed(at, a.Recover, "cards", "spell")
    assert "Freezing Nova" in proposed(at, a.Recover, "cards", "spell")


@pytest.mark.parametrize("name", ["nobody", "brog"])
def test_nothing_is_proposed_for_the_exhausted_or_unknown(name: str) -> None:
    at = playing().and_given(a.Damage(character="brog", amount=10))
    assert proposed(at, a.Damage, "lose_hand", name) == []
    at.has("brog", lost=list(BRUTE))
