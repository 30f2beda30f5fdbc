"""`learn --ghs`: decks, characters and items in the shape in which GloomhavenSecretariat keeps them, written here."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.common.revisions import Undo
from domain.gloomhaven.facts import PrintedCard, PrintedClass, PrintedHalf, PrintedItem, PrintedSummon
from domain.gloomhaven.ghs_data import READER
from domain.gloomhaven.ghs_halves import (
    BELOW_WORDS,
    BONUS,
    EXPERIENCE,
    LASTING,
    NO_TEXT,
    NOTHING,
    SERVES,
    SERVES_TOO,
    SEVERAL,
    SUMMON_FIGURES,
    TOKEN,
    TRAITS,
    HalfReader,
)
from domain.gloomhaven.joining import Enrol
from domain.gloomhaven.learning import ClassLearned, Learn
from domain.refusal import Invalid
from tests.gloomhaven.tables import brog
from tests.kit.given import Given
from tests.kit.shell import Shell, shell_after

FOLDER = Path(__file__).with_name("ghs")
DECK = "character/deck/lanternist.json"
JsonObject = dict[str, Any]


def files(*names: str) -> dict[str, bytes]:
    return {name: (FOLDER / name).read_bytes() for name in names}


EVERYTHING = files(*(path.relative_to(FOLDER).as_posix() for path in sorted(FOLDER.rglob("*.json"))))


shell = shell_after("new Barrow --rules gloomhaven --file gh.campaign")


def half(*actions: JsonObject, labels: JsonObject | None = None, **flags: Any) -> HalfReader:
    """The top of a card with these actions and flags."""
    return HalfReader({"actions": list(actions), **flags}, "top", labels or {})


def symbol(value: str) -> JsonObject:
    return {"type": "card", "value": value}


def inside(kind: str, *actions: JsonObject, **fields: Any) -> JsonObject:
    return {"type": kind, "subActions": list(actions), **fields}


def spent(*actions: JsonObject) -> JsonObject:
    """What counts only if an element is spent for it."""
    return inside("element", *actions, value="ice", valueType="minus")


MOVE = {"type": "move", "value": 4}
SELF = {"type": "specialTarget", "value": "self", "small": True}


# -- what a half tells ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("half", "facts"),
    [
        (half(MOVE), {"lost": False, "active": None, "slots": [], "xp": 0}),
        (half(MOVE, lost=True), {"lost": True}),
        (half(MOVE, symbol("lost")), {"lost": True}),
        (half(MOVE, symbol("experience:2")), {"xp": 2}),
        (half(MOVE, xp=1), {"xp": 1}),
        (half(MOVE, inside("concatenation", symbol("experience:2"), symbol("round"))), {"xp": 2, "active": "round"}),
        (half(MOVE, round=True), {"active": "round"}),
        (half(MOVE, symbol("persistent")), {"active": "persistent", "slots": []}),
        (half(MOVE, symbol("recover:2"), symbol("refresh:spent")), {"lost": False, "active": None}),
        (
            half(spent(inside("concatenation", symbol("experience:1")))),
            {"xp": 0, "conditional_xp": 1},
        ),
        (half(MOVE, lost=True, loss=True), {"lost": True, "unrecoverable": True}),
        (half(inside("attack", inside("range", symbol("experience:1"), value=2), value=3)), {"xp": 1}),
        (
            half(inside("attack", symbol("experience:1"), spent(symbol("experience:2")), value=3)),
            {"xp": 1, "conditional_xp": 2},
        ),
        (
            half({"type": "shield", "value": "2", "subActions": [SELF]}, symbol("round")),
            {"active": "round", "shield": 2},
        ),
        (half(inside("concatenation", {"type": "shield", "value": 1}), symbol("round")), {"shield": 1}),
        (
            half(inside("retaliate", {"type": "range", "value": 3}, SELF, value=1), symbol("persistent")),
            {"active": "persistent", "retaliate": 1, "range": 3},
        ),
    ],
)
def test_what_a_half_tells_is_read_however_it_is_nested(half: HalfReader, facts: JsonObject) -> None:
    assert half.facts | facts == half.facts
    assert half.left_open == []


def test_slots_keep_their_order_and_their_experience() -> None:
    slots = inside(
        "concatenation",
        {"type": "concatenationSpacer", "value": 1},
        *map(symbol, ("persistent", "slot", "slotXp:1", "slot", "slotXp:2", "lost")),
    )
    half_read = half(MOVE, slots)
    assert (half_read.facts["slots"], half_read.facts["active"], half_read.facts["lost"]) == (
        [0, 1, 0, 2],
        "persistent",
        True,
    )
    assert half_read.left_open == [TOKEN]


SWARM = {"name": "moths", "health": "4", "attack": 2, "movement": 1, "flying": True}


@pytest.mark.parametrize(
    ("figures", "facts"),
    [
        (SWARM, {"hp": 4, "attack": 2, "move": 1, "traits": ["flying"]}),
        ({"health": 2, "range": 3, "action": {"type": "condition", "value": "poison"}},
         {"hp": 2, "range": 3, "traits": ["poison"]}),
        ({"health": 2, "action": inside("retaliate", {"type": "range", "value": 2}, value=1)},
         {"hp": 2, "traits": ["retaliate 1 at range 2"]}),
    ],
)  # fmt: skip
def test_a_summon_has_the_figures_of_its_card(figures: JsonObject, facts: JsonObject) -> None:
    assert half({"type": "summon", "value": "summonData", "valueObject": figures}).facts["summon"] == facts


@pytest.mark.parametrize(
    ("half", "left_open"),
    [
        (half(), NOTHING),
        (half({"type": "custom", "value": "%character.abilities.wip%"}), NOTHING),
        (half(inside("box", symbol("round")), symbol("persistent")), LASTING),
        (half(MOVE, symbol("slot")), LASTING),
        (half({"type": "shield", "value": 1}), LASTING),
        (half({"type": "shield", "value": "X"}, symbol("round")), BONUS),
        (half(inside("custom", {"type": "shield", "value": 1}, value="at night"), symbol("round")), BONUS),
        (half(inside("shield", {"type": "specialTarget", "value": "allies"}, value=1), symbol("round")), SERVES),
        (half({"type": "custom", "value": "Gain %game.card.experience:1% for each."}), EXPERIENCE),
        (half({"type": "custom", "value": "%data.custom.gh.lantern.1%"}), NO_TEXT),
        (half({"type": "summon", "valueObject": {"health": "L+2"}}), SUMMON_FIGURES),
        (half({"type": "summon", "valueObject": {"health": 1, "count": 3}}), SUMMON_FIGURES),
        (half({"type": "summon", "valueObject": {"health": 1, "action": {"type": "grid"}}}), TRAITS),
        (half(MOVE, symbol("comet")), "what its symbol 'comet' means"),
    ],
)
def test_what_a_half_does_not_tell_is_left_open_and_not_guessed(half: HalfReader, left_open: str) -> None:
    assert half.left_open == [left_open]
    assert not {"shield", "retaliate", "summon"} & {name for name, value in half.facts.items() if value} or (
        left_open == TRAITS
    )


def test_a_label_is_looked_up_for_the_symbols_in_it() -> None:
    labels = {"custom": {"gh": {"lantern": {"1": "Run.", "2": {"": "Gain %game.action.shield:1%."}}}}}
    assert half({"type": "custom", "value": "%data.custom.gh.lantern.1%"}, labels=labels).left_open == []
    assert half({"type": "custom", "value": "%data.custom.gh.lantern.2%"}, labels=labels).left_open == [BONUS]


def test_experience_below_words_is_counted_and_said() -> None:
    half_read = half(inside("custom", symbol("experience:2"), value="Take the trap away."))
    assert (half_read.facts["xp"], half_read.left_open) == (2, [BELOW_WORDS])


def test_experience_for_several_spent_elements_is_nobodys_guess() -> None:
    half_read = half(MOVE, spent(symbol("experience:1")), spent(symbol("experience:1")))
    assert (half_read.facts["xp"], half_read.facts.get("conditional_xp"), half_read.left_open) == (0, None, [SEVERAL])


def test_a_shield_for_oneself_and_others_is_the_own_one_at_least() -> None:
    half_read = half(
        inside("shield", {"type": "specialTarget", "value": "selfAlliesAdjacent"}, value=1), symbol("round")
    )
    assert (half_read.facts["shield"], half_read.left_open) == (1, [SERVES_TOO])


@pytest.mark.parametrize("action", [{"type": "heal", "value": 2}, {"type": "shield", "value": "X"}])
def test_what_else_a_summon_does_is_left_open_unless_it_is_a_word_with_a_number(action: JsonObject) -> None:
    half_read = half({"type": "summon", "valueObject": {"health": 2, "action": action}})
    assert (half_read.facts["summon"], half_read.left_open) == ({"hp": 2, "traits": []}, [TRAITS])


def test_a_summon_that_infuses_has_its_figure_and_more() -> None:
    half_read = half({"type": "summon", "valueObject": {"health": 2, "attack": "2 %game.element.fire%"}})
    assert (half_read.facts["summon"], half_read.left_open) == ({"hp": 2, "attack": 2, "traits": []}, [TRAITS])


# -- what the files come to ----------------------------------------------------------------------------


def learned(table: Given, of: dict[str, bytes]) -> Sequence[Any]:
    """The events of what these files come to, after which the table knows them."""
    found: list[Any] = []
    for action in READER.read(of, table.handler.state()).actions:
        table.when(dict(action))
        assert table.error is None, table.error
        found += table.events
    return found


def left_open(of: dict[str, bytes], table: Given | None = None) -> str:
    return "\n".join(READER.read(of, (table or Given("gloomhaven")).handler.state()).left_open)


def test_a_class_comes_whole_with_its_figures() -> None:
    (event,) = learned(Given("gloomhaven"), files(DECK, "character/lanternist.json"))
    assert isinstance(event, ClassLearned)
    facts: PrintedClass = event.facts
    assert (facts.class_, facts.hand_size, facts.hp[0], facts.hp[8], len(facts.cards)) == ("lanternist", 7, 8, 20, 10)
    assert facts.card(7005) == PrintedCard(
        id=7005,
        name="Moth Swarm",
        level=1,
        initiative=82,
        top=PrintedHalf(
            lost=True,
            active="persistent",
            xp=2,
            summon=PrintedSummon(hp=4, attack=2, move=1, traits=("flying", "retaliate 1 at range 2", "poison")),
        ),
        bottom=PrintedHalf(active="persistent"),
    )


def test_what_the_log_knows_stays_and_every_difference_is_said() -> None:
    table = Given("gloomhaven", brog())
    known = table.handler.state().table.classes["brute"]
    of = files("character/deck/brute.json")
    sentences = left_open(of, table)
    for what in (
        "Provoking Roar in the log, Provoking Rorr in",
        "initiative is 10 in the log, 11 in",
        "Skewer as card 11",
    ):
        assert what in sentences
    learned(table, of)
    now = table.handler.state().table.classes["brute"]
    assert [card.name for card in now.cards if card not in known.cards] == ["Barrow Rush"]


def test_what_is_misspelt_missing_or_there_twice_stops_nothing() -> None:
    sentences = left_open(EVERYTHING)
    for what in (
        "the card 7009 has no name", "Embers (7011) is there twice", "left out: it has no number: Without a Number.",
        "left out: its initiative is not 1 to 99: Too Late (",
        "Nobody: the files do not say hand size and hit points", "which half summons (hp 3, attack 1, move 2)",
        "The item 7005 is called Heirloom like another",
        'The item "random" lacks', "Item 3: the name is Hide Armor in the log, Hide Armour in the files",
    ):  # fmt: skip
        assert what in sentences
    assert "Step" not in sentences


@pytest.mark.parametrize("same", [{"cardId": 7001}, {"name": "trim the wick"}])
def test_a_card_is_there_twice_by_its_number_or_by_its_name(same: JsonObject) -> None:
    deck = json.loads((FOLDER / DECK).read_text("utf-8"))
    deck["abilities"].append({"name": "Other", "cardId": 7999, "level": 1, "initiative": 5, "actions": [MOVE], **same})
    of = {**files("character/lanternist.json"), DECK: json.dumps(deck).encode()}
    name, number = same.get("name", "Other"), same.get("cardId", 7999)
    assert f"{name} ({number}) is there twice; the first of them is taken." in left_open(of)


def test_without_labels_the_cards_whose_words_are_missing_are_listed() -> None:
    named = "its words are labels that are not among the files: Slow Burning (bottom)"
    assert named in left_open(files(DECK, "character/lanternist.json"))
    assert named not in left_open(EVERYTHING)


def test_items_are_read_as_far_as_they_are_told() -> None:
    table = Given("gloomhaven")
    learned(table, files("items.json"))
    items = table.handler.state().table.items
    assert items[7001] == PrintedItem(id=7001, name="Wick Shield", price=20, once_used="spent", shields=1)
    assert (items[7002].once_used, items[7003].once_used) == ("consumed", "ready")
    assert items[7004] == PrintedItem(id=7004, name="Heirloom", price=0, once_used="consumed", unrecoverable=True)
    assert 7005 not in items


def test_a_folder_of_one_edition_may_hold_cards_of_another() -> None:
    rope = b'[{"id": 7100, "name": "Rope", "cost": 1, "slots": 3, "edition": "fh"}]'
    table = Given("gloomhaven")
    learned(table, {**EVERYTHING, "base.json": b"{}", "more.json": rope})
    items = table.handler.state().table.items
    assert {7001, 7100} <= set(items)
    assert (items[7001].circles, items[7100].circles) == (0, 3)


JAWS = json.dumps(
    [
        {"id": 3, "name": "Chain Armor", "cost": 30, "edition": "jotl", "spent": True},
        {"id": 12, "name": "Hide Armor", "cost": 10, "edition": "jotl", "spent": True},
    ]
).encode()


def test_items_of_another_edition_keep_their_numbers_where_the_log_has_no_others() -> None:
    table = Given("gloomhaven")
    learned(table, {"items.json": JAWS})
    items = table.handler.state().table.items
    assert {(number, item.name, item.edition, item.number) for number, item in items.items()} == {
        (3, "Chain Armor", "jotl", None),
        (12, "Hide Armor", "jotl", None),
    }


def test_items_of_another_edition_are_numbered_on_where_the_log_has_others() -> None:
    table = Given("gloomhaven", brog(items=(3,)))
    learned(table, {"items.json": JAWS})
    items = table.handler.state().table.items
    assert (items[1003].printed, items[1012].printed) == (("jotl", 3), ("jotl", 12))
    assert "Items of jotl: other items have their numbers, so 1000 is added to each." in left_open(
        {"items.json": JAWS}, Given("gloomhaven", brog(items=(3,)))
    )
    assert READER.read({"items.json": JAWS}, table.handler.state()).actions == ()
    more = JAWS.replace(b"12", b"13").replace(b"Hide Armor", b"Power Potion")
    learned(table, {"items.json": more})
    assert table.handler.state().table.items[1013].name == "Power Potion"


def test_gloomhavens_own_items_are_numbered_on_where_another_edition_came_first() -> None:
    table = Given("gloomhaven")
    learned(table, {"items.json": JAWS})
    learned(table, files("items.json"))
    items = table.handler.state().table.items
    assert (items[3].name, items[1003].name, items[8001].name) == ("Chain Armor", "Hide Armour", "Wick Shield")


def test_an_item_that_was_learned_before_editions_were_kept_is_the_same() -> None:
    known = {"id": 2, "name": "Tin Hat", "price": 10, "once_used": "spent"}
    table = Given("gloomhaven", Learn(items=(known,)))
    learned(table, {"items.json": JAWS.replace(b"12", b"2").replace(b"Hide Armor", b"Tin Hat")})
    assert sorted(table.handler.state().table.items) == [2, 3]
    otherwise = Given("gloomhaven", Learn(items=({**known, "price": 11},)))
    learned(otherwise, {"items.json": JAWS.replace(b"12", b"2").replace(b"Hide Armor", b"Tin Hat")})
    assert sorted(otherwise.handler.state().table.items) == [2, 1002, 1003], "of one name and number, and another item"


SECOND = json.dumps(
    {
        "name": "spellweaver",
        "edition": "gh2e",
        "character": True,
        "abilities": [
            {"name": "Ember", "cardId": 61, "level": 1, "initiative": 33, "actions": [MOVE]},
            {"name": "Hearth", "cardId": 72, "level": 1, "initiative": 34, "actions": [MOVE]},
            {"name": "First Steps", "cardId": 73, "level": "A", "initiative": 35, "actions": [MOVE]},
        ],
    }
).encode()
OF_SECOND = {
    "deck.json": SECOND,
    "character.json": json.dumps(
        {
            "name": "spellweaver",
            "edition": "gh2e",
            "characterClass": "a",
            "handSize": 2,
            "stats": [{"level": level, "health": 5 + level} for level in range(1, 10)],
        }
    ).encode(),
}


def test_a_class_of_another_edition_does_not_mix_with_one_of_its_name() -> None:
    table = Given("gloomhaven")
    before = "Spellweaver (gh2e): the log knows another class of that name, so it is called spellweaver (gh2e)."
    assert before in left_open(OF_SECOND)
    learned(table, OF_SECOND)
    facts = table.handler.state().table.classes["spellweaver (gh2e)"]
    assert (facts.printed, facts.hand_size) == (("gh2e", "spellweaver"), 2)
    table.when(Enrol(character="zoe", class_="Spellweaver GH2E")).has("zoe", hp=6, hand=[61, 72])
    table.when(Enrol(character="una", class_="spellweaver")).has("una", hand=[*range(61, 69)])
    assert READER.read(OF_SECOND, table.handler.state()).actions == ()


def test_gloomhavens_own_class_is_named_so_where_another_edition_came_first() -> None:
    table = Given("gloomhaven")
    other = {name: content.replace(b"spellweaver", b"lanternist") for name, content in OF_SECOND.items()}
    learned(table, other)
    learned(table, EVERYTHING)
    classes = table.handler.state().table.classes
    assert classes["lanternist"].printed == ("gh2e", "lanternist")
    assert classes["lanternist (gh)"].printed == (None, "lanternist")
    assert {card.id for card in classes["lanternist"].cards} == {61, 72}


def test_a_class_that_was_learned_before_editions_were_kept_is_the_same() -> None:
    table = Given("gloomhaven")
    known = msgspec.json.decode(SECOND.replace(b"gh2e", b"gh").replace(b"spellweaver", b"emberist"))
    first = [{**card, "id": card.pop("cardId")} for card in known["abilities"][:1]]
    cards = [{field: card[field] for field in ("id", "name", "level", "initiative")} for card in first]
    table.and_given(Learn(classes=({"class": "emberist", "hand_size": 2, "hp": [5] * 9, "cards": cards},)))
    learned(table, {"deck.json": SECOND.replace(b"spellweaver", b"emberist")})
    (facts,) = (value for name, value in table.handler.state().table.classes.items() if name.startswith("emberist"))
    assert {card.name for card in facts.cards} == {"Ember", "Hearth"}


def test_what_keeps_a_card_from_being_learned_is_said() -> None:
    left_out = 'left out, of level "A", which is not 1 to 9 or X: First Steps (73).'
    assert f"Spellweaver (gh2e): {left_out}" in left_open(OF_SECOND)


def test_an_item_that_is_never_used_up_stays_ready() -> None:
    table = Given("gloomhaven")
    learned(table, files("items.json"))
    table.and_given(brog(items=(7003,)))
    table.when({"type": "gloomhaven.use_item", "character": "brog", "item": 7003}).has(
        "brog", items={"ready": [7003], "spent": [], "consumed": [], "circles_used": {}}
    )


def test_what_is_read_twice_comes_to_nothing_the_second_time() -> None:
    table = Given("gloomhaven")
    learned(table, EVERYTHING)
    assert READER.read(EVERYTHING, table.handler.state()).actions == ()
    table.and_given(Undo())
    assert READER.read(EVERYTHING, table.handler.state()).actions != ()


@pytest.mark.parametrize(
    ("of", "saying"),
    [
        ({"x.json": b"{}"}, "no deck and no items"),
        ({"x.json": b"{"}, "x.json is broken: "),
        ({"x.json": b"[1]", "deep.json": b"[" * 100_000}, "deep.json is nested too deeply"),
        (files("character/lanternist.json"), "hit points without cards"),
        ({**files(DECK), "items.json": b'[{"id": 1, "name": "a", "cost": 1, "edition": "fh"}]'}, "several editions"),
    ],
)
def test_files_that_are_something_else_are_told_in_a_sentence(of: dict[str, bytes], saying: str) -> None:
    with pytest.raises(Invalid, match=saying):
        READER.read(of, Given("gloomhaven").handler.state())


def test_a_value_of_the_wrong_type_is_left_out_and_said_wherever_it_stands() -> None:
    whole = EVERYTHING
    for path, key, value in (
        ("character/lanternist.json", "availableSummons", 5),
        ("character/lanternist.json", "stats", "many"),
        ("character/deck/lanternist.json", "abilities", {}),
    ):
        broken = dict(whole)
        record = json.loads(broken[path])
        broken[path] = json.dumps({**record, key: value}).encode()
        reading = READER.read(broken, Given("gloomhaven").handler.state())
        (sentences,) = [sentence for sentence in reading.left_open if f": {key} is " in sentence]
        assert sentences.startswith(path) and sentences.endswith("not a list; it is left out.")


def test_broken_json_is_called_broken() -> None:
    with pytest.raises(Invalid, match=r"deck\.json is broken: "):
        READER.read({"deck.json": b'{"abilities": ['}, Given("gloomhaven").handler.state())


# -- on the shell --------------------------------------------------------------------------------------


def test_a_group_brings_its_decks_in_one_command_and_plays_them(shell: Shell) -> None:
    result = shell.run("gloomhaven", "learn", "--ghs", str(FOLDER)).ok()
    assert "A class with 10 cards enters the log." in result.out
    assert "Lanternist: what moves its token" in result.out
    shell.do("gloomhaven class lanternist")
    assert "7001 Trim the Wick, initiative 72 · bottom: lost, 2 experience" in shell.run("class", "lanternist").ok().out
    assert shell.run("class", "--json").json() == ["brute", "spellweaver"], "nobody plays it yet"
    assert shell.run("class", "lanternist", "--json").json()["hand_size"] == 7
    assert shell.run("class", "nobody").code == 1


def test_an_empty_folder_is_named(shell: Shell) -> None:
    (shell.folder / "mine").mkdir()
    shell.run("gloomhaven", "learn", "--ghs", "mine").is_(2, "There is no JSON file in the folder mine.")


def test_a_dry_run_records_nothing(shell: Shell) -> None:
    result = shell.run("learn", "--ghs", str(FOLDER), "--dry-run").ok()
    assert "A class with 10 cards enters the log." in result.out and result.out.endswith("Nothing was recorded.\n")
    assert len(shell.turns()) == 1


def test_in_json_the_turns_stand_beside_what_is_left_open(shell: Shell) -> None:
    record = shell.run("gloomhaven", "learn", "--ghs", str(FOLDER / "items.json"), "--json").ok().json()
    assert [turn["turn"] for turn in record["turns"]] == [2]
    assert any("Hide Armour" in sentence for sentence in record["left_open"])


@pytest.mark.parametrize(
    ("words", "code", "saying"),
    [
        (("--ghs", "nowhere"), 2, "nowhere cannot be read: no such file or directory."),
        (("--ghs", "a", "--items", "7"), 2, "--ghs reads everything from files; leave the other words out."),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(
    shell: Shell, words: tuple[str, ...], code: int, saying: str
) -> None:
    shell.run("gloomhaven", "learn", *words).is_(code, saying)


def test_nothing_new_is_refused(shell: Shell) -> None:
    shell.run("learn", "--ghs", str(FOLDER)).ok()
    again = shell.run("learn", "--ghs", str(FOLDER))
    assert (again.code, len(shell.turns())) == (3, 2)
    assert "nothing in" in again.err


def test_more_than_is_read_at_once_is_refused(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.shell.offers.MOST_FILES", 2)
    assert "name a folder further in" in shell.run("learn", "--ghs", str(FOLDER)).err
    monkeypatch.setattr("cli.shell.offers.MOST_BYTES", 10)
    assert "too large" in shell.run("learn", "--ghs", str(FOLDER / "items.json")).err


def test_the_class_as_it_is_printed_can_be_learned_again(shell: Shell, tmp_path: Path) -> None:
    shell.run("learn", "--ghs", str(FOLDER)).ok()
    record = shell.run("class", "lanternist", "--json").json()
    shell.do("new Second --rules gloomhaven --file second.campaign")
    line = json.dumps({"type": "gloomhaven.learn", "classes": [record]})
    (tmp_path / "line.json").write_text(line, "utf-8")
    shell.run("act", str(tmp_path / "line.json"), "-c", "second.campaign").ok()
    assert shell.run("class", "lanternist", "--json", "-c", "second.campaign").json() == record
