"""Mistakes that tired people type: each is told what was not understood, and what to type; what is plain is done."""

import pytest

from cli.line.errors import Ambiguous
from cli.line.understanding import line_meant
from cli.line.words import tokenize
from domain.refusal import Invalid, Refusal, Unfit
from tests.kit.given import Given
from tests.kit.lines import QUESTIONS, context, means, one, understood

EVERYBODY = "brog, Wen, Ada, Ségolène, Big Bo or Corin d’Arc"


def reason_of(table: Given, line: str) -> str:
    """Why a line is not done."""
    with pytest.raises((Invalid, Refusal)) as caught:
        understood(table, line)
    return caught.value.without_tag if isinstance(caught.value, Unfit) else str(caught.value)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        # a word where a value belongs
        ("d brog fourty", "damage needs amount: points of damage; 'fourty' is not a number."),
        ("d brog 4xy", "damage needs amount: points of damage; '4xy' is not a whole number."),
        ("fate brog lives", "choose-fate needs fate: death or major_wound, not 'lives'."),
        ("d brog 4 dc=\udc80", r'dc must be a whole number, not "\udc80".'),
        ("override brog hp", "override needs FIELD=VALUE, like hp=5, not 'hp'."),
        ("enrol Bram level high", "level must be a whole number from 1 to 100, not 'high'."),
        ("d brog 4 dc high", "dc must be a whole number, not 'high'; if you mean words, put them in quotes."),
        ("d brog -4", "amount must be a whole number of 0 or more, not -4."),
        ("rest brog rolled=1,x", 'rolled must be dice as they were rolled, like 5,6, not "1,x".'),
        ("absent brog here=maybe", 'here must be yes or no, not "maybe".'),
        # a field with nothing behind it
        ("d brog 4 dc", "dc needs a value: a whole number."),
        ("d brog 4 source", "source needs a value: what did it."),
        ("enrol Bram player", "player needs a value: who plays the character."),
        ("enrol", "enrol needs character: a name."),
        # the wrong order
        (
            "d brog a ghoul 4",
            "damage needs amount: points of damage; 'a' is not a number; words come last, like damage brog 4 a ghoul.",
        ),
        ("wen 4", "wen is a character, and a line begins with a verb, like d brog 4 a ghoul."),
        ("d brog 4 and wen", "'and wen' does not fit here; put the names first, joined by and."),
        # too much
        ("d brog 4 5", "Which is it, 4 or 5? Say: d brog 4; or d brog 5."),
        ("d brog 4 -s trap", "'-s' does not fit here; say d brog 4, without '-s trap'."),
        ("rest brog 55 brog 55", "brog is named twice."),
        (
            "rest brog high",
            "'high' does not fit here; dice go behind a name (Brog 545), and help short-rest says what else it takes.",
        ),
        # a name that is none
        ("d the 4", "There is no character 'the'; known: brog, Wen, Ada, Ségolène, Big Bo and Corin d’Arc."),
        ("d mia 4", 'Mia plays brog and Big Bo; say whom you mean. Say: d brog 4; or d "Big Bo" 4.'),
        ("override hp=3", f"override needs character: {EVERYBODY}; and why: the reason."),
        ("rest rolled=5,4", f"short-rest needs characters: {EVERYBODY}."),
        # verbs
        ("hits brog 4", "There is no verb 'hits'; did you mean damage (d)? Say: damage brog 4."),
        (
            "session start The end",
            "There is no verb 'session start'; did you mean session open? Say: session open The end.",
        ),
        # earlier turns
        ("u brog", "'brog' is not a turn; write turns like T4, and the reason as why=…."),
        ("u T6-T4", "'T6-T4' is not a turn; write turns like T4, and the reason as why=…."),
        ("T2 level=2", "T2 says that already; nothing would change."),
        ("amend T2 2", "T2 says that already; nothing would change."),
        (
            "T2 wen",
            "T2 has no field for 'wen'; known: character, player, level, hit_dice, side, saves and rolled.",
        ),
        ("T2 enrol Mo 5", "Write T2 = enrol Mo 5 to put another line in its place."),
        ("T2 level", "level needs a value: a whole number from 1 to 100."),
        ("T2 = x", "There is no verb 'x'; help lists the verbs."),
    ],
)
def test_it_says_what_was_not_understood(osr: Given, line: str, answer: str) -> None:
    assert reason_of(osr, line) == answer


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("d everyone 3", "d all 3"),
        ("d brog and wen 3 a fireball", "d brog wen 3 a fireball"),
        ("d brog + wen & ada 3", "d brog,wen,ada 3"),
        ("d brog 5 and wen 3", "d brog 5 wen 3"),
        ("rest wen 61 and brog", "rest wen 61 brog"),
        ("d brog 4 'a falling slab'", "d brog 4 a falling slab"),
        ("campaign d brog 4", "d brog 4"),
        ("campaign osr damage brog 4", "d brog 4"),
        ("u last", "u last 1"),
        ("u last it was the wall", 'u last 1 why="it was the wall"'),
        ("enrol Bram, player Jo, level 2", "enrol Bram player Jo level 2"),
        ("enrol Bram, player Jo, level 2, 53", "enrol Bram player Jo level 2 53"),
    ],
)
def test_what_is_plain_is_done(osr: Given, line: str, plain: str) -> None:
    assert means(osr, line) == means(osr, plain)


def test_an_apostrophe_within_words_is_none_that_quotes(osr: Given) -> None:
    assert one(osr, "d brog 4 the rats' nest")["source"] == "the rats' nest"
    assert one(osr, "d brog 4 'tis the ghoul")["source"] == "'tis the ghoul"
    assert one(osr, "d brog 4 'the ghoul's claw'")["source"] == "the ghoul's claw"


@pytest.mark.parametrize(
    "line", ["d brog 4 a ghoul after T3", "d brog 4 a ghoul after=T3", "d brog 4 a ghoul --after T3"]
)
def test_where_it_happened_stands_at_the_end(osr: Given, line: str) -> None:
    assert means(osr, line) == means(osr, "d brog 4 a ghoul")
    assert understood(osr, line).backdating.after == "T3"


def test_what_may_be_words_stays_words(osr: Given) -> None:
    assert one(osr, "n the ghoul died after T3") == {"text": "the ghoul died after T3"}
    assert one(osr, "n 42") == {"text": "42"}
    assert one(osr, "d brog 4 2 ghouls")["source"] == "2 ghouls"
    assert one(osr, "u the wrong one")["why"] == "the wrong one"


def test_an_earlier_turn_is_moved_as_it_is_told(osr: Given) -> None:
    assert understood(osr, "T4 after T2").backdating.after == "T2"
    assert understood(osr, "T4 before=@-1").backdating.before == "@-1"


@pytest.mark.parametrize(
    "line", ["enrol Bo player Ada 2 3 1", "enrol Bo 2 3 1 player Ada", "enrol Bo 2 player Ada 3 1"]
)
def test_whose_player_is_named_before_the_numbers_has_them_all_the_same(cards: Given, line: str) -> None:
    fields = {"character": "Bo", "player": "Ada", "strength": 2, "dexterity": 3, "intelligence": 1}
    assert one(cards, line) == fields


@pytest.fixture
def wolf(cards: Given) -> Given:
    """The same, and a grey wolf."""
    cards.when({"type": "deckahedron.foe", "foe": "grey wolf", "stamina": 6}).then_some()
    return cards


@pytest.mark.parametrize("line", ["at wren x wolf", "at wren x grey", "at wren wolf x", "at wren grey wolf x"])
def test_a_foe_is_known_by_a_word_of_its_name(wolf: Given, line: str) -> None:
    assert one(wolf, line) == {"attacker": "Wren", "foe": "grey wolf", "foe_result": "x"}


@pytest.mark.parametrize("foe", ["bear", "wolf pup", "old grey wolf"])
def test_any_other_foe_is_asked_about_and_added_on_request(wolf: Given, foe: str) -> None:
    with pytest.raises(Ambiguous, match=f"There is no foe called {foe}.") as caught:
        understood(wolf, f"at wren x {foe}")
    # what is near to the name of a foe that is there is offered behind it
    add, known = sorted(caught.value.choices, key=lambda choice: " new " not in choice.line)
    assert (caught.value.choices[0] == known) == (foe == "old grey wolf")
    assert [action["foe"] for action in means(wolf, add.line)] == [foe, foe]
    assert one(wolf, known.line) == {"attacker": "Wren", "foe": "grey wolf", "foe_result": "x"}


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("ls wren some", "lose-stamina needs points: how many Stamina are lost; 'some' is not a number."),
        ("scene fight", "scene needs scene: combat, travel, camp or haven, not 'fight'."),
        ("enrol Bo 2,3,1", "enrol needs strength: rank of Strength, 1 to 4; '2,3,1' is not a whole number."),
        ("fa wolf wren", "foe-attack needs foe_result: vv, v, x or xx. Like: fa wolf wren vv."),
        ("f bo dex", "There is no character 'bo'; known: Wren and Tobin."),
        ("attack wolf", "attack needs attacker: Wren or Tobin. Like: attack Wren wolf."),
        ("at grey wolf x", "attack needs attacker: Wren or Tobin. Like: at Wren grey wolf x."),
    ],
)
def test_what_has_no_words_says_what_it_needs(wolf: Given, line: str, answer: str) -> None:
    assert reason_of(wolf, line) == answer


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("foe 6 bear", "foe bear 6"),
        ("rest wren 8 hours", "rest wren 8"),
        ("ls wren 1 point", "ls wren 1"),
        ("effort wren 6 hours reading", "effort wren 6 reading"),
    ],
)
def test_a_number_stands_where_it_is_said(wolf: Given, line: str, plain: str) -> None:
    assert means(wolf, line) == means(wolf, plain)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("t trample condition", "'condition' does not fit here; did you mean condition_met?"),
        ("enrol Lew brute items hied", 'items takes nothing called "hied" here.'),
        ("enrol Lew brute gold x", "gold must be a whole number of 0 or more, not 'x'."),
        ("perform brann trample middle", "perform needs half: top or bottom, not 'middle'."),
        (
            "t trample twice",
            "'twice' does not fit here; say t trample, without 'twice'.",
        ),
    ],
)
def test_a_verb_of_many_fields_lists_none_of_them(turns: Given, line: str, answer: str) -> None:
    assert reason_of(turns, line) == answer


def test_a_card_that_is_not_legal_is_for_the_rules_to_say(turns: Given) -> None:
    assert one(turns, "summon trample colour=yellow moth") == {
        "character": "Brann", "card": "trample", "name": "moth", "colour": "yellow",
    }  # fmt: skip
    assert means(turns, "top trample") == means(turns, "t trample")
    assert one(turns, "enrol Lew player Jo brute") == {"character": "Lew", "player": "Jo", "class": "brute"}
    assert one(turns, "enrol Lew brute hand skew tramp items hide heater") == {
        "character": "Lew", "class": "brute", "hand": ["Skewer", "Trample"], "items": ["Hide Armor", "Heater Shield"],
    }  # fmt: skip


@pytest.mark.parametrize("line", ["d wren 3", "damage wren 3"])
def test_what_hurts_is_no_question(cards: Given, line: str) -> None:
    sentence = f"There is no verb {line.split()[0]!r}; did you mean lose-stamina (ls)? Say: lose-stamina wren 3."
    assert reason_of(cards, line) == sentence


def test_a_number_that_is_no_card_is_for_the_rules_to_say(cards: Given) -> None:
    assert one(cards, "f wren str 99")["flipped"] == ["99"]


@pytest.mark.parametrize("line", ["saves bork 12 31", "fate bork death", "worsen bork 20"])
def test_a_name_that_is_none_is_told_where_somebody_is_waited_for(osr: Given, line: str) -> None:
    osr.when({"type": "osr.damage", "character": "brog", "amount": 40}).then_some()
    if not line.startswith("saves"):
        osr.when({"type": "osr.injury_saves", "character": "brog", "strength": 3, "will": 30}).then_some()
    assert reason_of(osr, line).startswith("There is no character 'bork'; ")


def test_a_wound_that_is_none_leaves_its_number_to_the_dc(osr: Given) -> None:
    osr.when({"type": "osr.bypassing_hit", "character": "brog", "dc": 20}).then_some()
    osr.when({"type": "osr.injury_saves", "character": "brog", "strength": 3, "will": 30}).then_some()
    osr.when({"type": "osr.choose_fate", "character": "brog", "fate": "major_wound"}).then_some()
    assert one(osr, "worsen brog 20") == {"character": "brog", "dc": 20}
    assert one(osr, "worsen brog 1 20") == {"character": "brog", "wound": 1, "dc": 20}


@pytest.mark.parametrize("line", ["T2 character=Bram T8 character=Bram", "T2 character=Bram T8 = d bram 4"])
def test_who_was_enrolled_under_a_wrong_name_is_renamed_in_one_line(osr: Given, line: str) -> None:
    osr.when({"type": "osr.damage", "character": "brog", "amount": 4}).then_some()
    osr.when(means(osr, line)[0]).then_some()
    assert list(osr.sheets()) == ["Bram", "Wen", "Ada", "Ségolène", "Big Bo", "Corin d’Arc"]
    osr.has("Bram", hp=7)


def test_a_card_in_the_place_of_a_verb_is_told_what_can_be_done_with_it(turns: Given) -> None:
    sentence = "Say what happens to Trample: t trample or b trample."
    assert reason_of(turns, "trample 3 bandit guard") == sentence
    assert reason_of(turns, "nonsense 3").startswith("There is no verb 'nonsense'")


def test_nobody_begins_a_log_by_a_beginning(cards: Given) -> None:
    assert reason_of(cards, "campa").startswith("There is no verb 'campa'")
    assert reason_of(cards, "campaign start") == "campaign start needs name: words; and rules: words."


@pytest.mark.parametrize(
    ("beginning", "more", "meant"),
    [
        ("d brog ", "4 a rat", "d brog 4 a rat"),
        # all of it is typed once more, by whatever name
        ("d ", "d brog 4 rats", "d brog 4 rats"),
        ("damage ", "d brog 4", "d brog 4"),
        ("d brog ", "campaign osr damage brog 4", "campaign osr damage brog 4"),
        ("injury-saves Brog ", "saves brog 30 12", "saves brog 30 12"),
        # another line, where it cannot be read as the rest of this one
        ("injury-saves Brog ", "treat ada", "treat ada"),
        ("injury-saves Brog ", "n the door was open", "n the door was open"),
        ("injury-saves Brog ", "rest", "rest"),
        # words are words
        ("note ", "d brog 4 was too much", "note d brog 4 was too much"),
        ("d brog 4 source ", "rest", "d brog 4 source rest"),
        # neither: what is wrong is told of the line that was begun
        ("d brog ", "four", "d brog four"),
        ("d brog ", "", "d brog "),
    ],
)
def test_behind_the_beginning_of_a_line_all_of_it_may_be_typed_or_another(
    osr: Given, beginning: str, more: str, meant: str
) -> None:
    assert line_meant(tokenize(f"{beginning}{more}"), more, context(osr), QUESTIONS).text == meant
