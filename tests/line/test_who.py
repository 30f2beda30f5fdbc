"""Who is meant: however the name is written, unique or refused, one or several, or whoever's turn it is."""

import pytest

from cli.line.spelling import line_of_choice
from domain.naming import fitting, following, plain_words
from domain.refusal import Refusal
from tests.kit.given import Given
from tests.kit.lines import context, lacks, means, misread, one, unclear, understood


def who(table: Given, line: str) -> list[str]:
    return [action["character"] for action in means(table, line)]


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("brog", "brog"),
        ("BROG", "brog"),
        ("ségolène", "Ségolène"),
        ("segolene", "Ségolène"),
        ("seg", "Ségolène"),
        ("corin d'arc", "Corin d’Arc"),
        ("corin darc", "Corin d’Arc"),
        ("corindarc", "Corin d’Arc"),
        ("darc", "Corin d’Arc"),
        ("arc", "Corin d’Arc"),
        ("big bo", "Big Bo"),
        ("bigbo", "Big Bo"),
        ("bo", "Big Bo"),
        ("Ｗｅｎ", "Wen"),
    ],
)
def test_case_accents_apostrophes_and_spaces_do_not_matter(osr: Given, spelling: str, name: str) -> None:
    assert one(osr, f"d {spelling} 4") == {"character": name, "amount": 4}


def test_what_is_not_unique_names_those_who_fit(osr: Given) -> None:
    unclear(osr, "d b 4", "b may be brog or Big Bo.")
    misread(osr, "d b 4", "b may be brog or Big Bo.")


def test_the_whole_name_wins_over_a_longer_one() -> None:
    assert fitting("ann", ["Annika", "Ann", "Big Ann"]) == ["Ann"]
    assert fitting("ánn", ["Annika", "Ann"]) == ["Ann"]
    assert fitting("ann", ["Annika", "Ánn", "Ann"]) == ["Ann"]
    assert fitting("an", ["Annika", "Ann"]) == ["Annika", "Ann"]
    assert fitting("", ["Ann"]) == []


def test_a_name_of_signs_alone_is_found_by_them() -> None:
    assert fitting("!?", ["!?", "Ann"]) == ["!?"]
    assert plain_words("Łukasz Øyvind-Æsir") == ("lukasz", "oyvind", "aesir")
    assert following(("far", "marshes"), ["Tom of the Far Marshes", "Far"]) == ["Tom of the Far Marshes"]
    # a whole name is itself, though another one ends with it
    assert following(("drowned", "man"), ["Second Drowned Man", "Drowned Man"]) == ["Drowned Man"]
    assert following(("drowned", "m"), ["Second Drowned Man", "Drowned Man"]) == ["Second Drowned Man", "Drowned Man"]


def test_several_are_named_in_a_row_or_with_commas(osr: Given) -> None:
    assert who(osr, "d brog wen 5") == who(osr, "d brog,wen 5") == ["brog", "Wen"]
    assert one(osr, "rest brog wen ada") == {"characters": ["brog", "Wen", "Ada"]}
    assert one(osr, "rest brog,wen") == {"characters": ["brog", "Wen"]}
    assert who(osr, "rally brog wen") == ["brog", "Wen"]


def test_all_are_those_who_can_act_and_the_party_has_players(osr: Given) -> None:
    osr.when({"type": "osr.damage", "character": "Wen", "amount": 30}).then_some()
    osr.when({"type": "osr.injury_saves", "character": "Wen", "strength": 1, "will": 1}).then_some()
    osr.when({"type": "osr.choose_fate", "character": "Wen", "fate": "death"}).then_some()
    assert who(osr, "d all 6 fireball") == ["brog", "Ada", "Ségolène", "Big Bo", "Corin d’Arc"]
    assert who(osr, "d party 6") == ["brog", "Ségolène", "Big Bo", "Corin d’Arc"]
    assert one(osr, "night party")["characters"] == ["brog", "Ségolène", "Big Bo", "Corin d’Arc"]


def test_left_out_it_is_whoever_has_the_turn(turns: Given) -> None:
    assert one(turns, "t 1")["character"] == "Brann"
    assert one(turns, "e") == {"character": "Brann"}
    assert one(turns, "d 3 a trap") == {"character": "Brann", "amount": 3, "source": "a trap"}
    assert one(turns, "d ysa 3")["character"] == "Ysa"


def test_left_out_it_is_the_only_one_for_whom_it_comes_next(osr: Given) -> None:
    for name in ("Wen", "brog"):
        osr.when({"type": "osr.damage", "character": name, "amount": 30}).then_some()
        if name == "Wen":
            assert one(osr, "saves 26 14") == {"character": "Wen", "strength": 26, "will": 14}
            lacks(osr, "d 4", "character")
    lacks(osr, "saves 26 14", "character")


def test_left_out_where_no_rule_knows_the_turn_it_is_missing(osr: Given, choosing: Given) -> None:
    lacks(osr, "d 4", "character")
    lacks(osr, "rest", "characters")
    lacks(choosing, "lr", "character")


def test_a_card_that_begins_like_a_name_is_the_card_of_whoever_has_the_turn(turns: Given) -> None:
    turns.when({"type": "gloomhaven.enrol", "character": "Trixi", "class": "brute"}).then_some()
    assert one(turns, "t tr") == {"character": "Brann", "card": "Trample", "half": "top"}
    assert one(turns, "d tr 3")["character"] == "Trixi"


def test_a_short_name_of_two_words_is_written_in_full(osr: Given) -> None:
    """`saves big` is hardly what anybody calls Big Bo."""
    osr.when({"type": "osr.damage", "character": "Big Bo", "amount": 40}).then_some()
    decision, *_ = osr.system.pending_for(osr.handler.state(), "Big Bo")
    assert line_of_choice(context(osr), decision.choices[0]) == 'injury-saves "Big Bo" STRENGTH WILL'


def test_the_name_of_a_player_offers_the_one_character_of_theirs(osr: Given) -> None:
    for line, way in (("absent jon", "absent Wen"), ("absent mia", None), ("d jon 3 a rat", None)):
        with pytest.raises(Refusal, match=" plays ") as refusal:
            understood(osr, line)
        choices = [line_of_choice(context(osr), choice) for choice in refusal.value.choices]
        assert choices == ([way] if way else []), line
