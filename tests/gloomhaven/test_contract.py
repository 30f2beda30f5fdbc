"""The contract of Gloomhaven as tables played through JSON: each line with what it comes to and what is then shown.

A step is an action and what comes of it: OK, the rule that refuses it, NO_RULE for a refusal outside the
rules, INVALID, CONFLICT. After it may stand what the sheets, or TABLE, now say.
"""

from typing import Any

import pytest

from domain.refusal import Conflict, Invalid, Refusal
from tests.kit.given import Given

OK, INVALID, CONFLICT, NO_RULE = "ok", "invalid", "conflict", "refused outside the rules"
TABLE = "the table"
Line = dict[str, Any]
Step = tuple[Any, ...]

BRUTE, WEAVER = list(range(1, 11)), list(range(61, 69))
#: Ten cards of the Brute with Wall of Doom, eight of the Spellweaver with a summon.
DOOM, WISPS = [1, 2, 3, 4, 5, 6, 7, 11, 12, 13], [61, 62, 63, 64, 65, 66, 67, 71]


def do(verb: str, character: str | None = "brog", /, **fields: Any) -> Line:
    """One line of `campaign act`."""
    return {"type": f"gloomhaven.{verb}", **({"character": character} if character else {}), **fields}


def rest(**fields: Any) -> Line:
    return do("short_rest", **fields)


def hit(amount: int, name: str = "brog", **fields: Any) -> Line:
    return do("damage", name, amount=amount, **fields)


def override(name: str = "brog", /, **fields: Any) -> Line:
    return {"type": "override", "character": name, "set": fields, "why": "So it lies on the table."}


def lies(hand: list[int], discard: list[int], name: str = "brog", **fields: Any) -> Line:
    """Cards in hand and discarded; every other one that is nowhere else is lost."""
    elsewhere = {*hand, *discard, *fields.get("selected", ()), *(each["card"] for each in fields.get("active", ()))}
    lost = [card for card in (BRUTE if name == "brog" else WEAVER) if card not in elsewhere]
    return override(name, **{"selected": [], "hand": hand, "discard": discard, "lost": lost, **fields})


def bonus(card: int, half: str = "bottom", kind: str = "persistent", counts_as: str = "lost", **fields: Any) -> Line:
    """A card in the active area, whole, as a sheet prints it."""
    return {
        "card": card, "half": half, "kind": kind, "counts_as": counts_as, "slots": [], "token": None, "shield": 0,
        "retaliate": 0, "range": 0, "negates_damage": False, **fields,
    }  # fmt: skip


def ward(token: int) -> Line:
    return bonus(7, slots=[0, 1, 0, 1, 0, 1], token=token, shield=1)


def frost(token: int) -> Line:
    return bonus(66, slots=[1, 1], token=token, negates_damage=True)


def items(ready: list[int], spent: list[int], consumed: list[int], **circles: int) -> Line:
    return {
        "ready": ready,
        "spent": spent,
        "consumed": consumed,
        "circles_used": {k[1:]: n for k, n in circles.items()},
    }


BROG: Step = (do("enrol", **{"class": "brute"}, player="ann"), OK)
SPELL: Step = (do("enrol", "spell", **{"class": "spellweaver"}, player="ben"), OK)
DOOMED: Step = (do("enrol", **{"class": "brute"}, hand=DOOM), OK)
SUMMONER: Step = (do("enrol", "spell", **{"class": "spellweaver"}, hand=WISPS), OK)
BEGIN: Step = (do("begin_scenario", None, scenario="1"), OK)
ROUND: Step = (do("begin_round", None), OK)
REVEAL: Step = (do("reveal", None), OK)
CLEAN: Step = (do("clean_up", None), OK)
END: Step = (do("end_turn"), OK)
DECLARE: Step = (do("declare_long_rest"), OK)


def plays(lead: int, second: int, name: str = "brog") -> Step:
    return do("select", name, lead=lead, second=second), OK


def performs(card: int, half: str, name: str = "brog", **fields: Any) -> Step:
    return do("perform", name, card=card, half=half, **fields), OK


def turn(lead: int, second: int, *enrolled: Step) -> tuple[Step, ...]:
    """Brog's turn of round 1."""
    return *(enrolled or (BROG,)), BEGIN, ROUND, plays(lead, second), REVEAL


def cleanup(hand: list[int], discard: list[int], **fields: Any) -> tuple[Step, ...]:
    """The cleanup of round 1 with these cards."""
    return *turn(1, 4), END, CLEAN, (lies(hand, discard, **fields), OK)


def frosted(*enrolled: Step) -> tuple[Step, ...]:
    return *(enrolled or (SPELL,)), BEGIN, ROUND, plays(66, 61, "spell"), REVEAL, performs(66, "bottom", "spell")


FRESH: Line = {
    "player": None, "class": "brute", "level": 1, "hp": 10, "max_hp": 10, "xp": 0, "gold": 0, "hand": BRUTE,
    "selected": [], "discard": [], "lost": [], "active": [], "items": items([], [], []), "summons": [],
    "conditions": [], "resting": False, "initiative": None, "acted": False, "exhausted": False, "kills": 0,
}  # fmt: skip
OUT: Line = {
    "hand": [], "selected": [], "discard": [], "lost": BRUTE, "active": [], "summons": [], "conditions": [],
    "resting": False, "initiative": None, "exhausted": True,
}  # fmt: skip

TABLES: list[tuple[str, Line, tuple[Step, ...]]] = [
    ("a sheet and the table are whole from the start", {}, (
        (do("enrol", "Brog", **{"class": "BRUTE"}), OK,
         {"Brog": FRESH, TABLE: {"scenario": None, "round": 0, "phase": None, "order": [], "outcome": None}}),
        (do("enrol", "ＢＲＯＧ", **{"class": "brute"}), NO_RULE),
        (do("enrol", "z", **{"class": "spellweaver"}, level=9), OK, {"z": {"hp": 14, "xp": 500, "hand": WEAVER}}),
        (do("enrol", "y", **{"class": "brute"}, items=[]), INVALID),
        (do("enrol", "y", **{"class": "brute"}, items=["hide ARMOR", 14], gold=3), OK,
         {"y": {"items": items([3, 14], [], []), "gold": 3}}),
    )),
    ("worked: negate", {}, (
        *turn(1, 4), (hit(3, effects=["poison"], lose_hand=1), "GH 6"),
        (hit(3, effects=["poison"], lose_hand=6), OK, {"brog": {"hp": 10, "lost": [6], "conditions": ["poison"]}}),
        (hit(3, lose_hand=6), "GH 3"), (hit(0, lose_hand=2), "GH 1"), (hit(3, item_shield=3, lose_hand=2), "GH 1"),
        (hit(2, item_shield=9, attack=False), OK, {"brog": {"hp": 8}}),
    )),
    ("worked: two discards", {}, (
        *turn(1, 4), (lies([2, 3], [1, 4, 9], hp=3), OK), (hit(5, lose_discard=[1]), "GH 4"),
        (hit(5, lose_discard=[1, 4, 9]), "GH 4"), (hit(5, lose_discard=[1, 1]), "GH 4"),
        (hit(5, lose_discard=[1, 2]), "GH 4"), (hit(5, lose_hand=2, lose_discard=[1]), "GH 4"),
        (hit(5, lose_discard=[1, 4]), OK, {"brog": {"hp": 3, "discard": [9], "hand": [2, 3]}}),
    )),
    ("worked: short rest, re-roll at hp 1, suffered", {}, (
        *cleanup([2, 3], [1, 4, 9], hp=1),
        (rest(drawn=4, reroll=True, redrawn=9), OK, {"brog": {**OUT, "hp": 0}, TABLE: {"outcome": "lost"}}),
    )),
    ("worked: short rest, re-roll at hp 1, negated", {}, (
        *cleanup([2, 3], [1, 4, 9], hp=1), (rest(drawn=4, reroll=True, lose_discard=[1, 4]), "GH 81"),
        (rest(drawn=4, reroll=True, lose_discard=[1, 9]), "GH 81"), (rest(drawn=4, reroll=True, lose_hand=4), "GH 81"),
        (rest(drawn=4, reroll=True, lose_hand=5), "GH 3"), (rest(drawn=4, redrawn=9), INVALID),
        (rest(drawn=4, reroll=True, redrawn=9, lose_hand=2), OK,
         {"brog": {"hp": 1, "lost": [2, 5, 6, 7, 8, 9, 10], "hand": [1, 3, 4], "discard": []}}),
    )),
    ("a re-roll paid with two discards needs a third", {}, (
        *cleanup([2, 3], [1, 4, 9, 10], hp=5),
        (rest(drawn=4, reroll=True, lose_discard=[1, 9], redrawn=1), "GH 81"),
        (rest(drawn=4, reroll=True, lose_discard=[1, 9]), OK, {"brog": {"hp": 5, "hand": [2, 3, 4]}}),
    )),
    ("the re-roll's damage cannot be negated where the table says so", {"reroll_damage_negatable": False}, (
        *cleanup([2, 3], [1, 4, 9], hp=2), (rest(drawn=4, reroll=True, lose_hand=2), "GH 81"),
        (rest(drawn=4, reroll=True, redrawn=9), OK, {"brog": {"hp": 1, "hand": [1, 2, 3, 4]}}),
    )),
    *((f"Frost Armor negates the re-roll's damage ({negatable})", {"reroll_damage_negatable": negatable}, (
        *frosted(), (do("end_turn", "spell"), OK), CLEAN,
        (override("spell", hand=[62, 63, 64, 65], discard=[61, 67, 68], hp=1), OK),
        (do("short_rest", "spell", drawn=61, reroll=True, redrawn=67), OK,
         {"spell": {"hp": 1, "xp": 1, "active": [frost(1)], "lost": [67], "discard": []}}),
    )) for negatable in (True, False)),
    ("one rest in a cleanup, and none without a discarded card", {}, (
        *turn(3, 9), performs(9, "bottom", active="persistent"), END, CLEAN,
        (override(hand=[1, 2, 4, 5, 6, 7, 8], discard=[3, 10]), OK), (rest(drawn=3), OK), (rest(), "GH 78"),
        (do("put_away", card=9), OK, {"brog": {"discard": [9], "lost": [3]}}), (rest(), "GH 80"),
    )),
    ("active cards count for a rest, but cannot be what it costs", {}, (
        *cleanup([2, 3], [], active=[bonus(5, "top", counts_as="discarded"), bonus(6, "top", counts_as="discarded")]),
        (rest(), "GH 78"), (do("put_away", card=5), OK), (rest(drawn=5, reroll=True), "GH 81"),
        (rest(drawn=5), OK, {"brog": {"hand": [2, 3], "active": [bonus(6, "top", counts_as="discarded")]}}),
    )),
    ("worked: Frost Armor", {}, (
        *frosted(), (hit(1, "spell", item_shield=1), OK, {"spell": {"hp": 6, "xp": 0, "active": [frost(0)]}}),
        (hit(4, "spell", lose_hand=62), "GH 1"),
        (hit(4, "spell"), OK, {"spell": {"hp": 6, "xp": 1, "active": [frost(1)]}}),
        (hit(1, "spell", attack=False), OK, {"spell": {"xp": 2, "active": [], "lost": [66]}}),
        (hit(2, "spell"), OK, {"spell": {"hp": 4}}),
    )),
    ("worked: retaliate and exhaustion", {}, (
        *turn(13, 1, DOOMED), performs(13, "top"), (override(hp=5), OK), (hit(4), OK, {"brog": {"hp": 3}}),
        (hit(2, distance=3), OK, {"brog": {"hp": 3}}), (hit(4), OK, {"brog": {"hp": 1}}),
        (hit(4), OK, {"brog": {**OUT, "hp": 0, "lost": DOOM}, TABLE: {"outcome": "lost", "order": []}}),
    )),
    ("a token moves at each attack, also one that comes to nothing", {}, (
        *turn(7, 9), performs(7, "bottom"), (hit(3, attack=False), OK, {"brog": {"hp": 7, "active": [ward(0)]}}),
        (hit(0), OK, {"brog": {"xp": 0, "active": [ward(1)]}}), (hit(1), OK, {"brog": {"xp": 1, "active": [ward(2)]}}),
        (hit(3, lose_hand=1), OK, {"brog": {"hp": 7, "active": [ward(3)]}}),
        (do("trigger", card="warding strength"), OK, {"brog": {"xp": 2, "active": [ward(4)]}}),
        (hit(50), OK, {"brog": {**OUT, "xp": 2, "hp": 0}}), (do("trigger", card=7), "GH 13"),
    )),
    ("a lender's bonus keeps its shape; an ally's says who lends it", {}, (
        BROG, SPELL, BEGIN, ROUND, plays(8, 10), plays(68, 63, "spell"), REVEAL,
        (do("perform", card=8, half="bottom", beneficiaries=["SPELL"]), OK,
         {"brog": {"active": [bonus(8, kind="round", counts_as="discarded", shield=1)]},
          "spell": {"active": [bonus(8, kind="round", counts_as="discarded", shield=1, lent_by="brog")]}}),
        (hit(3, "spell"), OK, {"spell": {"hp": 4}}), (hit(20), OK, {"spell": {"active": []}}),
        (hit(1, "spell"), OK, {"spell": {"hp": 3}}),
    )),
    ("only printed experience counts for 64", {}, (
        *turn(5, 7), (do("perform", card=5, half="top", abilities_used=0), "GH 64"),
        (do("perform", card=5, half="top", abilities_used=0, xp=0), OK, {"brog": {"discard": [5], "xp": 0}}),
        (do("perform", card=7, half="bottom", abilities_used=0), OK, {"brog": {"discard": [5, 7], "active": []}}),
    )),
    ("the order: initiative, then the second card, then enrolment; rests last, summons before their owner", {}, (
        BROG, (do("enrol", "bram", **{"class": "brute"}), OK), SUMMONER, BEGIN, ROUND,
        plays(10, 6), plays(10, 7, "bram"), plays(71, 67, "spell"),
        (REVEAL[0], OK, {TABLE: {"order": ["bram", "brog", "spell"]}}), (do("end_turn", "bram"), OK), END,
        (do("summon", "spell", card=71, name="Wisp", hp=2, colour="Red"), "GH 46"), performs(71, "bottom", "spell"),
        (do("summon", "spell", card=71, name="Wisp", hp=2, colour="Red"), OK,
         {"spell": {"xp": 2, "summons": [{"name": "Wisp", "hp": 2, "card": 71, "colour": "red", "since_round": 1}]},
          TABLE: {"order": ["bram", "brog", "spell"]}}),
        (do("end_turn", "spell"), OK), CLEAN, ROUND, plays(1, 4), plays(1, 4, "bram"), plays(66, 61, "spell"),
        (REVEAL[0], OK, {TABLE: {"order": ["Wisp", "spell", "brog", "bram"]}, "spell": {"initiative": 20}}),
        (do("kill", "spell", monster="rat", summon="WISP"), OK, {"spell": {"kills": 1, "xp": 2}}),
        (do("summon_damage", "spell", summon="wisp", amount=2), OK,
         {"spell": {"summons": [], "active": [], "lost": [71]}, TABLE: {"order": ["spell", "brog", "bram"]}}),
    )),
    ("whoever can neither play nor rest is exhausted at the round's start or at the reveal", {}, (
        BROG, SPELL, BEGIN, ROUND, plays(68, 63, "spell"), (lies([1, 2], []), OK), (REVEAL[0], "GH 75"),
        (hit(3, lose_hand=1), OK, {"brog": {"hp": 10, "hand": [2]}}),
        (REVEAL[0], OK, {"brog": {**OUT, "hp": 10}, TABLE: {"order": ["spell"], "outcome": None}}),
        (do("perform", "spell", card=68, half="top", active="round", beneficiaries=["brog"]), "GH 13"),
        (do("end_turn", "spell"), OK), CLEAN, (lies([], [61], "spell"), OK),
        (ROUND[0], OK, {"spell": {"exhausted": True, "hp": 6}, TABLE: {"outcome": "lost", "round": 2}}),
        (do("begin_round", None), "GH 14"), (do("end_scenario", None, won=True), "GH 14"),
        ({"type": "note", "text": "Ouch.", "about": "Brog"}, OK),
        (do("end_scenario", None, won=False), OK,
         {"brog": FRESH | {"player": "ann"}, TABLE: {"phase": None, "outcome": "lost", "scenario": "1", "round": 2}}),
    )),
    *((f"a long rest short of cards: {left} left, a rest falls flat", {"long_rest_short_of_cards": "refuse"}, (
        BROG, BEGIN, ROUND, (lies([5, 6, 7, 8], [1, 3, *left], hp=5), OK), DECLARE, REVEAL, (END[0], "GH 82"),
        (hit(4, lose_discard=[1, 3]), OK), (do("long_rest", lose=2) if left else do("long_rest"), "GH 78"),
        (CLEAN[0], "GH 82"), (END[0], OK, {"brog": {"hp": 5, "discard": left, "acted": True}}), CLEAN,
    )) for left in ([], [2])),
    *((f"a long rest short of cards: {left} left, rested all the same", {}, (
        BROG, BEGIN, ROUND, (lies([5, 6, 7, 8], [1, 3, *left], hp=5), OK), DECLARE, REVEAL,
        (hit(4, lose_discard=[1, 3]), OK), (END[0], "GH 82"), (do("loot", tokens=1), "GH 82"),
        (do("long_rest", lose=9), "GH 84"), (do("long_rest", lose=2) if left else do("long_rest"), OK,
         {"brog": {"hp": 7, "discard": [], "hand": [5, 6, 7, 8], "acted": True, "resting": True, "initiative": 99}}),
        (CLEAN[0], OK, {"brog": {"acted": False, "resting": False, "initiative": None}}),
    )) for left in ([], [2])),
    ("use circles must be used; a long rest leaves part-used ones", {}, (
        (do("enrol", **{"class": "brute"}, items=[3, 6, 8]), OK), BEGIN, ROUND, plays(7, 9), REVEAL, (hit(1), "GH 20"),
        performs(7, "bottom"), (hit(1), "GH 20"),
        (hit(1, item_shield=1), OK, {"brog": {"items": items([3, 6, 8], [], [])}}),
        (do("use_item", item=3, declined=True), "GH 20"),
        (do("use_item", item="HIDE armor"), OK, {"brog": {"items": items([3, 6, 8], [], [], _3=1)}}),
        (do("use_item", item=6), "GH 16"), (do("attack", value=3), OK), (do("end_turn"), "GH 16"),
        (do("use_item", item=6), OK), (do("draw_modifier", modifier="null"), OK),
        (do("draw_modifier", modifier="+1"), "GH 16"), (END[0], OK), CLEAN, ROUND,
        (override(hand=[1, 2, 3, 4, 5, 6], discard=[8, 9, 10]), OK), DECLARE, REVEAL,
        (do("long_rest", lose=8), OK, {"brog": {"items": items([3, 6, 8], [], [], _3=1)}}),
    )),
    ("what is counted lost and unrecoverable stays; what is discarded comes back", {}, (
        SPELL, BEGIN, ROUND, plays(63, 61, "spell"), REVEAL, performs(63, "bottom", "spell"),
        (do("recover", "spell", cards=[63], kind="discarded", up_to=1), OK),
        (override("spell", hand=[62, 64, 65, 66, 67, 68], lost=[63]), OK),
        (do("recover", "spell", cards=[63], kind="lost", up_to=2), "GH 53"),
        (do("recover", "spell", cards=[61, 62], kind="lost", up_to=1), "GH 52"),
    )),
    ("a newcomer waits for the next scenario", {}, (
        BROG, BEGIN, ROUND, SPELL, (do("select", "spell", lead=61, second=62), "GH 75"), plays(1, 4), REVEAL,
        (do("kill", "spell", monster="rat"), NO_RULE), (do("loot", "spell", tokens=1), NO_RULE),
        (hit(20), OK, {TABLE: {"outcome": "lost"}}), (do("end_scenario", None, won=False), OK),
        (do("begin_scenario", None, scenario="2"), OK, {TABLE: {"outcome": None, "round": 0, "scenario": "2"}}), ROUND,
        plays(1, 4), (REVEAL[0], "GH 75"),
    )),
    ("money, and a found second copy", {}, (
        (do("enrol", **{"class": "brute"}, items=[6], gold=20), OK), (do("buy_item", item=6), "GH 60"),
        (do("buy_item", item=8), OK, {"brog": {"gold": 0, "items": items([6, 8], [], [])}}),
        (do("sell_item", item=8), OK, {"brog": {"gold": 10}}),
        (do("begin_scenario", None, scenario="9", level=7), OK), (do("sell_item", item=6), NO_RULE), ROUND, plays(1, 4),
        REVEAL, (do("loot", item=6, tokens=1), OK, {"brog": {"gold": 31, "items": items([6], [], [])}}),
        (do("end_turn", tokens=1, treasures=[7]), OK, {"brog": {"gold": 37, "discard": [1, 4], "acted": True}}),
    )),
]  # fmt: skip


def outcome(table: Given) -> str:
    match table.error:
        case None:
            return OK
        case Refusal():
            return table.error.rule or NO_RULE
        case Invalid():
            return INVALID
        case Conflict():
            return CONFLICT


@pytest.mark.parametrize(("options", "steps"), [each[1:] for each in TABLES], ids=[each[0] for each in TABLES])
def test_a_table_of_the_contract(options: Line, steps: tuple[Step, ...]) -> None:
    table = Given("gloomhaven", options=options)
    for at, (line, expected, *said) in enumerate(steps):
        table.when(line)
        assert outcome(table) == expected, f"step {at}: {line}: {table.error!r}"
        for name, fields in (said[0] if said else {}).items():
            if name == TABLE:
                table.table_has(**fields)
            else:
                table.has(name, **fields)


@pytest.mark.parametrize(
    ("before", "line", "reason"),
    [
        ((BROG,), override(hand=[61]), "Brog did not take along card 61."),
        ((BROG,), override(exhausted=True), "Brog is exhausted; clear hand too."),
        ((BROG,), do("enrol", "x", **{"class": "brut"}),
         "There is no class 'brut'; did you mean brute? Another class comes with a class file."),
        ((BROG,), do("enrol", "x", **{"class": "bard"}),
         "There is no class 'bard'; another class comes with a class file."),
        ((BROG, BEGIN, ROUND), do("select", lead=2, second=2),
         "Select two different cards; Eye for an Eye is only one."),
        ((BROG,), do("recover", cards=[1, 2], kind="lost", up_to=1), "This recovers at most 1 card, not 2."),
        (cleanup([2, 3], []), rest(), "Brog has no card in the discard pile to lose."),
    ],
)  # fmt: skip
def test_a_refusal_reads_as_one_would_say_it(before: tuple[Step, ...], line: Line, reason: str) -> None:
    table = Given("gloomhaven")
    for each, *_ in before:
        table.when(each)
        assert table.error is None
    table.when(line)
    assert isinstance(table.error, Refusal)
    assert table.error.reason.startswith(reason)


def test_what_happened_reads_as_one_would_say_it() -> None:
    singer = {
        "class": "Aesther", "hand_size": 2, "hp": [8] * 9,
        "cards": [{"id": n, "name": f"Card {n}", "level": 1, "initiative": n, "top": {"xp": 1}} for n in (31, 32)],
    }  # fmt: skip
    table = Given("gloomhaven").when(do("enrol", **{"class": "aesther"}, class_data=singer, gold=3))
    for line, *_ in (BEGIN, ROUND, plays(31, 32), REVEAL):
        assert table.when(line).events
    performed = do("perform", card=31, half="top", active="persistent", slots=[1, 2])
    assert table.when(performed).events and table.when(do("trigger", card=31)).events
    assert table.when(do("trigger", card=31)).events
    told = " ".join(table.chronicle())
    for sentence in (
        "Brog joins as an Aesther of level 1: 8 hit points, 3 gold.",
        "Brog performs the top of Card 31: active, for 1 experience.",
        "Brog's token on Card 31 moves to slot 2 for 1 experience.",
        "Brog's token on Card 31 leaves the last slot for 2 experience.",
    ):
        assert sentence in told
