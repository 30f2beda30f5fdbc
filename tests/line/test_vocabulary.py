"""The forms of words that people use: what is one of several, and which verb a form is of."""

import pytest

from cli.line.vocabulary import STRIKING, bases_of, singular, third_person


@pytest.mark.parametrize(
    ("form", "verb"),
    [
        ("rests", "rest"), ("rallies", "rally"), ("rallied", "rally"), ("rested", "rest"), ("resting", "rest"),
        ("stunned", "stun"), ("muddled", "muddle"), ("poisoned", "poison"), ("punches", "punch"), ("loses", "lose"),
    ],
)  # fmt: skip
def test_a_form_is_of_its_verb(form: str, verb: str) -> None:
    assert verb in bases_of(form)
    assert bases_of(form)[0] == form


@pytest.mark.parametrize("word", ["is", "bring", "as", "ring", "ties"])
def test_a_short_word_is_no_form_of_a_letter_or_two(word: str) -> None:
    assert all(base == word or len(base) > 2 for base in bases_of(word))


def test_the_third_person_is_spelt_as_people_spell_it() -> None:
    assert [third_person(verb) for verb in ("rest", "crush", "punch", "carry", "slay", "fix")] == [
        "rests", "crushes", "punches", "carries", "slays", "fixes",
    ]  # fmt: skip
    assert {"smashes", "smash", "slashes", "stabs"} <= STRIKING


@pytest.mark.parametrize(
    ("several", "one"),
    [
        ("goblins", "goblin"), ("wolves", "wolf"), ("thieves", "thief"), ("dwarves", "dwarf"), ("zombies", "zombie"),
        ("harpies", "harpy"), ("witches", "witch"), ("torches", "torch"), ("glass", "glass"), ("Slaves", "Slave"),
        ("ogre", "ogre"),
    ],
)  # fmt: skip
def test_one_of_several_is_called_as_people_call_it(several: str, one: str) -> None:
    assert singular(several) == one
