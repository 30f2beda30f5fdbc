"""Names of characters: what is fit to be one, when two are the same, and what a wrong one is told."""

import shlex
from typing import Any

import pytest

from cli.terminal.spelling import in_quotes
from domain.naming import fit_name, key_of, quantity
from domain.refusal import Invalid
from tests.kit.given import Given


def enrol(name: Any) -> dict[str, Any]:
    return {"type": "osr.enrol", "character": name, "rolled": [4]}


def table(*names: str) -> Given:
    at = Given("osr")
    for name in names:
        at.when(enrol(name))
        assert at.error is None, at.error
    return at


@pytest.mark.parametrize(
    "name", ["b", "Brog", "Brog the Bold", "Åsa", "Ælfgifu", "朱里", "Brog-2", "O'Neill", "🐉", "x" * 60,
             "👩\u200d🚒 Ada", "👨\u200d👩\u200d👧", "🧙🏽\u200d♂\ufe0f", "❤\ufe0f\u200d🔥"]
)  # fmt: skip
def test_a_name_is_stored_as_given(name: str) -> None:
    assert list(table(name).sheets()) == [name]


def test_a_name_is_stored_trimmed() -> None:
    assert list(table("  Brog \t").sheets()) == ["Brog"]


@pytest.mark.parametrize("name", ["", "   ", "\u3000", "\u00a0"])
def test_a_name_must_not_be_empty(name: str) -> None:
    Given("osr").when(enrol(name)).invalid("must not be empty")


def test_a_name_has_at_most_60_characters() -> None:
    Given("osr").when(enrol("x" * 61)).invalid("at most 60")
    Given("osr").when(enrol("x" * 201)).invalid()
    assert list(table(" " * 5 + "x" * 60).sheets()) == ["x" * 60]


@pytest.mark.parametrize(
    "sign",
    [
        "\x00", "\x1b", "\n", "\t", "\x7f", "\x85", "\u200b", "\u200d", "\u202e", "\u2066", "\ufeff", "\u2028",
        "\u2029", "\u00ad", "\u034f", "\u115f", "\u3164", "\uffa0", "\u2800", "\ufe0f", "\U000e0101", "\ue000",
        "\U000e0041",
    ],
)  # fmt: skip
def test_a_name_holds_no_control_or_invisible_character(sign: str) -> None:
    Given("osr").when(enrol(f"br{sign}og")).invalid("only visible characters")


@pytest.mark.parametrize("name", ["🐉\u200d", "\u200d🐉", "Bro\u200d🐉", "🐉\u200dBro", "g\ufe0f", "🐉\ufe0f\ufe0f"])
def test_what_joins_emoji_stands_between_two(name: str) -> None:
    Given("osr").when(enrol(name)).invalid("only visible characters")


def test_an_emoji_is_the_same_in_colour_and_without() -> None:
    table("❤\ufe0f Ada").when(enrol("❤ Ada")).refused(None, "already")


@pytest.mark.parametrize("name", ["\ud800", "brog\udfff"])
def test_half_of_a_pair_is_no_name(name: str) -> None:
    Given("osr").when(enrol(name)).invalid("broken character")
    with pytest.raises(Invalid):
        fit_name(name)


@pytest.mark.parametrize("name", [None, 3, ["brog"], {"name": "brog"}, True])
def test_what_is_no_text_is_no_name(name: Any) -> None:
    Given("osr").when(enrol(name)).invalid()


@pytest.mark.parametrize("name", ["Brog", "BROG", "brog", "ｂｒｏｇ", " brog "])
def test_one_name_in_other_letters_is_enrolled_already(name: str) -> None:
    table("Brog").when(enrol(name)).refused(None, "Brog is enrolled already")


@pytest.mark.parametrize("name", ["the Brog", "Bróg", "A brog", "Br'og"])
def test_a_name_that_is_heard_alike_is_taken(name: str) -> None:
    table("Brog").when(enrol(name)).refused(None, "Brog is enrolled already, and is heard alike")
    table(name).when(enrol("Brog")).refused(None, "heard alike")


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("all", "everybody"), ("Everyone", "everybody"), ("PARTY", "those with a player"), ("T5", "a place in the log"),
        ("s1", "a place in the log"), ("R3", "a place in the log"), ("@", "a place in the log"), ("7", "a number"),
    ],
)  # fmt: skip
def test_what_a_line_reads_otherwise_is_no_name(name: str, meaning: str) -> None:
    because = f"{name!r} means {meaning} on a line; choose another name."
    table("Brog").when(enrol(name)).refused(None, because)
    table("Brog").when({"type": "track", "name": name, "value": 3}).refused(None, because)
    Given("deckahedron").when({"type": "deckahedron.foe", "foe": name}).refused(None, because)


@pytest.mark.parametrize("name", ["Alla", "Party Pete", "T5 the droid", "Seven", "Tess", "7 of 9"])
def test_what_only_begins_like_it_is_a_name(name: str) -> None:
    assert list(table("Brog").when(enrol(name)).handler.state().characters) == ["Brog", name]


@pytest.mark.parametrize("name", ["Brogan", "Brog 2", "The", "Old Brog"])
def test_a_name_with_more_to_it_is_another(name: str) -> None:
    assert list(table("Brog").when(enrol(name)).handler.state().characters) == ["Brog", name]


def test_case_is_folded_and_width_ignored() -> None:
    assert key_of("STRASSE") == key_of("straße")
    assert key_of("ﬁn") == key_of("FIN")
    assert (
        key_of("\N{ANGSTROM SIGN}")
        == key_of("\N{LATIN SMALL LETTER A WITH RING ABOVE}")
        == key_of("A\N{COMBINING RING ABOVE}")
    )
    assert key_of("brog") != key_of("ada")


@pytest.mark.parametrize("name", ["Brog", "brog", "ＢＲＯＧ", "  BROG  "])
def test_a_character_is_found_ignoring_case_and_width_and_recorded_as_enrolled(name: str) -> None:
    at = table("Brog").when({"type": "osr.damage", "character": name, "amount": 1})
    assert at.events[0].character == "Brog"  # type: ignore[attr-defined]
    assert at.outcome is not None
    assert at.outcome.turn.action.character == "Brog"  # type: ignore[attr-defined]


def test_names_that_are_keys_are_found_too() -> None:
    at = table("Brog").when({"type": "osr.short_rest", "characters": ["BROG"], "rolled": {"bROG": [3]}})
    at.has("Brog", hp=3)


def test_a_wrong_name_names_the_nearest() -> None:
    table("Brog", "Ada").when({"type": "note", "text": "!", "about": "Borg"}).refused(None, "did you mean Brog?")


def test_one_word_of_a_name_names_it_as_the_shell_takes_it() -> None:
    note = {"type": "note", "text": "!", "about": "tom"}
    table("Sir Tom of the Far Marshes", "Ada").when(note).refused(None, 'did you mean "Sir Tom of the Far Marshes"?')
    table("Sir Tom of the Far Marshes", "Tom of the Near Marshes").when(note).refused(None, "known: ")


def test_a_wrong_name_that_is_near_to_none_names_them_all() -> None:
    table("Brog", "Ada").when({"type": "note", "text": "!", "about": "Zyx"}).refused(None, "known: Brog and Ada")


def test_the_name_of_a_player_says_whom_they_play() -> None:
    at = table("Ada")
    at.and_given(*(at.line({**enrol(name), "player": "Mía"}) for name in ("Brog", "wen")))
    for line in ({"type": "note", "text": "!", "about": "mia"}, {"type": "absence", "character": "MIA"}):
        at.when(line).refused(None, "Mía plays Brog and Wen.")


def test_where_nobody_is_enrolled_it_says_so() -> None:
    table().when({"type": "note", "text": "!", "about": "Zyx"}).refused(None, "enrol one first")


def test_one_character_twice_in_one_list_is_invalid() -> None:
    table("Brog").when({"type": "osr.short_rest", "characters": ["Brog", "BROG"]}).invalid("is named twice")
    both = {"type": "osr.short_rest", "characters": ["Brog"], "rolled": {"Brog": [3], "brog": [4]}}
    table("Brog").when(both).invalid("is named twice")


def test_a_name_is_free_again_when_its_enrolment_is_undone() -> None:
    at = table("Brog").when({"type": "undo"}).when(enrol("BROG"))
    assert list(at.sheets()) == ["BROG"]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("brog", "brog"),
        ("Big Bo", "'Big Bo'"),
        ("O'Neil", '"O\'Neil"'),
        ("Sam O'Neil", '"Sam O\'Neil"'),
        ("Cash $O'Neil", "'Cash $O'\"'\"'Neil'"),
    ],
)
def test_a_name_as_one_word_for_a_shell_reads_as_a_person_writes_it(text: str, word: str) -> None:
    assert in_quotes(text) == word
    assert shlex.split(word) == [text]


@pytest.mark.parametrize(("number", "words"), [(0, "0 cards"), (1, "1 card"), (2, "2 cards")])
def test_a_quantity_has_its_noun_in_the_right_number(number: int, words: str) -> None:
    assert quantity(number, "card") == words


def test_a_quantity_takes_a_plural_of_its_own() -> None:
    assert [quantity(number, "hit die", "hit dice") for number in (1, 3)] == ["1 hit die", "3 hit dice"]
