"""What may be typed next is what is legal there, each with a word of help; a line that is no line goes on in no way."""

import pytest

from cli.line.guiding import Candidate, guide
from tests.kit.given import Given
from tests.kit.lines import QUESTIONS, context, misread
from tests.line.tables import table_of


def ways(table: Given, text: str, cursor: int | None = None) -> list[str]:
    """The words proposed at the end of a line, or at a place of it."""
    at = len(text) if cursor is None else cursor
    return [way.text for way in guide(text, at, context(table), QUESTIONS).candidates]


EVERYBODY = ["brog", "Wen", "Ada", "Ségolène", "Big Bo", "Corin d’Arc"]


def test_a_line_begins_with_a_verb_or_a_question(osr: Given) -> None:
    found = ways(osr, "")
    assert {"damage", "short-rest", "note", "session open", "why", "status"} <= set(found)
    assert "campaign" not in found and not any("gloomhaven" in continuation for continuation in found)
    assert ways(osr, "dam") == ["damage"]
    assert ways(osr, "sta") == ["status", "stats"]
    assert ways(osr, "session ") == ["open", "close"]


def test_then_come_those_who_are_there(osr: Given) -> None:
    assert ways(osr, "d ") == [*EVERYBODY, "all", "party"]
    assert ways(osr, "d seg") == ["Ségolène"]
    assert ways(osr, "d SÉG") == ["Ségolène"]
    assert ways(osr, "d b") == ["brog", "Big Bo"]
    assert "brog" not in ways(osr, "rest brog ")


def test_then_what_is_legal_now(turns: Given, osr: Given) -> None:
    assert ways(turns, "t tr") == ["Trample"]
    # whose turn it is is known, and what they can do comes before whom else it may be about
    assert ways(turns, "t ")[:3] == ["Eye for an Eye", "Trample", "Brann"]
    assert [way for way in ways(turns, "t ") if way in ("Trample", "Eye for an Eye", "Warding Strength")] == [
        "Eye for an Eye", "Trample",
    ]  # fmt: skip
    osr.when({"type": "osr.damage", "character": "brog", "amount": 30}).then_some()
    osr.when({"type": "osr.injury_saves", "character": "brog", "strength": 1, "will": 30}).then_some()
    assert ways(osr, "fate brog ")[:2] == ["major_wound", "death"], "nobody dies of the first key"
    assert ways(osr, "recovery brog c")[:2] == ["constitution", "charisma"]


def test_fields_that_are_not_said_yet_and_their_values(osr: Given) -> None:
    assert ways(osr, "rest brog min") == ["minutes="]
    assert ways(osr, "rest brog uns") == ["unsafe"]
    assert "unsafe" not in ways(osr, "rest brog unsafe ")
    assert ways(osr, "saves brog 26 --w")[:2] == ["--will", "--wound"]
    assert ways(osr, "rest brog --no") == ["--no-safe"]
    assert ways(osr, "fate brog fate=ma") == ["fate=major_wound"]
    assert ways(osr, "n about=w") == ["about=Wen"]
    assert ways(osr, "override brog h") == ["hit_dice=", "hp="]


@pytest.mark.parametrize(
    ("line", "proposed"),
    [
        ("undo ", ["T7", "T6"]),
        ("amend ", ["T7", "T6"]),
        ("n turn=T", ["turn=T7", "turn=T6"]),
        ("why seg.f", ["Ségolène.fatigue"]),
        ("why wen.h", ["Wen.hit_dice", "Wen.hp"]),
        ("check-sheet brog h", ["hit_dice=", "hp="]),
        ("ruling 6.1", ["6.1", "6.10"]),
        ("ruling 6.4 so keep", ["keep_higher=false", "keep_higher=true"]),
        ("ruling 6.4 so --set sh", ["short_rest_together=false", "short_rest_together=true"]),
        ("ruling 6.4 so keep_higher=t", ["keep_higher=true"]),
        ("ruling 6.4 so zero", []),
        ("stats dice", ["dice-fairness"]),
    ],
)
def test_earlier_turns_rules_and_what_is_counted_are_proposed_too(osr: Given, line: str, proposed: list[str]) -> None:
    assert ways(osr, line)[:2] == proposed


def test_turns_are_offered_of_which_it_can_be_said(osr: Given) -> None:
    osr.when({"type": "osr.damage", "character": "brog", "amount": 1, "source": "a trap"}).then_some()
    osr.when({"type": "undo"}).then_some()
    assert ways(osr, "undo ")[:2] == ["T9", "T7"], "what is undone already is not"
    assert ways(osr, "amend ")[:2] == ["T7", "T6"], "nor is an undo amended, nor what it took back"
    assert [way for way in ways(osr, "undo ") if way == "T1"] == [], "nor what begins the log"
    assert ways(osr, "redo ")[:1] == ["T9"] and "T7" not in ways(osr, "redo ")
    assert "T1" in ways(osr, "n x --after ") and "T1" not in ways(osr, "n x --before ")
    assert "a trap" not in ways(osr, "d wen 4 "), "nor are the words of a turn that is undone"


def test_paragraphs_and_rulings_are_offered_of_which_it_can_be_said(osr: Given) -> None:
    assert ways(osr, "paragraph add ")[:1] == ["H1"] and "6.4" not in ways(osr, "paragraph add ")
    osr.when({"type": "paragraph.add", "rule": "H1", "title": "Rope", "text": "It burns."}).then_some()
    osr.when({"type": "paragraph.withdraw", "rule": "H1", "why": "it does not"}).then_some()
    assert ways(osr, "paragraph add ")[:1] == ["H2"]
    assert "H1" not in ways(osr, "paragraph revise ") and "6.4" in ways(osr, "paragraph revise ")
    osr.when({"type": "ruling", "rule": "6.4", "text": "so"}).then_some()
    osr.when({"type": "ruling", "rule": "6.5", "text": "so", "trial": True}).then_some()
    assert ways(osr, "ruling keep ")[:2] == ["R2", "ruling="] and ways(osr, "ruling end ")[:2] == ["R1", "R2"]


def reasons(table: Given, line: str) -> dict[str, str]:
    """Why each word that is proposed at the end of a line cannot be taken now."""
    return {way.text: way.reason for way in guide(line, len(line), context(table), QUESTIONS).candidates}


def test_behind_a_name_come_the_verbs_that_are_about_somebody(osr: Given) -> None:
    found = reasons(osr, "brog ")
    assert {"damage", "absent", "track"} <= set(found) and not {"enrol", "note", "undo", "session open"} & set(found)
    osr.when({"type": "absence", "character": "brog"}).then_some()
    assert reasons(osr, "brog ")["absent"] == "Brog is absent already" and reasons(osr, "Wen ")["absent"] == ""
    assert reasons(osr, "brog ")["back"] == "" and reasons(osr, "Wen ")["back"] == "Wen is here already"


def test_no_turn_is_amended_into_what_revises_others(osr: Given) -> None:
    assert not {"undo", "redo", "amend"} & set(ways(osr, "T5 = ")) and "note" in ways(osr, "T5 = ")


def test_what_has_nothing_to_be_about_says_so(osr: Given) -> None:
    found = reasons(osr, "")
    assert found["redo"] == "There is nothing to redo" and found["undo"] == ""
    assert found["ruling end"] == "There is no ruling R1; nobody has made a ruling yet"
    assert reasons(osr, "session ") == {"open": "", "close": "No session is open"}
    assert reasons(osr, "rest brog ")["unsafe"] == "A short rest needs a relatively safe spot"


def test_a_tracked_name_is_pinned_for_nobody(osr: Given) -> None:
    osr.when({"type": "track", "character": "brog", "name": "gold", "value": 3}).then_some()
    assert ways(osr, "track pin ") == ["gold"] and ways(osr, "brog gold ") == ways(osr, "gold brog ") == []


def test_the_dead_cannot_miss_an_evening(osr: Given) -> None:
    osr.when({"type": "override", "character": "Wen", "set": {"condition": "dead"}, "why": "a fall"}).then_some()
    for line in ("absent ", "retire "):
        found = {way.text: way.reason for way in guide(line, len(line), context(osr), QUESTIONS).candidates}
        assert found["Wen"] == "Wen is dead" and found["brog"] == ""


def test_a_breather_is_offered_what_it_is_taken_by(cards: Given) -> None:
    assert ways(cards, "br wren ")[:2] == ["dexterity", "intelligence"] and ways(cards, "br wren str") == []


def test_a_question_goes_on_with_what_it_looks_at(osr: Given) -> None:
    assert ways(osr, "log ") == [*(f"T{at}" for at in range(7, 0, -1)), *EVERYBODY]
    assert ways(osr, "show T") == [f"T{at}" for at in range(7, 0, -1)]
    osr.when({"type": "session.open"}).then_some()
    assert ways(osr, "log S") == ["S1", "Ségolène"]
    assert ways(osr, "why ") == ways(osr, "status ") == EVERYBODY
    assert ways(osr, "d brog 4 --after T8") == ["T8"]
    assert ways(osr, "d brog 4 --a") == ["--after"]


def test_remarks_made_before_the_latest_first(osr: Given) -> None:
    for source in ("a ghoul", "rats", "a ghoul", "acid"):
        osr.when({"type": "osr.damage", "character": "brog", "amount": 1, "source": source}).then_some()
    assert ways(osr, "d wen 4 ")[:3] == ["acid", "a ghoul", "rats"], "before whom else a blow may hit"
    assert ways(osr, "d wen 4 a") == ["acid", "a ghoul", "Ada", "Corin d’Arc"]


def test_where_nobody_else_can_follow_only_words_go_on(osr: Given) -> None:
    for name in ("brog", "wen"):
        osr.when({"type": "osr.damage", "character": name, "amount": 40}).then_some()
        osr.when({"type": "osr.injury_saves", "character": name, "strength": 1, "will": 60}).then_some()
    assert {"Wen", "Ada"} < set(ways(osr, "choose-fate brog major_wound "))
    osr.when({"type": "osr.choose_fate", "character": "wen", "fate": "major_wound", "wound": "a scar"}).then_some()
    assert ways(osr, "choose-fate brog major_wound ") == ["a scar", "wound=", "effect=", "ability_loss="]


def test_a_card_that_went_in_quotes_is_not_offered_without_them(turns: Given) -> None:
    for card in ("a hex", "rolling +1, +2"):
        turns.when({"type": "gloomhaven.attack", "character": "brann"}).then_some()
        turns.when({"type": "gloomhaven.draw_modifier", "character": "brann", "modifier": card}).then_some()
    turns.when({"type": "gloomhaven.attack", "character": "brann"}).then_some()
    found = ways(turns, "m brann ")
    assert "rolling +1, +2" in found and "a hex" not in found


def test_an_earlier_turn_has_its_fields(osr: Given) -> None:
    osr.when({"type": "osr.damage", "character": "brog", "amount": 4}).then_some()
    assert ways(osr, "T8 ") == ["character=", "amount=", "source=", "dc=", "how="]
    assert ways(osr, "amend T8 am") == ["amount="]
    assert ways(osr, "amend character=w") == ["character=Wen"]


@pytest.mark.parametrize(
    ("line", "proposed"),
    [
        ("@-1 ", ["text=", "about=", "rule="]),
        ("amend 5 ", ["character=", "source=", "dc="]),
        ("T8 amount=2 T9 ", ["text=", "about=", "rule="]),
        ("T8 amount=2 T9 te", ["text="]),
        ("T9 = ", ["enrol", "level-up", "short-rest"]),
        ("T9 = d ", [*EVERYBODY[:3]]),
        ("T8 amount=2 T9 = d brog 4 dc", ["dc="]),
        ("amend T9 = d s", ["Ségolène"]),
    ],
)
def test_of_an_amendment_the_turn_at_its_end_has_its_fields_and_behind_equals_begins_a_line(
    osr: Given, line: str, proposed: list[str]
) -> None:
    osr.when({"type": "osr.damage", "character": "brog", "amount": 4}).then_some()
    osr.when({"type": "note", "text": "dark"}).then_some()
    osr.when({"type": "osr.damage", "character": "brog", "amount": 4}).then_some()
    assert ways(osr, line)[: len(proposed)] == proposed


def test_what_could_not_be_done_now_may_have_been_done_then(osr: Given) -> None:
    found = {way.text: way.reason for way in guide("T6 = rally ", 11, context(osr)).candidates}
    assert found["brog"] == "" and not any(found.values())


@pytest.mark.parametrize("line", ["n turn ", "n the turn ", "n about ", "d brog 3 source ", "d brog 3 a rat source "])
def test_behind_a_name_that_is_a_word_of_a_text_no_value_is_proposed(osr: Given, line: str) -> None:
    osr.when({"type": "osr.damage", "character": "brog", "amount": 4, "source": "rats"}).then_some()
    assert ways(osr, line) == []


@pytest.mark.parametrize("line", ["n --turn ", 'n "dark" turn '])
def test_behind_a_name_that_leads_to_its_value_the_values_are_proposed(osr: Given, line: str) -> None:
    assert ways(osr, line)[:2] == ["T7", "T6"]


def test_a_group_is_dimmed_where_one_of_them_cannot_be_meant(osr: Given) -> None:
    osr.when({"type": "ruling", "rule": "6.4", "text": "keep it", "set": {"keep_higher": True}}).then_some()
    found = {way.text: way.reason for way in guide("rest brog 34 keep ", 18, context(osr)).candidates}
    assert not found["brog"] and found["Wen"] and found["all"]


def test_why_has_people_and_fields(osr: Given) -> None:
    assert ways(osr, "why b") == ["brog", "Big Bo"]
    assert ways(osr, "why brog fa") == ["fatigue"]


def test_the_cursor_may_stand_inside(osr: Given) -> None:
    found = guide("d b 4 rats", 3, context(osr))
    assert (found.start, found.end) == (2, 3)
    assert [way.text for way in found.candidates] == ["brog", "Big Bo"]


@pytest.mark.parametrize("text", ["xyz ", "d nobody x=", "T99 ", "n x", "d b 4 ", '"'])
def test_where_nothing_is_known_nothing_is_proposed(osr: Given, text: str) -> None:
    assert ways(osr, text) == []


def test_a_word_is_written_as_the_line_takes_it() -> None:
    assert Candidate("Big Bo").as_word == '"Big Bo"'
    assert Candidate("source=a ghoul").as_word == 'source="a ghoul"'
    assert Candidate("source=", continues=True).as_word == "source="
    assert Candidate("brog").as_word == "brog"


def slots(table: Given, text: str) -> list[tuple[str, str]]:
    """The slots of a line, what fills each, with a mark at the open one."""
    guidance = guide(text, len(text), context(table), QUESTIONS)
    return [(slot.label, "?" if at == guidance.open else slot.text) for at, slot in enumerate(guidance.slots)]


def test_the_slots_of_a_verb_are_filled_in_order(osr: Given) -> None:
    assert slots(osr, "d ") == [("who", "?"), ("amount", ""), ("source", "")]
    assert slots(osr, "d brog ") == [("who", "brog"), ("amount", "?"), ("source", "")]
    assert slots(osr, "d brog 4 dc=30 ") == [("who", "brog"), ("amount", "4"), ("dc", "30"), ("source", "?")]
    assert slots(osr, "rest brog 34 seg 61 ") == [("who", "brog, Ségolène"), ("rolled", "34 61")]


def test_the_slots_show_what_a_line_says_and_how(osr: Given) -> None:
    assert slots(osr, "d brog 4 and wen 3 a rat")[:2] == [("who", "brog, Wen"), ("amount", "4, 3")]
    assert slots(osr, "brog -2 a trap")[:2] == [("who", "brog"), ("amount", "2")]
    assert ("rolled", "56") in slots(osr, "enrol Bob level 2 5, 6"), "as for a rest"
    assert ("source", "nettles") in slots(osr, "d wen 1 nettles after T3"), "the place is none of its words"


def test_behind_the_name_of_a_field_stands_what_it_takes_by_that_name(osr: Given) -> None:
    osr.when({"type": "osr.damage", "character": "Wen", "amount": 1}).then_some()
    for name in ("character=", "who="):
        assert ways(osr, f"T8 {name}") == [f"{name}{whom}" for whom in EVERYBODY], "one turn is about one person"
    labels = [way.label for way in guide("T8 ", 3, context(osr), QUESTIONS).candidates]
    assert labels[0] == "character=", "as the refusals call it"


def test_what_cannot_be_done_now_comes_last_with_the_reason(osr: Given) -> None:
    verbs = guide("", 0, context(osr), QUESTIONS).candidates
    treat = next(way for way in verbs if way.text == "treat")
    assert treat.reason == "Brog has no wound" and verbs.index(treat) > [way.text for way in verbs].index("damage")
    assert next(way for way in verbs if way.text == "damage").short == "d"
    osr.when({"type": "osr.damage", "character": "Wen", "amount": 30}).then_some()
    osr.when({"type": "osr.injury_saves", "character": "Wen", "strength": 30, "will": 30}).then_some()


def test_nothing_is_proposed_that_what_is_said_rules_out(osr: Given) -> None:
    osr.when({"type": "osr.damage", "character": "Wen", "amount": 30}).then_some()
    osr.when({"type": "osr.injury_saves", "character": "Wen", "strength": 1, "will": 30}).then_some()
    assert {"wound=", "effect=", "ability_loss="} <= set(ways(osr, "fate wen major "))
    assert not {"wound=", "effect=", "ability_loss="} & set(ways(osr, "fate wen death "))
    osr.when({"type": "osr.choose_fate", "character": "Wen", "fate": "major_wound"}).then_some()
    misread(osr, "treat", "treat needs character: Wen. Like: treat Wen.")  # as nobody else is wounded


def test_letters_in_order_are_enough_and_a_beginning_comes_first(osr: Given) -> None:
    assert ways(osr, "dmg") == ["damage"]
    assert ways(osr, "re")[0].startswith("re")


def test_a_rule_is_found_by_a_word_of_its_title(osr: Given) -> None:
    assert ways(osr, "ruling fatig") == ["6.5"]
    assert ways(osr, "ruling 6.4")[0] == "6.4"


def test_whom_an_attack_is_on_is_proposed_once() -> None:
    fight = table_of("deckahedron fight")
    assert {"Pim", "Reed lurker"} <= {*ways(fight, "at ash ")}
    assert not {"Ash", "Pim", "Second lurker"} & {*ways(fight, "at ash reed "), *ways(fight, "at ash pim ")}
