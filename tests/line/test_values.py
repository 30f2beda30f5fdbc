"""Values: the required ones in their order by type, the others by name; dice, choices, flags, cards, turns."""

import pytest

from cli.line.guiding import guide
from tests.kit.given import Given
from tests.kit.lines import QUESTIONS, context, lacks, misread, on_shell, one, refused, unclear


@pytest.mark.parametrize(
    "line", ["d brog amount=4", "d brog --amount 4", "d brog --amount=4", "d amount=4 character=brog"]
)
def test_a_field_is_named_in_any_way(osr: Given, line: str) -> None:
    assert one(osr, line) == {"character": "brog", "amount": 4}


@pytest.mark.parametrize(
    "line",
    [
        "bypassing-hit brog dc 30 cost 10 sacrifice",
        "byp brog 30 cost=10 sacrifice",
        "byp brog sacrifice --cost 10 --dc 30",
    ],
)
def test_optional_fields_go_by_their_names(osr: Given, line: str) -> None:
    assert one(osr, line) == {"character": "brog", "dc": 30, "cost": 10, "sacrifice": True}


def test_required_values_are_told_apart_by_their_types(turns: Given) -> None:
    assert one(turns, "perform brann top 1") == one(turns, "perform brann 1 top")
    assert one(turns, "perform top tram") == {"character": "Brann", "card": "Trample", "half": "top"}


@pytest.mark.parametrize("dice", ["545", "5 4 5", "5,4,5", "54 5", "5, 4, 5"])
def test_dice_stuck_together_apart_or_added(osr: Given, dice: str) -> None:
    assert one(osr, f"rest brog {dice}") == {"characters": ["brog"], "rolled": {"brog": [5, 4, 5]}}
    assert one(osr, f"enrol Mo {dice}") == {"character": "Mo", "rolled": [5, 4, 5]}


def test_each_is_given_their_dice(osr: Given) -> None:
    fields = {"characters": ["brog", "Wen"], "rolled": {"brog": [5, 4, 5], "Wen": [6, 1]}}
    assert one(osr, "rest brog 545 wen 61") == one(osr, "rest brog 5 4 5 wen 6,1") == fields
    assert one(osr, "rest wen 61 brog") == {"characters": ["Wen", "brog"], "rolled": {"Wen": [6, 1]}}
    assert one(osr, "rest brog wen rolled=wen=6,1")["rolled"] == {"Wen": [6, 1]}
    assert one(osr, "rest brog wen rolled=wen=61 rolled=brog=5")["rolled"] == {"Wen": [6, 1], "brog": [5]}


def test_a_sum_is_a_number(osr: Given) -> None:
    assert one(osr, "d brog 2+1") == {"character": "brog", "amount": 3}


def test_a_choice_goes_by_a_unique_beginning(osr: Given) -> None:
    assert one(osr, "fate brog maj") == {"character": "brog", "fate": "major_wound"}
    assert one(osr, "recovery brog str improved") == {"character": "brog", "ability": "strength", "improved": True}
    unclear(osr, "recovery brog c improved", "c may be constitution or charisma.")


@pytest.mark.parametrize("value", ["unsafe", "not safe", "no-safe", "--no-safe", "safe=no", "safe=false", "--safe=no"])
def test_a_flag_goes_by_its_name(osr: Given, value: str) -> None:
    assert one(osr, f"rest brog {value}") == {"characters": ["brog"], "safe": False}
    assert one(osr, f"rest brog 54 {value}")["safe"] is False


def test_a_flag_that_must_be_said_may_be_yes_or_no(turns: Given) -> None:
    assert one(turns, "end-scenario won") == one(turns, "end-scenario yes") == {"won": True}
    assert one(turns, "end-scenario not won") == one(turns, "end-scenario no") == {"won": False}
    lacks(turns, "end-scenario", "won")


def test_who_keeps_the_old_total(osr: Given) -> None:
    assert one(osr, "rest brog keep") == {"characters": ["brog"], "keep": ["brog"]}
    assert one(osr, "rest brog wen keep wen")["keep"] == ["Wen"]
    assert one(osr, "rest brog 54 keep=brog wen 61") == {
        "characters": ["brog", "Wen"], "keep": ["brog"], "rolled": {"brog": [5, 4], "Wen": [6, 1]},
    }  # fmt: skip


def test_a_card_goes_by_number_or_by_a_word_of_its_name(choosing: Given) -> None:
    fields = {"character": "Brann", "lead": "Trample", "second": "Leaping Cleave"}
    for line in ("s brann trample leap", "s br tram cleave", "s br leaping cleave tram", 's br "leaping cleave" tram'):
        assert sorted(one(choosing, line).values()) == sorted(fields.values())
    assert one(choosing, "s br 1 9") == {"character": "Brann", "lead": 1, "second": 9}
    assert one(choosing, "s br 1 leap") == {"character": "Brann", "lead": 1, "second": "Leaping Cleave"}


def test_only_cards_that_are_legal_there_count(turns: Given) -> None:
    """Warding Strength is in the hand and cannot be performed: the rules say so, not the grammar."""
    assert one(turns, "t ey") == {"character": "Brann", "card": "Eye for an Eye", "half": "top"}
    assert one(turns, "t warding")["card"] == "warding"
    turns.when({"type": "gloomhaven.perform", **one(turns, "t warding")})
    assert turns.error is not None


def test_several_cards_that_begin_so_are_named(choosing: Given) -> None:
    found = "s may be Sweeping Blow, Warding Strength, Shield Bash or Spare Dagger."
    unclear(choosing, "s br s 1", found)


def test_a_list_takes_what_fits(turns: Given) -> None:
    reading = one(turns, "recover 3,4 5 lost up_to=2")
    assert reading == {"character": "Brann", "cards": [3, 4, 5], "kind": "lost", "up_to": 2}
    assert one(turns, "l 2 treasures 7,8") == {"character": "Brann", "tokens": 2, "treasures": [7, 8]}


def test_name_value_is_one_syntax_everywhere(osr: Given) -> None:
    assert one(osr, "override brog hp=7 fatigue=1 a potion") == {
        "character": "brog", "set": {"hp": 7, "fatigue": 1}, "why": "a potion",
    }  # fmt: skip
    assert one(osr, "override brog --set hp=7 --why cursed") == one(osr, "override brog set=hp=7 cursed")
    assert one(osr, "check-sheet brog condition=up wounds=[]")["expect"] == {"condition": "up", "wounds": []}
    assert one(osr, "ruling 6.4 keep_higher=true Keep it") == {
        "rule": "6.4", "text": "Keep it", "set": {"keep_higher": True},
    }  # fmt: skip
    assert one(osr, "saves brog 26 stat_loss=strength=2,wis=1")["stat_loss"] == {"strength": 2, "wisdom": 1}


def test_a_shell_has_done_the_quoting(osr: Given) -> None:
    line = on_shell("damage", "big bo", "4", "--source", "a ghoul's claw")
    assert one(osr, line) == {"character": "Big Bo", "amount": 4, "source": "a ghoul's claw"}
    assert one(osr, on_shell("note", "Two  spaces")) == {"text": "Two  spaces"}


def test_an_opposed_attack_gives_each_their_cards(cards: Given) -> None:
    fields = {
        "attacker": "Wren",
        "defender": "Tobin",
        "style": "melee",
        "flipped": ["12"],
        "defender_flipped": ["7", "8"],
    }
    assert one(cards, "at wren 12 tob 7 8 mel") == one(cards, "at wren 12 melee tob 7,8") == fields
    cards.when({"type": "deckahedron.foe", "foe": "the grey one"}).then_some()
    cards.when({"type": "deckahedron.foe", "foe": "marsh wolf"}).then_some()
    assert one(cards, "at wren mel 2 the grey one") == {
        "attacker": "Wren", "style": "melee", "flipped": ["2"], "foe": "the grey one",
    }  # fmt: skip
    assert one(cards, "at wren mel x marsh wolf")["foe_result"] == "x"
    assert one(cards, 'fa "marsh wolf" x wren') == one(cards, 'foe-attack "marsh wolf" x wren')


def test_what_is_missing_is_told(osr: Given, turns: Given) -> None:
    lacks(osr, "d brog", "amount")
    misread(osr, "d brog", "damage needs amount: points of damage.")
    lacks(osr, "d", "character", "amount")
    misread(turns, "t", "perform needs card: Eye for an Eye or Trample.")
    misread(turns, "s ysa", "select needs lead")
    lacks(osr, "override brog hp=7", "why")
    misread(osr, "d brog --amount", "--amount needs a value.")


def test_what_does_not_fit_is_told(osr: Given) -> None:
    misread(osr, "d brog amount=x", "amount must be a whole number of 0 or more, not 'x'.")
    misread(osr, "d brog amount=1 amount=2", "amount is given twice.")
    misread(osr, "d brog 4 --sauce x", "There is no option --sauce; did you mean --source?")
    misread(osr, "rally brog gladly", "'gladly' does not fit here")
    misread(osr, "d brog -3", "'-3' does not fit here")
    refused(osr, "note about=nobody x", "There is no character 'nobody'")
    misread(osr, "override brog --set hp", "Write it as NAME=VALUE, not 'hp'.")


def test_a_wound_is_named_by_its_number_or_its_words(osr: Given) -> None:
    for what in ("crushed leg", "broken jaw", "broken nose", "a scratch", "a scratch"):
        osr.when({"type": "osr.bypassing_hit", "character": "Wen", "dc": 10}).then_some()
        saves = {"strength": 12, "will": 12, "wound": what}
        osr.when({"type": "osr.injury_saves", "character": "Wen", **saves}).then_some()
    assert one(osr, "treat wen jaw") == {"character": "Wen", "wound": 2}
    assert one(osr, "worsen wen broken nose 14") == {"character": "Wen", "wound": 3, "dc": 14}
    healed = {"character": "Wen", "wound": 1, "why": "by the healer"}
    assert one(osr, "recover-wound wen crushed leg by the healer") == healed
    misread(osr, "treat wen broken", 'Like: treat wen "broken jaw"; or treat wen "broken nose".')
    misread(osr, "treat wen scratch", "Like: treat wen 4; or treat wen 5.")
    osr.when({"type": "osr.treat", "character": "Wen", "wound": 1}).then_some()
    misread(osr, "treat wen leg", "wound takes 2 (broken jaw), 3 (broken nose), 4 (a scratch) or 5 (a scratch).")
    helps = [way.help for way in guide("treat wen ", 10, context(osr), QUESTIONS).candidates[:2]]
    assert helps == ["broken jaw", "broken nose"]
