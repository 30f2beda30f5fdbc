"""The story of an evening: in the order in which it happened, and in sentences."""

import re

import pytest

from cli.shell.examples import examples
from domain.log.points import sessions_of
from domain.naming import as_noun, genitive, possessive, within
from domain.registry import system_of
from projections.recap import recap_of
from projections.recap_document import Recap
from tests.kit.shell import Shell
from tests.record_examples import replayed


def told(shell: Shell) -> str:
    """What happened, as the recap of the last session tells it, in one line."""
    page = shell.run("recap", "-O", "md").ok().out
    return " ".join(page.partition("## What happened\n")[2].partition("\n## ")[0].split())


def marsh(shell: Shell, *lines: str) -> None:
    """Two heroes of deckahedron who flip real cards, and what they did."""
    shell.do(
        "new Marsh --rules deckahedron", "session open",
        "enrol Wren player Ada strength 2 dexterity 3 intelligence 3 cards=table",
        "enrol Maren player Cleo strength 3 dexterity 2 intelligence 1 cards=table", *lines,
    )  # fmt: skip


def barrow(shell: Shell, *lines: str) -> None:
    """The first round of two heroes of gloomhaven, and what they did in it."""
    shell.do(
        "new Barrow --rules gloomhaven", "session open", "enrol Brann brute player Ines",
        "enrol Ysa spellweaver player Marek", "begin-scenario 'The gate'", "begin-round", *lines,
    )  # fmt: skip


# -- the order ---------------------------------------------------------------------------------------------


def test_harm_after_a_ruling_is_not_told_before_it(new_shell: Shell) -> None:
    new_shell.do(
        "new Mill --rules osr", "session open", "enrol Brog player Mia level 2 66", "enrol Wen player Ida 5",
        "d brog 3 'a ghoul'", "ruling 6.6 'Shields splinter.'", "d wen 2 'a ghoul'",
    )  # fmt: skip
    assert told(new_shell).endswith(
        "Brog loses 3 hit points to a ghoul. (T5) The group rules on OSR 6.6 “Injury” (R1): Shields "
        "splinter. (T6) Wen loses 2 hit points to a ghoul. (T7)"
    )


def in_order(recap: Recap) -> bool:
    """Whether no sentence by itself stands before or after what happened on its other side."""
    order = {line.turn: place for place, line in enumerate(recap.chronicle)}
    lines = [line for passage in recap.story for line in passage.lines]
    places = [[order[turn] for turn in line.turns] for line in lines]
    return all(
        max(place) <= min(places[at]) if before else min(place) >= max(places[at])
        for at, line in enumerate(lines)
        if line.kind in ("event", "note")
        for before, others in ((True, places[:at]), (False, places[at + 1 :]))
        for place in others
    )


@pytest.mark.parametrize("name", sorted(examples()))
def test_every_evening_of_the_examples_is_told_in_its_order(name: str) -> None:
    log = replayed(name)
    system = system_of(log.rules)
    for session in sessions_of(log):
        assert in_order(recap_of(system, log, session)), session


def test_a_late_entry_is_told_where_it_happened_and_cited_apart(new_shell: Shell) -> None:
    marsh(new_shell, "ls wren 1 10", "ls wren 1 11", "ls wren 1 12", "n 'a pause'", "ls wren 1 13 before T6")
    assert "Wren loses 4 Stamina. (T5 to T7 and T9)" in told(new_shell)


def test_sums_of_the_same_stretch_have_one_reference(new_shell: Shell) -> None:
    new_shell.do(
        "new Mill --rules osr", "session open", "enrol Wen player Ida level 2 66", "enrol Ogre foe hit-dice 3 546",
        "d wen 1 'a goblin'", "d ogre 2 Wen", "d wen 2 'a goblin'", "track wen gold +5", "d wen 1 'a goblin'",
    )  # fmt: skip
    assert told(new_shell).endswith(
        "Wen loses 4 hit points to a goblin. Ogre loses 2 hit points to Wen. Wen gains 5 gold. (T5 to T9)"
    )


def test_a_rest_that_made_it_worse_says_what_was_before(new_shell: Shell) -> None:
    new_shell.do(
        "new Mill --rules osr", "session open", "enrol Wen player Ida 5", "enrol Brog player Mia 3", "rest wen 2 brog 5"
    )
    assert "After a short rest Wen has 2 hit points (5 before), Brog 5." in told(new_shell)


# -- sentences ---------------------------------------------------------------------------------------------


def test_each_clause_of_attacks_has_its_verb_and_each_foe_its_article(new_shell: Shell) -> None:
    marsh(
        new_shell, "scene combat", "foe 'grey wolf' 6", "foe 'bell ringer' 3", "at wren x melee 2 grey wolf",
        "at maren x 17 bell ringer rolled=3", "fa grey wolf x maren 4", "fa grey wolf v wren 9 13 14 rolled=2",
        "foe 'grey wolf' gone",
    )  # fmt: skip
    assert told(new_shell).partition("### A fight begins ")[2] == (
        "The grey wolf comes in as a foe; so does the bell ringer. (T6 and T7) Wren attacks the grey wolf (✗); Maren "
        "attacks the bell ringer (✔ for 3). The bell ringer has no Stamina left and is down. (T8 and T9) Maren is "
        "attacked by the grey wolf (✗ and loses 1 itself); Wren is attacked by the grey wolf (✔). Wren loses 2 "
        "Stamina. (T10 and T11) The grey wolf is gone. (T12)"
    )


def test_a_foe_of_osr_is_told_when_it_appears(new_shell: Shell) -> None:
    new_shell.do(
        "new Mill --rules osr", "session open", "enrol Brog player Mia level 2 66", "enrol Ogre foe hit-dice 3 546"
    )
    assert "Ogre appears as a foe. (T4)" in told(new_shell)


def test_a_cause_without_an_article_gets_one_and_a_hero_keeps_the_name(new_shell: Shell) -> None:
    new_shell.do(
        "new Mill --rules osr", "session open", "enrol Wen player Ida 5", "enrol Ogre foe hit-dice 3 546",
        "d wen 1 goblin", "n 'a pause'", "d ogre 2 wen",
    )  # fmt: skip
    story = told(new_shell)
    assert "Wen loses 1 hit point to the goblin." in story and "Ogre loses 2 hit points to Wen." in story
    assert "Wen is hit for 1 (goblin) and has 4 hit points left." in new_shell.run("log").ok().out


def test_a_cause_that_may_be_a_sentence_or_begin_a_name_is_told_as_it_was_typed(new_shell: Shell) -> None:
    new_shell.do(
        "new Mill --rules osr", "session open", "enrol Brannor player Ida level 2 66", "enrol Hag foe hit-dice 3 666",
        "d hag 5 brannor throws the axe", "d bran 4 falls into the pit", "d bran 1 Falls asleep", "n 'a pause'",
        "d hag 2 bran", "n 'another'", "d bran 1 giant rat", "d bran 1 a rat",
    )  # fmt: skip
    story = told(new_shell)
    assert "Hag loses 5 hit points (brannor throws the axe). (T5)" in story
    assert "Brannor loses 5 hit points, most of it (falls into the pit)." in story
    assert "Hag loses 2 hit points to bran." in story and "Brannor loses 2 hit points (giant rat and a rat)." in story
    curves = new_shell.run("recap").ok().out.partition("Hit points over the evening")[2]
    assert "T6: Brannor loses 4 hit points (falls into the pit)" in curves


def test_what_was_fended_off_is_told_as_a_remark_where_it_may_be_a_sentence(new_shell: Shell) -> None:
    barrow(new_shell)
    new_shell.run("gloomhaven", "damage", "brann", "2", "--item-shield", "2", "--source", "throws a stone").ok()
    assert "Brann fends off 2 damage (throws a stone)." in told(new_shell)


def test_a_cure_is_told(new_shell: Shell) -> None:
    barrow(
        new_shell, "condition brann poison", "condition ysa wound", "condition ysa muddle", "n 'a pause'", "h brann 2",
        "d ysa 2", "h ysa 1", "condition ysa muddle gained=no",
    )  # fmt: skip
    assert told(new_shell).partition("### Round 1 ")[2] == (
        "Brann is poisoned; Ysa is wounded and muddled. (T7 to T9) A pause. (T10) Brann is no longer poisoned; Ysa is "
        "no longer muddled. Ysa loses 2 hit points. Ysa regains 1 hit point (no longer wounded). (T11 to T14)"
    )


def test_what_fends_off_a_foe_keeps_its_article_small(new_shell: Shell) -> None:
    barrow(new_shell)
    new_shell.run("gloomhaven", "damage", "brann", "2", "--item-shield", "2", "--source", "The guard").ok()
    assert "Brann fends off the guard." in told(new_shell)


@pytest.mark.parametrize(
    "name, noun",
    [
        ("ogre", "the ogre"), ("The ogre", "the ogre"), ("an ogre", "an ogre"), ("Strahd", "Strahd"),
        ("guard 2", "guard 2"), ("two bolts", "two bolts"), ("falling stones", "falling stones"),
        ("marit's arrow", "marit's arrow"), ("", ""),
    ],
)  # fmt: skip
def test_a_noun_has_one_article(name: str, noun: str) -> None:
    assert as_noun(name) == noun


def test_whose_something_is_is_said_once() -> None:
    assert (possessive("fingers"), possessive("brog"), genitive("the wolves")) == ("Fingers'", "Brog's", "the wolves'")
    assert (possessive("cass"), genitive("the boss")) == ("Cass's", "the boss's")
    assert (within("brog"), within("The guard")) == ("Brog", "the guard")


def test_what_the_referee_sets_says_so(new_shell: Shell) -> None:
    new_shell.do("new Mill --rules osr", "session open", "enrol Wen player Ida 5", "override wen hp=4 'a potion'")
    assert "The referee sets Wen's hp to 4 (a potion)." in told(new_shell)


def test_what_several_did_alike_is_told_once(new_shell: Shell) -> None:
    marsh(new_shell, "scene camp", "rest all 8")
    assert "Wren rests for 8 hours; so does Maren. (T6 and T7)" in told(new_shell)


def test_the_causes_of_turning_points_keep_their_article_small(new_shell: Shell) -> None:
    new_shell.do(
        "new Mill --rules osr", "session open", "enrol Bram player Ida 6", "enrol 'the miller' foe hit-dice 1 4",
        "d bram 5 'the miller'",
    )  # fmt: skip
    page = new_shell.run("recap", "-O", "md").ok().out
    assert "from 6 to 1 (the miller)." in page and "Bram loses 5 hit points to the miller" in page


# -- accounts ----------------------------------------------------------------------------------------------


def test_what_was_taken_back_is_not_told_as_if_it_stood(new_shell: Shell) -> None:
    new_shell.do("new Mill --rules osr", "session open", "enrol Wen player Ida 5", "d wen 1 'a trap'", "undo")
    page = new_shell.run("recap", "-O", "md").ok().out
    assert "T4 undone by T5. It had said: Wen is hit for 1 by a trap and has 4 hit points left." in page


def test_an_amendment_says_who_it_was_instead_of_whom(new_shell: Shell) -> None:
    new_shell.do(
        "new Mill --rules osr", "session open", "enrol Wen player Ida 5", "enrol Brog player Mia 5", "d wen 1 'a trap'",
        "T5 = d brog 1 'a trap'",
    )  # fmt: skip
    assert "Amends T5: Brog instead of Wen." in new_shell.run("log").ok().out


def test_a_late_hit_lies_in_the_curves_where_it_happened(new_shell: Shell) -> None:
    new_shell.do(
        "new Mill --rules osr", "session open", "enrol Wen player Ida level 2 66", "n 'a pause'", "rest wen 66",
        "d wen 2 'a rat'", "d wen 6 'a trap' before T5",
    )  # fmt: skip
    page = new_shell.run("recap", "-O", "md").ok().out
    assert "    Wen  12 █▄█▇ 10\n             a b\n" in page and "a  T7: Wen loses 6 hit points to a trap" in page
    picture = new_shell.run("recap", "-O", "html").ok().out
    (course,) = re.findall(r'<polyline points="([^"]+)"[^>]*><title>Wen', picture)
    across = [float(point.partition(",")[0]) for point in course.split()]
    assert across == sorted(across)


def test_the_smallest_loss_shows_in_the_curves(new_shell: Shell) -> None:
    marsh(new_shell, "ls maren 1 10")
    page = new_shell.run("recap", "-O", "md").ok().out
    assert "    Maren  10  █▇ 9" in page
