"""What it costs to tell a turn: each row is typed, means what it should and is legal; Enter is a key too."""

from typing import Any

from tests.kit.given import Given
from tests.kit.lines import means, understood


def keys(*lines: str) -> int:
    """How many keys are pressed for these lines."""
    return sum(len(line) + 1 for line in lines)


def typed_and_done(table: Given, *lines: str) -> list[dict[str, Any]]:
    """What the lines come to, each understood when those before it are done."""
    found = []
    for line in lines:
        for action in means(table, line):
            table.when(action).then_some()
            found.append(action)
    return found


def test_damage(osr: Given) -> None:
    assert keys("d brog 4") <= 10
    (action,) = typed_and_done(osr, "d brog 4")
    assert action == {"type": "osr.damage", "character": "brog", "amount": 4}


def test_damage_with_its_source(osr: Given) -> None:
    assert keys("d brog 4 a ghoul") <= 18
    (action,) = typed_and_done(osr, "d brog 4 a ghoul")
    assert action["source"] == "a ghoul"


def test_a_fireball_on_four() -> None:
    table = Given("osr")
    for name in ("Brog", "Wen", "Ségolène", "Mother Aubépine"):
        table.when({"type": "osr.enrol", "character": name, "player": "Mia", "level": 3}).then_some()
    assert keys("d all 6 fireball") <= 18
    actions = typed_and_done(table, "d all 6 fireball")
    assert [(action["character"], action["amount"], action["source"]) for action in actions] == [
        (name, 6, "fireball") for name in ("Brog", "Wen", "Ségolène", "Mother Aubépine")
    ]


def test_a_short_rest_of_four_with_their_dice() -> None:
    table = Given("osr")
    for name in ("Brog", "Wen", "Ségolène", "Mother Aubépine"):
        table.when({"type": "osr.enrol", "character": name, "player": "Mia", "level": 2}).then_some()
    line = "rest brog 54 wen 61 seg 33 aub 42"
    assert keys(line) <= 34
    (action,) = typed_and_done(table, line)
    assert action["rolled"] == {"Brog": [5, 4], "Wen": [6, 1], "Ségolène": [3, 3], "Mother Aubépine": [4, 2]}


def test_both_saves(osr: Given) -> None:
    osr.when({"type": "osr.damage", "character": "brog", "amount": 12}).then_some()
    assert keys("saves brog 26 14") <= 18
    (action,) = typed_and_done(osr, "saves brog 26 14")
    assert (action["strength"], action["will"]) == (26, 14)


def test_the_number_of_the_last_turn(osr: Given) -> None:
    typed_and_done(osr, "d brog 4 a ghoul")
    assert keys("amend 2") <= 10
    (action,) = typed_and_done(osr, "amend 2")
    assert action["action"]["amount"] == 2 and action["action"]["source"] == "a ghoul"


def test_why_somebody_has_so_many_hit_points(osr: Given) -> None:
    assert keys("why brog") <= 9
    question = understood(osr, "why brog").question
    assert question is not None and (question.command, question.words) == ("why", ("brog.hp",))


def test_a_note_of_twenty_letters(osr: Given) -> None:
    text = "the door is a mimic!"
    assert len(text) == 20 and keys(f"n {text}") <= 23
    (action,) = typed_and_done(osr, f"n {text}")
    assert action["text"] == text


def test_an_opposed_attack_with_the_cards_on_the_table(cards: Given) -> None:
    typed_and_done(cards, "scene combat")
    deck = cards.handler.state().characters
    line = f"at wren {deck['Wren'].deck[0]} tob {deck['Tobin'].deck[0]} mel"
    assert keys(line) <= 28
    (action,) = means(cards, line)
    assert (action["attacker"], action["defender"], action["style"]) == ("Wren", "Tobin", "melee")
    assert len(action["flipped"]) == len(action["defender_flipped"]) == 1


def test_a_round_of_one_player_of_gloomhaven() -> None:
    """Two cards, the top of one, the bottom of the other, a hit, the end of the turn."""
    table = Given("gloomhaven")
    table.when({"type": "gloomhaven.enrol", "character": "Brann", "class": "brute"}).then_some()
    typed_and_done(table, "begin-scenario 1", "begin-round")
    lines = ["s b 1 2", "t 1", "b 2", "d 3", "e"]
    typed_and_done(table, lines[0], "rev")
    actions = typed_and_done(table, *lines[1:])
    assert [action["type"].partition(".")[2] for action in actions] == ["perform", "perform", "damage", "end_turn"]
    # one more key answers whether the hit is suffered
    assert keys(*lines) + 1 <= 24
