"""Lines about earlier turns: taking back, standing again, amending, and why something is as it is."""

import pytest

from cli.line.errors import LineError
from cli.line.understanding import Question
from domain.refusal import Refusal
from tests.kit.given import Given
from tests.kit.lines import lacks, means, misread, one, refused, unclear, understood


@pytest.fixture
def hit(osr: Given) -> Given:
    """T8: brog was hit for 4; T9: a note."""
    osr.when({"type": "osr.damage", "character": "brog", "amount": 4, "source": "a ghoul"}).then_some()
    osr.when({"type": "note", "text": "Rain."}).then_some()
    return osr


def test_undo_and_redo_without_more_words(hit: Given) -> None:
    assert means(hit, "u") == [{"type": "undo"}]
    assert means(hit, "r") == [{"type": "redo"}]


@pytest.mark.parametrize(
    ("line", "turns"),
    [
        ("u T8", {"turns": [8]}),
        ("u t8 T9", {"turns": [8, 9]}),
        ("u T8,T9", {"turns": [8, 9]}),
        ("u @", {"turns": [9]}),
        ("u @-1", {"turns": [8]}),
        ("u last 2", {"last": 2}),
        ("u last=2", {"last": 2}),
        ("u to T7", {"to": "T7"}),
        ("u T8 it was the wall", {"turns": [8], "why": "it was the wall"}),
        ("u conflicts=keep", {"conflicts": "keep"}),
    ],
)
def test_what_is_to_be_undone_is_named(hit: Given, line: str, turns: dict[str, object]) -> None:
    assert one(hit, line) == turns


@pytest.mark.parametrize("line", ["T8 2 why=misheard", "T8 amount=2 why=misheard", "T8 2 --why misheard"])
def test_a_number_may_be_followed_by_what_else_is_said_of_the_amendment(hit: Given, line: str) -> None:
    amended = one(hit, line)
    assert amended["action"]["amount"] == 2 and amended["why"] == "misheard"


def test_a_short_name_of_an_option_is_read_everywhere(hit: Given) -> None:
    assert one(hit, "u -n 2") == {"last": 2}


def test_a_bare_redo_is_refused_once_something_else_was_done(hit: Given) -> None:
    hit.when({"type": "undo"}).then_some()
    assert means(hit, "r") == [{"type": "redo"}]
    hit.when({"type": "osr.damage", "character": "brog", "amount": 1}).then_some()
    refused(hit, "r", "say which undo to restore. T10 undid T9")
    with pytest.raises(Refusal) as found:
        means(hit, "r")
    assert [choice.fields for choice in found.value.choices] == [{"turn": 10}]
    assert one(hit, "r T10") == {"turn": 10}


DAMAGE = {"type": "osr.damage", "character": "brog", "amount": 4, "source": "a ghoul"}


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("T8 amount=2", DAMAGE | {"amount": 2}),
        ("amend 8 amount=2", DAMAGE | {"amount": 2}),
        ("amend T8 --set amount=2 --set=source=rats", DAMAGE | {"amount": 2, "source": "rats"}),
        ("amend T8 amount=2", DAMAGE | {"amount": 2}),
        ("amend T8 --amount 2", DAMAGE | {"amount": 2}),
        ("@-1 amount=2 source=rats", DAMAGE | {"amount": 2, "source": "rats"}),
        ("T8 character=wen", DAMAGE | {"character": "Wen"}),
        ("T8 source=", {key: value for key, value in DAMAGE.items() if key != "source"}),
        ("T8 2", DAMAGE | {"amount": 2}),
        ("T8 = d wen 3", {"type": "osr.damage", "character": "Wen", "amount": 3}),
        ("T8 = n never mind", {"type": "note", "text": "never mind"}),
    ],
)
def test_a_turn_is_amended_field_by_field_or_whole(hit: Given, line: str, action: dict[str, object]) -> None:
    assert one(hit, line) == {"turn": 8, "action": action}


def test_why_it_is_amended(hit: Given) -> None:
    assert one(hit, 'T8 amount=2 why="it was two"') == {
        "turn": 8,
        "action": DAMAGE | {"amount": 2},
        "why": "it was two",
    }
    assert one(hit, "T8 amount=2 --conflicts drop")["conflicts"] == "drop"


@pytest.mark.parametrize("line", ["T8 amount=2", "T8 2", "amend 8 amount=2", "T8 = d brog 2 a ghoul"])
def test_the_options_of_an_amendment_may_stand_behind_all_of_it(hit: Given, line: str) -> None:
    amended = {"turn": 8, "action": DAMAGE | {"amount": 2}}
    reading = understood(hit, f"{line} --why 'it was two' --drop --by Mia --after T7")
    assert means(hit, f"{line} --why 'it was two' --drop") == [
        {"type": "amend", **amended, "why": "it was two", "conflicts": "drop"}
    ]
    assert reading.manner == {"by": "Mia", "after": "T7"}


def test_an_option_of_what_stands_in_its_place_is_that_ones(hit: Given) -> None:
    reading = one(hit, "T8 = override brog hp=3 --why 'holy water' --keep")
    assert (reading["action"]["why"], reading.get("why"), reading["conflicts"]) == ("holy water", None, "keep")


def test_the_latest_turn_is_amended_in_its_first_number(osr: Given) -> None:
    osr.when(DAMAGE).then_some()
    assert one(osr, "amend 2") == {"turn": 8, "action": DAMAGE | {"amount": 2}}
    osr.when({"type": "undo"}).then_some()
    assert one(osr, "amend 3")["action"]["level"] == 3, "what is undone is not amended"


def test_the_first_number_is_one_that_stands_in_the_turn() -> None:
    table = Given("gloomhaven")
    table.when({"type": "gloomhaven.enrol", "character": "Brann", "class": "brute"}).then_some()
    reward = {"type": "gloomhaven.reward", "character": "Brann", "gold": 5}
    table.when(reward).then_some()
    assert one(table, "amend T3 6")["action"] == reward | {"gold": 6}
    assert one(table, "amend T2 3")["action"]["level"] == 3, "where none was said, the one that is so by default"


def test_a_turn_without_a_number_says_so(hit: Given) -> None:
    misread(hit, "amend 2", "No number stands in T9. Say what changes in T9: text.")


def test_the_dice_of_one_are_amended_and_the_others_stay(osr: Given) -> None:
    rest = {"type": "osr.short_rest", "characters": ["brog", "Wen"], "rolled": {"brog": [5, 4], "Wen": [6, 1]}}
    osr.when(rest).then_some()
    assert one(osr, "T8 rolled=wen=2,1")["action"] == rest | {"rolled": {"brog": [5, 4], "Wen": [2, 1]}}


def test_what_cannot_be_amended_so(hit: Given) -> None:
    misread(hit, "T8 amuont=2", "T8 has no field for 'amuont=2'; did you mean amount?")
    misread(hit, "T8 = d wen 3 ada 2", "you cannot put 2 turns in its place")
    misread(hit, "T8 = T8 amount=3", "There is no verb 'T8'")
    refused(hit, "T80 amount=2", "There is no turn T80")
    lacks(hit, "amend T8", "character", "amount", "source")


@pytest.mark.parametrize(
    ("line", "nearest"),
    [
        ("T8", None),
        ("amend", ["amend T9 = note Rain"]),
        ("amend T8", ["amend T8 amount=5"]),
        ("amend T7", []),  # of which no other level fits what was rolled
        ("amend T8 gold=13", ["amend T8 amount=13"]),
        ("amend T8 amuont=13", ["amend T8 amount=13"]),
        ("T8 gold=many", []),
        ("T8 gold=13 --why 'the chest'", ["T8 amount=13 --why 'the chest'"]),
    ],
)
def test_a_line_shows_how_a_turn_is_amended(hit: Given, line: str, nearest: list[str] | None) -> None:
    if nearest is None:
        assert understood(hit, line).question is not None
        return
    with pytest.raises(LineError) as error:
        understood(hit, line)
    assert list(error.value.nearest) == nearest
    for way in nearest:
        assert understood(hit, way).actions, "it can be typed as it stands"


def test_a_tracked_number_is_amended_like_any_other(osr: Given) -> None:
    osr.when({"type": "track", "character": "brog", "name": "gold", "value": 12}).then_some()
    with pytest.raises(LineError) as error:
        understood(osr, "amend T8 gold=13")
    assert list(error.value.nearest) == ["amend T8 value=13"]
    assert one(osr, "amend 13")["action"]["value"] == 13
    with pytest.raises(LineError) as error:
        understood(osr, "amend")
    assert list(error.value.nearest) == ["amend T8 value=13"]


def test_a_turn_alone_is_looked_at(hit: Given) -> None:
    assert understood(hit, "T8").question == Question("show", ("T8",))


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("why brog", "brog.hp"),
        ("why seg", "Ségolène.hp"),
        ("why brog fatigue", "brog.fatigue"),
        ("why seg.fatigue", "Ségolène.fatigue"),
        ("why seg hit points", "Ségolène.hp"),
        ("why big bo hit dice", "Big Bo.hit_dice"),
        ("why big bo.wounds.1", "Big Bo.wounds.1"),
        ("why big bo wounds 1 what", "Big Bo.wounds.1.what"),
        ("why brog luck", "brog.luck"),
    ],
)
def test_why_is_asked_of_the_vital_figure_or_a_field(hit: Given, line: str, asked: str) -> None:
    assert understood(hit, line).question == Question("why", (asked,))
    assert not understood(hit, line).actions


def test_why_of_deckahedron_asks_for_stamina(cards: Given) -> None:
    assert understood(cards, "why tob").question == Question("why", ("Tobin.stamina_left",))


def test_why_nobody(hit: Given) -> None:
    refused(hit, "why borg", "There is no character 'borg'")
    refused(hit, "why the ferryman", "There is no character 'the ferryman'")
    refused(hit, "why hp", "Say whose hp, like brog.hp.")
    unclear(hit, "why b", "b may be brog or Big Bo.")
    lacks(hit, "why")


@pytest.fixture
def attacked() -> Given:
    """T4: Ash attacked the wolf, which flipped x; T5: Ash lost 3 Stamina."""
    table = Given("deckahedron")
    table.when(
        {"type": "deckahedron.enrol", "character": "Ash", "strength": 2, "dexterity": 2, "intelligence": 3}
    ).then_some()
    table.when({"type": "deckahedron.foe", "foe": "wolf"}).then_some()
    table.when({"type": "deckahedron.attack", "attacker": "Ash", "foe": "wolf", "foe_result": "x"}).then_some()
    table.when({"type": "deckahedron.lose_stamina", "character": "Ash", "points": 3}).then_some()
    return table


def test_what_may_be_said_instead_is_spelled_as_it_is_typed(attacked: Given) -> None:
    attacked.when({"type": "deckahedron.foe_attack", "foe": "wolf", "foe_result": "x", "target": "Ash"}).then_some()
    with pytest.raises(LineError) as error:
        understood(attacked, "amend T6")
    assert error.value.nearest == ("amend T6 foe_result=vv",)
