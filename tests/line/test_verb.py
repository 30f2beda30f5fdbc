"""Which verb a line begins with: its name, a short name, a unique beginning; a whole name wins."""

import pytest

from cli.line.verbs import verbs_of
from domain.registry import SYSTEMS, system_of
from tests.kit.given import Given
from tests.kit.lines import misread, one, understood

DAMAGE = {"character": "brog", "amount": 4}


@pytest.mark.parametrize(
    "line",
    ["damage brog 4", "d brog 4", "D brog 4", "dam brog 4", "osr damage brog 4", "osr d brog 4", "osr.damage brog 4"],
)
def test_a_verb_goes_by_its_name_its_short_name_a_beginning_and_its_tag(osr: Given, line: str) -> None:
    assert one(osr, line) == DAMAGE


@pytest.mark.parametrize(
    "line", ["short-rest wen", "short_rest wen", "short rest wen", "shortrest wen", "sh-r wen", "rest wen"]
)
def test_the_words_of_a_verb_are_joined_as_one_likes(osr: Given, line: str) -> None:
    assert one(osr, line) == {"characters": ["Wen"]}


def test_a_verb_of_every_campaign_has_its_words_apart(osr: Given) -> None:
    assert one(osr, "session open The crypt") == {"title": "The crypt"}
    assert one(osr, "session o The crypt") == {"title": "The crypt"}
    assert (
        one(osr, "check-sheet brog hp=3")
        == one(osr, "sheet check brog hp=3")
        == {"character": "brog", "expect": {"hp": 3}}
    )
    assert one(osr, "ruling end R2") == {"ruling": 2}


def test_a_whole_name_wins_over_what_begins_so(turns: Given) -> None:
    """`summon` is the beginning of `summon-damage`, `s` of half a dozen verbs, and `heal` has a short name too."""
    assert understood(turns, "heal 2") == understood(turns, "h 2")
    assert one(turns, "summon 1 Bones 4 red")["name"] == "Bones 4 red"


def test_a_short_name_may_set_a_field(turns: Given) -> None:
    assert one(turns, "t 1") == {"character": "Brann", "card": 1, "half": "top"}
    assert one(turns, "b 1") == {"character": "Brann", "card": 1, "half": "bottom"}
    misread(turns, "t 1 half=bottom", "has no field half")


def test_two_words_for_one_thing_are_one_verb(osr: Given) -> None:
    """`nig` begins both night-rest and its short name."""
    assert one(osr, "nig wen") == {"characters": ["Wen"]}


def test_people_spell_it_with_two_l(osr: Given) -> None:
    assert one(osr, "enroll Mo") == one(osr, "enrol Mo") == {"character": "Mo"}


def test_the_rules_of_another_table_have_no_verbs_here(osr: Given) -> None:
    misread(osr, "gloomhaven damage brog 4", "There is no verb 'gloomhaven'")


@pytest.mark.parametrize("rules", SYSTEMS)
def test_what_people_call_a_verb_is_no_verb(rules: str) -> None:
    called = [word for kind in system_of(rules).actions for word in kind.synonyms]
    assert called
    assert not {(word,) for word in called} & {verb.words for verb in verbs_of(rules)}


@pytest.mark.parametrize("rules", SYSTEMS)
def test_no_word_begins_two_verbs_and_every_action_has_one(rules: str) -> None:
    verbs = verbs_of(rules)
    words = [verb.words for verb in verbs]
    assert len(set(words)) == len(words)
    assert {verb.kind for verb in verbs} >= {kind for kind in system_of(rules).actions if kind.has_verb}
    assert ("adopt",) not in words  # it comes with the turns of its branch, and never by itself


#: What stands in the description of the line.
SHORT = {
    "osr": "n u r d rest night saves fate enroll",
    "deckahedron": "n u r f at ls br enroll",
    "gloomhaven": "n u r s lr rev t b d h a m i l e sr enroll",
}


@pytest.mark.parametrize("rules", SHORT)
def test_the_short_names_are_those_of_the_description(rules: str) -> None:
    from domain.registry import verb_name

    short = {verb.name for verb in verbs_of(rules) if verb.name != verb_name(verb.kind)} - {"check-sheet"}
    assert set(SHORT[rules].split()) <= short
