"""An evening as a page: what is on it, that none of it can be anything but text, and that it keeps secrets."""

import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec.structs import replace

from cli.pages import blocks
from cli.pages.escaping import escape
from cli.pages.html_page import escape_html
from cli.pages.markdown import to_html
from cli.pages.recap import blocks_of, markdown_of
from cli.pages.recap import page as html_page
from cli.pages.text_plot import text_plot
from cli.shell.examples import examples
from cli.terminal.screen import Page, Screen, width
from domain.common.notes import Note
from domain.common.presence import Absence, Retire
from domain.common.revisions import Amend, Redo, Undo
from domain.common.rulings import Ruling
from domain.common.sessions import SessionClose, SessionOpen
from domain.common.sheets import Override, SheetCheck
from domain.common.tracking import Track
from domain.gloomhaven.damage import Damage
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.rounds import BeginRound, CleanUp, EndTurn, Reveal, Select
from domain.gloomhaven.scenarios import BeginScenario
from domain.log.effective_history import effective_turns
from domain.log.points import sessions_of
from domain.osr import Osr
from domain.osr.hit_points import Enrol
from domain.osr.injuries import ChooseFate, InjurySaves
from domain.osr.injuries import Damage as Hit
from domain.osr.rests import NightRest, ShortRest
from domain.turn import Action
from projections.recap import recap_of
from projections.recap_document import Blow, Curve, Recap
from projections.sentences import plain
from tests.commands.test_exchange import tables
from tests.gloomhaven.tables import brog, spell
from tests.kit.beginnings import NASTY, TWO_EVENINGS
from tests.kit.elsewhere import keeps_modes
from tests.kit.given import Given
from tests.kit.shell import Shell, shell_after
from tests.record_examples import replayed

#: Reads everything that the common dialects read: tables, strikethrough, bare HTML.
READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


shell = shell_after(*TWO_EVENINGS)


def section(text: str, title: str) -> list[str]:
    """The lines below one heading."""
    _, _, after = text.partition(f"\n## {title}\n")
    assert after, f"no section {title!r} in {text}"
    return [line for line in after.partition("\n## ")[0].splitlines() if line]


# -- what is on it -----------------------------------------------------------------------------------------


def test_the_page_tells_the_evening(shell: Shell) -> None:
    text = shell.run("recap", "S1").ok().out
    start = "# Crypt, session 1: The crypt\n\n*2026-01-09 · osr · T2 to T14*\n\nThere: Mia with Brog; Jon with Ada.\n"
    assert text.startswith(start)
    joined, _, hit, *_ = section(text, "What happened")
    assert joined.startswith("Brog joins; so does Ada. (T3 and T4) Brog loses 9 hit points to a ghoul. (T5)")
    assert "collapses" in hit
    assert section(text, "Rulings and decisions")[0] == (
        "- R1 on OSR 6.4 “Short rest”: Keep the higher. Why: It hurts too much. (a player may keep the old total "
        "after a re-roll, which still costs fatigue: yes) (T8)"
    )
    assert section(text, "Hit points over the evening")[:4] == [
        "    Brog  11 ██▂▂█▇ 9", "               a  c", "    Ada    6  ▅▅___ 0", "                b",
    ]  # fmt: skip


def test_turning_points_are_of_the_story_and_what_was_set_right_comes_last(shell: Shell) -> None:
    text = shell.run("recap", "S1").ok().out
    story = " ".join(section(text, "What happened"))
    assert "(T6)" not in story and "T12" not in story
    assert section(text, "Turning points") == [
        "- Brog loses 9 hit points at once, the most of the evening: from 11 to 2 (a ghoul). (T5)",
        "- Ada collapses (a trap). (T10)",
    ]
    (line,) = [line for line in section(text, "Corrections") if line.startswith("- ")]
    assert line.startswith("- T6 undone by T12")
    page = shell.run("recap", "S1", "-O", "html").ok().out
    assert page.index("Turning points</h2>") < page.index("Corrections</h2>") < page.index("T6 undone by T12")


def test_all_the_turns_stand_below_where_they_are_asked_for(shell: Shell) -> None:
    assert "The whole chronicle" not in shell.run("recap", "S1").ok().out
    lines = section(shell.run("recap", "S1", "--full").ok().out, "The whole chronicle")
    assert [line for line in lines if line.startswith("- **T6** ~~")]
    page = shell.run("recap", "S1", "-O", "html").ok().out
    named = set(re.findall(r'href="#(T\d+)"', page))
    assert named and named <= set(re.findall(r'id="(T\d+)"', page))


#: How a turn begins that speaks of others.
REVISED = ("Undoes", "Restores", "Amends", "Adopts")


def evening(*actions: Action) -> Given:
    """Brog and Ada, and what they did."""
    brog = Enrol(character="brog", player="Mia", level=2, rolled=(6, 6))
    ada = Enrol(character="ada", player="Jon", rolled=(6,))
    return Given("osr", brog, ada, SessionOpen(), *actions)


def test_dice_that_come_out_lower_are_no_blow() -> None:
    rest = ShortRest(characters=("brog",), rolled={"brog": (1, 1)})
    quiet = evening(rest)
    assert quiet.sheet("brog")["hp"] == 2
    assert recap_of(quiet.system, quiet.log, 1).moments == ()
    struck = evening(rest, Hit(character="ada", amount=3))
    (worst,) = recap_of(struck.system, struck.log, 1).moments
    assert worst.what == "Ada loses 3 hit points at once, the most of the evening: from 6 to 3"


def test_a_figure_that_is_worse_the_higher_it_is_is_told_the_right_way_round() -> None:
    rest = ShortRest(characters=("brog",))
    table = evening(rest, rest, NightRest(characters=("brog",)), rest)

    class Weary(Osr):
        vital = ("fatigue", "fatigue")
        harmful_events = frozenset({"osr.fatigue_gained"})

    recap = recap_of(Weary(), table.log, 1)
    assert [moment.what for moment in recap.moments] == [
        "Brog takes 1 fatigue at once, the most of the evening: from 0 to 1"
    ]
    assert recap.higher_is_worse and not recap_of(table.system, table.log, 1).higher_is_worse


def test_the_page_names_its_curves_below_them_for_a_phone(shell: Shell) -> None:
    page = shell.run("recap", "-O", "html").ok().out
    legend = page.partition('<p class="legend">')[2].partition("</p>")[0]
    assert re.sub(r"<[^>]+>", "", legend).split() == ["Brog", "2"]


def test_a_narrow_plot_shows_the_worst_of_each_column() -> None:
    course = Curve("brog", tuple((turn, 9 if turn == 70 else 1) for turn in range(1, 121)))
    table = evening()
    recap = replace(recap_of(table.system, table.log, 1), curves=(course,), blows=(Blow(70, "brog", 1, 9, "rain"),))
    high, sign, _, meaning = text_plot(replace(recap, higher_is_worse=True))
    low, *_ = text_plot(recap)
    assert ("█" in high, "█" in low) == (True, False)
    assert high.index("█") == sign.index("a")
    assert meaning == "a  T70: Brog takes 8 hit points from rain"


def test_only_who_acted_or_was_acted_on_was_there() -> None:
    table = evening(
        Hit(character="brog", amount=1),
        Note(text="Ada is away.", about="ada"),
        Override(character="ada", set={"fatigue": 1}, why="told by message"),
        SheetCheck(character="ada", expect={"hp": 6}),
    )
    recap = recap_of(table.system, table.log, 1)
    assert (recap.players, recap.others) == ({"Mia": ("brog",)}, ())
    assert [sheet.took_part for sheet in recap.sheets] == [True, False]


def test_who_was_away_was_not_there_and_neither_was_their_player() -> None:
    cara = Enrol(character="cara", player="Kim", rolled=(6,))
    left = (Absence(character="ada"), cara, Absence(character="cara", why="the last train"))
    table = evening(*left, Hit(character="brog", amount=1))
    recap = recap_of(table.system, table.log, 1)
    assert (recap.players, recap.absent) == ({"Mia": ("brog",)}, {"ada": "Jon", "cara": "Kim"})
    assert "There: Mia with Brog. Not there: Ada (Jon) and Cara (Kim)." in markdown_of(recap)
    back = evening(Absence(character="ada"), Absence(character="ada", here=True), Hit(character="ada", amount=1))
    assert recap_of(back.system, back.log, 1).players == {"Jon": ("ada",)}


def test_who_came_back_or_retired_this_evening_was_there() -> None:
    ill = (Absence(character="ada"), Absence(character="ada", here=True))
    recap = recap_of((table := evening(*ill, Hit(character="brog", amount=1))).system, table.log, 1)
    assert (recap.players, recap.absent) == ({"Mia": ("brog",), "Jon": ("ada",)}, {})
    # the end of the session brings nobody back, and who has retired is not missed
    away = evening(Absence(character="ada"), Retire(character="brog"), SessionClose())
    recap = recap_of(away.system, away.log, 1)
    assert (recap.players, recap.absent) == ({}, {"ada": "Jon"})


def test_a_foe_is_no_turning_point_and_has_no_curve() -> None:
    wight = Enrol(character="wight", side="foe", hit_dice=1, rolled=(3,))
    table = evening(wight, Hit(character="ada", amount=1, source="the wight"), Hit(character="wight", amount=9))
    recap = recap_of(table.system, table.log, 1)
    assert recap.moments == ()
    assert [curve.character for curve in recap.curves] == ["ada"]
    assert "Wight" not in markdown_of(recap).partition("## What changed")[2]


def test_who_is_only_touched_by_what_follows_was_not_there() -> None:
    together = Ruling(rule="6.4", text="If one rests, all do.", set={"short_rest_together": True})
    table = evening(together, ShortRest(characters=("brog",)))
    assert table.sheet("ada")["fatigue"] == 1
    recap = recap_of(table.system, table.log, 1)
    assert recap.players == {"Mia": ("brog",)}
    assert [(sheet.character, sheet.took_part) for sheet in recap.sheets] == [("brog", True), ("ada", False)]


def test_sheets_stand_before_and_after(shell: Shell) -> None:
    value = shell.run("recap", "2", "--json").json()
    (brog,) = value["sheets"]
    assert {"name": "hp", "before": "9", "after": "2"} in brog["fields"]
    assert section(shell.run("recap", "2").ok().out, "What changed on the sheets")[-2] == "| hp | 9 | **2** |"
    assert value["open"] is True
    assert value["curves"] == [
        {"character": "brog", "points": [[14, 9], [16, 2]]},
    ]


def test_the_sheet_of_somebody_new_stands_as_they_joined_and_after() -> None:
    table = Given(
        "osr",
        SessionOpen(),
        Enrol(character="new", level=1, rolled=(6,)),
        Track(character="new", name="gold", value=30),
    )
    table.and_given(
        Track(character="new", name="gold", change=45), Hit(character="new", amount=2), Enrol(character="idle", level=1)
    )
    recap = recap_of(table.system, table.log, 1)
    assert recap.fates == ("New and Idle joined.",)
    rows = {row.name: (row.before, row.joined_with, row.after) for row in recap.sheets[0].fields if row.changed}
    assert rows == {"hp": (None, "6", "4"), "tracked": (None, "none", "gold 75")}
    page = markdown_of(recap)
    assert "### New\n\n| | joined with | after |\n|---|---|---|\n| hp | 6 | **4** |" in page
    assert "### Idle" not in page


def test_of_a_hand_only_what_came_and_left_is_written(shell: Shell) -> None:
    shell.do("new Stairs --rules gloomhaven", "enrol Brann brute 1,2,3,4,5,6,7,8,9,10", "session open")
    shell.do("begin-scenario 1", "begin-round", "s brann 1 2", "rev", "t 1", "b 2", "e", "session close")
    out = shell.run("recap").ok().out
    rows = section(out, "What changed on the sheets")
    (hand,) = [row for row in rows if row.startswith("| hand ")]
    assert hand == "| hand | 10 | **8, no longer has Trample and Eye for an Eye** |"
    (sheet,) = shell.run("recap", "--json").json()["sheets"]
    (hand,) = [row for row in sheet["fields"] if row["name"] == "hand"]
    assert len(hand["before"].split(", ")) == 10 and len(hand["after"].split(", ")) == 8, "whole for programs"


@pytest.mark.parametrize(
    "typed", ["an archer", "by an archer", "from an archer", "because of an archer", "to an archer"]
)
def test_a_cause_is_named_without_the_preposition_it_was_typed_with(typed: str) -> None:
    hit, trap = (Hit(character=name, amount=3, source=typed) for name in ("brog", "ada"))
    table = evening(hit, trap)
    recap = recap_of(table.system, table.log, 1)
    assert plain(recap.story[0].lines[0].parts) == "Brog loses 3 hit points, Ada 3 to an archer."
    assert recap.blows[0].by == "an archer"
    shot = Damage(character="brog", amount=1, attack=False, source=typed)
    table = scenario().and_given(shot)
    story = recap_of(table.system, table.log, 1).story
    assert "Brog loses 1 hit point to an archer." in [plain(line.parts) for part in story for line in part.lines]


def test_what_is_tracked_is_told_with_what_was_said_about_it() -> None:
    def tracked(character: str | None, name: str, source: str | None = None, **how: int) -> Track:
        return Track(character=character, name=name, source=source, **how)  # type: ignore[arg-type]

    table = evening(tracked(None, "torches", value=6), tracked("brog", "gold", value=30))
    table.and_given(tracked("brog", "gold", "from the chest", change=40), tracked("ada", "gold", "a loan", change=5))
    table.and_given(tracked("brog", "gold", "a bribe", change=-10), tracked(None, "torches", "at the gate", change=-1))
    recap = recap_of(table.system, table.log, 1)
    assert [plain(line.parts) for line in recap.story[0].lines] == [
        "Brog gains 40 gold (from the chest), Ada 5 (a loan).",
        "Brog loses 10 gold (a bribe).",
        "Torches stand at 5 now (at the gate).",
    ]
    assert "### The table\n\n| | before | after |\n|---|---|---|\n| torches | – | **5** |" in markdown_of(recap)


def test_what_the_referee_sets_is_part_of_the_story() -> None:
    table = evening(Hit(character="brog", amount=5), Override(character="brog", set={"hp": 9}, why="healed."))
    lines = [plain(line.parts) for line in recap_of(table.system, table.log, 1).story[0].lines]
    assert lines == ["Brog loses 5 hit points.", "The referee sets Brog's hp to 9 (healed)."]


def test_undos_of_several_turns_name_who_undid_which() -> None:
    hits = [Hit(character="brog", amount=1, source=source) for source in ("a rat", "a bat", "a cat")]
    table = evening(*hits, Undo(turns=(7,)), Undo(turns=(5,)))
    (corrected,) = recap_of(table.system, table.log, 1).corrections
    assert corrected.what == "T5 undone by T9 and T7 by T8"


def test_a_note_that_was_undone_and_written_again_is_one_mistake_however_late() -> None:
    note = Note(text="old tom sings")
    table = evening(note, Undo(), Hit(character="brog", amount=1), note)
    recap = recap_of(table.system, table.log, 1)
    assert [correction.line for correction in recap.corrections] == [
        "T5 undone by T6 and logged again as T8, in the same words: Note: old tom sings."
    ]
    assert "Old tom sings. (T8)" in markdown_of(recap)  # with a capital and a full stop, as it is read


def test_a_long_evening_is_told_in_paragraphs() -> None:
    table = evening(*(Track(name=f"thing {number}", value="new") for number in range(20)))
    table.and_given(*(Track(name=f"thing {number}", value="old") for number in range(20)))
    lines = [line for line in section(markdown_of(recap_of(table.system, table.log, 1)), "What happened") if line]
    assert [line.count("now.") for line in lines] == [6, 6, 6, 2]


def test_the_last_session_is_told_unless_another_is_named(shell: Shell) -> None:
    assert shell.run("recap").ok().out == shell.run("recap", "S2").ok().out


def test_the_past_knows_nothing_of_what_came_later(shell: Shell) -> None:
    then = shell.run("recap", "--at", "T7").ok().out
    assert "still open" in then
    assert "T6)" in "".join(section(then, "What happened"))


def test_a_session_that_is_not_there_is_said_in_one_sentence(shell: Shell) -> None:
    shell.run("recap", "S7").is_(1, "There is no session S7; known: S1 and S2.")
    shell.run("recap", "--at", "T1").is_(1, "No session has been held yet.")
    shell.run("recap", "crypt").is_(2, "'crypt' is not a session; write it like S3 or 3.")


def test_a_correction_of_a_later_evening_is_told() -> None:
    hit = Hit(character="brog", amount=2)
    table = Given("osr", SessionOpen(), Enrol(character="brog", rolled=(6,)), hit, SessionClose())
    table.when(Amend(turn=4, action={"type": "osr.damage", "character": "brog", "amount": 3}))
    recap = recap_of(table.system, table.log, 1)
    (corrected,) = recap.corrections
    assert (corrected.turn, corrected.by) == (4, 6)
    assert corrected.what == "T4 amended by T6 (amount 2 → 3)"
    assert "hit for 3" in corrected.sentence
    assert recap.curves[0].points == ((3, 6), (4, 3))


def test_an_amendment_keeps_its_turn_when_another_decides_the_amended_turn_again() -> None:
    """T5 is amended by T6, and decided again by T7, a forgotten hit before it."""
    amend = Amend(turn=5, action={"type": "osr.damage", "character": "brog", "amount": 2})
    table = evening(Hit(character="brog", amount=4), amend)
    table.when({"type": "osr.damage", "character": "brog", "amount": 1, "after": "T4"})
    recap = recap_of(table.system, table.log, 1)
    amended, added = recap.corrections
    assert (amended.turns, amended.by, amended.what) == ((5,), 6, "T5 amended by T6 (amount 4 → 2)")
    assert (added.turns, added.by, added.what) == ((7,), 7, "T7 entered late, as it happened after T4")
    late = "T7 entered late, as it happened after T4: Brog is hit for 1 and has 11 hit points left."
    assert added.line == f"{late} T5 comes out differently."
    assert section(markdown_of(recap), "What happened") == ["Brog loses 3 hit points. (T5 and T7)"]


def test_a_note_added_late_sets_nothing_right() -> None:
    table = evening(Hit(character="brog", amount=4)).when({"type": "note", "text": "It rains.", "after": "T4"})
    assert table.events and recap_of(table.system, table.log, 1).corrections == ()


def test_a_mistake_is_one_line_however_many_turns_it_took() -> None:
    fireball = [Hit(character=name, amount=4, source="a fireball") for name in ("brog", "ada")]
    again = [Hit(character=name, amount=2, source="a fireball") for name in ("brog", "ada")]
    for undos in ([Undo(last=2)], [Undo(), Undo()]):
        table = evening(*fireball, *undos, *again)
        recap = recap_of(table.system, table.log, 1)
        (corrected,) = recap.corrections
        assert corrected.turns == (5, 6)
        assert "logged again as" in corrected.what
        story = plain([part for passage in recap.story for line in passage.lines for part in line.parts])
        assert story == "Brog loses 2 hit points, Ada 2 to a fireball."


def test_what_was_undone_and_redone_is_no_mistake() -> None:
    table = evening(Hit(character="brog", amount=2), Undo(), Redo())
    assert recap_of(table.system, table.log, 1).corrections == ()


def test_notes_are_told_in_full_where_they_were_written() -> None:
    text = "The mill groans.\nNobody sleeps.\n\nIn the morning the wheel is gone."
    table = evening(Hit(character="brog", amount=1), Note(text=text), Hit(character="ada", amount=1))
    recap = recap_of(table.system, table.log, 1)
    assert [[line.kind for line in passage.lines] for passage in recap.story] == [["sum"], ["note"], ["sum"]]
    happened = section(markdown_of(recap), "What happened")
    assert happened[1:4] == [
        "The mill groans.\\", "Nobody sleeps.", "In the morning the wheel is gone. (T6)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "hits, story",
    [
        (
            (("brog", 7, "by the saint"), ("ada", 2, "a rat")),
            "Brog loses 7 hit points to the saint; Ada 2 to a rat.",
        ),
        (
            (("brog", 4, "the saint"), ("brog", 1, "a rat"), ("ada", 2, "a rat")),
            "Brog loses 5 hit points, most of it to the saint; Ada 2 to a rat.",
        ),
        (
            (("brog", 4, "a rat"), ("ada", 2, "a bell"), ("wen", 1, "a rat")),
            "Brog loses 4 hit points, Wen 1 to a rat; Ada 2 to a bell.",
        ),
        (
            (("brog", 4, "a rat"), ("brog", 1, None), ("ada", 2, "a rat"), ("ada", 1, None)),
            "Brog loses 5 hit points, most of it to a rat; Ada 3, most of it to a rat.",
        ),
    ],
)
def test_harm_is_put_down_to_what_did_it_for_each_person(
    hits: tuple[tuple[str, int, str | None], ...], story: str
) -> None:
    wen = Enrol(character="wen", player="Ann", level=6, rolled=(6, 6, 6, 6, 6, 6))
    table = evening(wen, *(Hit(character=name, amount=amount, source=source) for name, amount, source in hits))
    recap = recap_of(table.system, table.log, 1)
    assert plain(recap.story[-1].lines[-1].parts) == story


@pytest.mark.parametrize(
    "hits, story",
    [
        ((("brog", 2, None), ("brog", 2, "a trap")), "Brog loses 4 hit points, 2 of them to a trap."),
        ((("brog", 1, None), ("brog", 3, "a trap")), "Brog loses 4 hit points, most of it to a trap."),
        (
            (("brog", 3, None), ("brog", 2, "a trap"), ("brog", 1, "a rat")),
            "Brog loses 6 hit points, 2 of them to a trap and 1 to a rat.",
        ),
        (
            (("brog", 3, None), ("ada", 2, "a trap")),
            "Brog loses 3 hit points; Ada 2 to a trap.",
        ),
        ((("brog", 2, "a rat"), ("brog", 2, "a trap")), "Brog loses 4 hit points to a rat and a trap."),
        ((("brog", 2, None),), "Brog loses 2 hit points."),
    ],
)
def test_harm_of_which_nobody_said_what_did_it_is_put_down_to_nothing(
    hits: tuple[tuple[str, int, str | None], ...], story: str
) -> None:
    table = evening(*(Hit(character=name, amount=amount, source=source) for name, amount, source in hits))
    recap = recap_of(table.system, table.log, 1)
    assert plain(recap.story[0].lines[0].parts) == story


def test_damage_of_gloomhaven_without_a_source_is_put_down_to_nothing() -> None:
    trap = Damage(character="brog", amount=1, attack=False, source="a trap")
    table = scenario().and_given(replace(trap, source=None), trap)
    recap = recap_of(table.system, table.log, 1)
    lines = [plain(line.parts) for passage in recap.story for line in passage.lines]
    assert "Brog loses 2 hit points, 1 of them to a trap." in lines


def test_a_blow_of_which_nobody_said_what_it_was_is_not_put_down_to_the_one_before() -> None:
    saves = InjurySaves(character="brog", strength=60, will=60)
    trap = Hit(character="brog", amount=2, source="a trap")

    def cause_of_the_wound(*hits: Hit) -> str | None:
        table = evening(*hits, saves)
        (point,) = [point for point in recap_of(table.system, table.log, 1).turning_points if "wound" in point.what]
        return point.cause

    assert cause_of_the_wound(trap, Hit(character="brog", amount=20)) is None
    assert cause_of_the_wound(Hit(character="brog", amount=2), replace(trap, amount=20)) == "a trap"


def test_at_most_seven_moments_the_gravest_of_them() -> None:
    wounds: list[Action] = []
    for number in range(9):
        wounds += [Hit(character="brog", amount=20), InjurySaves(character="brog", strength=60, will=60)]
        wounds += [NightRest(characters=("brog",), rolled={"brog": (6, 6)})] if number < 8 else []
    dies = (Hit(character="ada", amount=20), InjurySaves(character="ada", strength=1, will=60))
    table = evening(*wounds, *dies, ChooseFate(character="ada", fate="death"))
    recap = recap_of(table.system, table.log, 1)
    assert len(recap.moments) == 7
    assert recap.moments[-1].what == "Ada dies of the injury"
    assert recap.fates == ("Ada is dead.",)


@pytest.mark.parametrize("name", sorted(examples()))
def test_every_evening_of_the_examples_can_be_told(name: str) -> None:
    log = replayed(name)
    table = Given(log.rules)
    for session, (first, last) in sessions_of(log).items():
        recap = recap_of(table.system, log, session)
        assert (recap.first, recap.last) == (first, last)
        # an evening may mend the past and rule, and play nothing
        assert recap.story
        assert bool(recap.players) == bool(recap.lines)
        corrected = {turn for correction in recap.corrections for turn in correction.turns}
        undone = {line.turn for line in recap.chronicle if line.undone_by is not None}
        of_the_story = {turn for passage in recap.story for line in passage.lines for turn in line.turns}
        assert not of_the_story & undone
        assert undone - corrected <= {line.turn for line in recap.chronicle if line.parts[0].startswith(REVISED)}
        assert all(first <= line.turn <= last for line in recap.lines)
        assert well_formed(html_page(recap)) == set()
        json.dumps(recap.as_json(), default=str)


@given(table=tables())
def test_the_sessions_are_those_that_the_chronicle_tells(table: Given) -> None:
    found: dict[int, tuple[int, int]] = {}
    for effective_turn in effective_turns(table.log):
        if effective_turn.session and (effective_turn.session in found or effective_turn.standing):
            found[effective_turn.session] = (
                found.get(effective_turn.session, (effective_turn.number, 0))[0],
                effective_turn.number,
            )
    assert sessions_of(table.log) == found


def test_a_note_amended_into_an_opening_opens_a_session() -> None:
    table = Given("osr", Note(text="?"), Note(text="!")).when(Amend(turn=2, action={"type": "session.open"}))
    assert sessions_of(table.log) == {1: (2, 4)}


# -- nothing but text --------------------------------------------------------------------------------------

#: What the page itself is made of.
TAGS = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "ul", "li", "strong", "em", "b", "s", "a",
    "span", "div", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "br", "svg", "g", "line", "polyline",
    "circle", "text", "details", "summary",
}  # fmt: skip
#: Attributes that could load or run something.
DANGEROUS = re.compile(r"on.*|src|xlink:href|action|formaction|srcset|data|background|poster")
VOID = {"meta", "br", "line", "circle"}


class Strict(HTMLParser):
    """Notes what a page holds that a recap does not need, and tags that do not close."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: set[str] = set()
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.wrong.add(tag)
        self.wrong |= {name for name, _ in attrs if DANGEROUS.fullmatch(name)}
        # the only links lead to turns of the same page
        self.wrong |= {
            str(value) for name, value in attrs if name == "href" and not re.fullmatch(r"#T\d+", value or "")
        }
        self.wrong |= {
            f"style={value}" for name, value in attrs if name == "style" and not STYLE.fullmatch(value or "")
        }
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.add(f"/{tag}")

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "title"):
            self.text.append(data)

    def handle_comment(self, data: str) -> None:
        self.wrong.add(f"<!--{data}")


STYLE = re.compile(r"(stroke|fill):var\(--c\d\)")


def well_formed(page: str) -> set[str]:
    """What is wrong with a page; nothing, for a good one."""
    strict = Strict()
    strict.feed(page)
    strict.close()
    return strict.wrong | set(strict.open)


def plain_text(page: str) -> str:
    strict = Strict()
    strict.feed(page)
    strict.close()
    return "".join(strict.text)


def test_a_note_stays_text_on_the_html_page(shell: Shell) -> None:
    page = shell.run("recap", "S1", "-O", "html").ok().out
    assert well_formed(page) == set()
    assert NASTY in plain_text(page)
    assert "default-src 'none'" in page
    assert "http" not in page.replace("http-equiv", "").replace("https://e.org", "").replace("http://e.org", "")


def test_a_note_stays_text_in_markdown(shell: Shell) -> None:
    (line,) = [line for line in section(shell.run("recap", "S1").ok().out, "What happened") if "T7" in line]
    rendered = READER.render(line)
    assert set(re.findall(r"<(/?\w+)", rendered)) == {"p", "/p"}
    assert NASTY in plain_text(rendered)


words = st.text(
    st.sampled_from("ab \\`*_[]()<>|#~&$!+-=.:;/'\"{}1@\n\t\u202e\x1b\u2028=＝") | st.characters(codec="utf-8"),
    max_size=40,
)


@given(text=words)
def test_no_text_is_marked_up_by_markdown(text: str) -> None:
    for before in ("- ", "", "- **T4** "):
        rendered = READER.render(f"{before}{escape(text)}\n")
        tags = set(re.findall(r"<(\w+)", rendered))
        assert tags <= ({"ul", "li", "strong"} if before else {"p"}), rendered


@given(text=words)
def test_a_table_cell_stays_a_cell(text: str) -> None:
    rendered = READER.render(f"| a | b |\n|---|---|\n| {escape(text)} | end |\n")
    assert set(re.findall(r"<(\w+)", rendered)) == {"table", "thead", "tbody", "tr", "th", "td"}
    assert rendered.count("<td>") == 2
    assert "<td>end</td>" in rendered


@given(text=words)
def test_no_text_is_marked_up_by_html(text: str) -> None:
    page = f"<p>{escape_html(text)}</p>"
    assert well_formed(page) == set()
    assert set(re.findall(r"<(\w+)", page)) <= {"p", "br"}


@given(text=st.text(min_size=1, max_size=30).filter(lambda text: text.strip() != ""))
def test_no_title_place_player_or_summary_breaks_a_page(text: str) -> None:
    enrol = {"type": "osr.enrol", "character": "brog", "player": text, "rolled": [6]}
    table = Given("osr", SessionOpen(title=text, place=text)).when(enrol)
    table.and_given(Note(text=text), SessionClose(summary=text))
    recap = recap_of(table.system, table.log, 1)
    assert well_formed(html_page(recap)) == set()
    rendered = to_html(markdown_of(recap, full=True))
    allowed = {
        "h1",
        "h2",
        "h3",
        "p",
        "ul",
        "li",
        "strong",
        "em",
        "pre",
        "code",
        "blockquote",
        "br",
        "details",
        "summary",
    }
    assert set(re.findall(r"<(\w+)", rendered)) <= allowed | {"div", "table", "thead", "tbody", "tr", "th", "td"}


@given(text=words)
def test_html_in_markdown_is_text_unless_it_is_ours(text: str) -> None:
    for raw in (f"<script>{text}</script>", f"<a href={text}>", f'<a id="T1" onclick="{text}">', f"<!--{text}-->"):
        assert well_formed(f"<div>{to_html(raw)}</div>") <= {"code", "pre"}
    assert to_html('<a id="T1"></a>**T1**') == '<p><a id="T1"></a><strong>T1</strong></p>\n'


# -- on a terminal -----------------------------------------------------------------------------------------


def test_what_a_terminal_shows_is_made_without_reading_markdown(shell: Shell) -> None:
    shown, modules = shell.importing("recap", "S1", "-O", "text")
    assert "What happened" in shown.out
    assert not {"markdown_it", "rich.markdown", "rich.console", "pygments"} & modules


@pytest.mark.parametrize("name", examples())
def test_a_terminal_shows_every_word_of_the_page_in_its_order(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "WIDEST", 10_000)  # the cells of a table are told row by row, if they are broken
    log = replayed(name)
    for session in sessions_of(log):
        recap = recap_of(Given(log.rules).system, log, session)
        page = to_html(markdown_of(recap, full=True))
        shown = "\n".join(row.lstrip(" •▌") for row in on_a_terminal(recap, 10_000))
        assert "".join(shown.split()) == "".join(plain_text(page).split()), session


def test_a_terminal_is_never_written_beyond_its_last_column() -> None:
    note = "Where do they  go?\n\nTo the well.\nOr\tto \x1b[31mred\x1b[0m " + "deep" * 30 + " 水" * 40
    table = evening(Note(text=note), SessionClose(summary=note))
    recap = recap_of(table.system, table.log, 1)
    for columns in (20, 33, 60):
        rows = on_a_terminal(recap, columns)
        assert max(map(width, rows)) <= columns
        assert "\x1b" not in "".join(rows) and any("␛[31mred" in row for row in rows)


def test_what_was_written_in_paragraphs_stands_in_paragraphs() -> None:
    table = evening(Note(text="Who?\n\n\nNobody.\nNothing."), SessionClose(summary="Late.\n\nHome."))
    recap = recap_of(table.system, table.log, 1)
    rows = on_a_terminal(recap, 60)
    at = rows.index("Who?")
    assert rows[at : at + 4] == ["Who?", "", "Nobody.", "Nothing. (T5)"]
    at = rows.index("▌ Late.")
    assert [row.rstrip() for row in rows[at : at + 3]] == ["▌ Late.", "▌", "▌ Home."]


def on_a_terminal(recap: Recap, columns: int) -> list[str]:
    """The rows that a terminal of this width shows, without their colours."""
    screen = Screen("always", Page(columns))
    blocks.print_blocks(screen, blocks_of(recap, full=True))
    return [re.sub(r"\x1b\[[\d;]*m", "", row) for row in screen.drain()]


# -- into a file -------------------------------------------------------------------------------------------


def test_a_page_goes_into_a_file_whole(shell: Shell) -> None:
    result = shell.run("recap", "S1", "-O", "html", "-o", "s1.html").ok()
    assert result.out == "The recap of session 1 is in s1.html.\n"
    assert shell.bytes_of("s1.html").decode() == shell.run("recap", "S1", "-O", "html").ok().out
    (shell.folder / "s1.html").chmod(0o640)
    shell.run("recap", "S2", "-O", "html", "-o", "s1.html").ok()
    assert shell.bytes_of("s1.html").decode() == shell.run("recap", "S2", "-O", "html").ok().out
    assert not keeps_modes() or (shell.folder / "s1.html").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in shell.folder.iterdir()) == ["crypt.campaign", "s1.html"]


def test_a_campaign_is_never_written_over(shell: Shell) -> None:
    before = shell.bytes_of("crypt.campaign")
    shell.run("recap", "-o", "crypt.campaign").is_(
        2, "crypt.campaign is a campaign or another database and is left alone; choose another name."
    )
    assert shell.bytes_of("crypt.campaign") == before
    shell.run("recap", "-o", "nowhere/x.md").is_(2, "There is no folder nowhere to write x.md in.")
    shell.run("recap", "-o", ".").is_(2, ". is a folder; name a file in it.")


# -- secrets -----------------------------------------------------------------------------------------------


def scenario(*later: Action) -> Given:
    """Brog's cards are selected, taken back, selected anew."""
    table = Given(
        "gloomhaven",
        SessionOpen(title="Black Barrow"),
        *(brog(), spell(), BeginScenario(scenario="1"), BeginRound()),
        Select(character="brog", lead=5, second=6),
        Undo(),
        Select(character="brog", lead=1, second=4),
    )
    return table.and_given(*later)


def everything(recap: Recap) -> str:
    return markdown_of(recap, full=True) + html_page(recap) + json.dumps(recap.as_json(), default=str)


@pytest.mark.parametrize("later", [(), (Damage(character="brog", amount=1),)])
def test_a_recap_keeps_what_was_not_revealed(later: tuple[Action, ...]) -> None:
    table = scenario(*later)
    others = everything(recap_of(table.system, table.log, 1, viewer="ben"))
    for title in ("Trample", "Provoking", "Overwhelming", "Grab and Go"):
        assert title not in others
    own = everything(recap_of(table.system, table.log, 1, viewer="ann"))
    assert "Trample" in own
    assert '"name": "hand", "before": null, "after": "8"' in others


def test_what_was_revealed_is_told_and_what_was_taken_back_is_not() -> None:
    table = scenario(Select(character="spell", lead=61, second=62), Reveal())
    others = everything(recap_of(table.system, table.log, 1, viewer="ben"))
    assert "Trample" in others
    assert "Overwhelming" not in others


def test_a_round_is_set_off_and_what_others_tell_as_well_is_left_out() -> None:
    table = scenario(Select(character="spell", lead=65, second=62), Reveal(), EndTurn(character="spell", tokens=1))
    halves = (
        Perform(character="brog", card=1, half="top"),
        Perform(character="brog", card=4, half="bottom", basic=True),
    )
    table.and_given(*halves, EndTurn(character="brog"), CleanUp(), BeginRound())
    recap = recap_of(table.system, table.log, 1)
    assert [passage.title for passage in recap.story[1:]] == ["Scenario 1 begins for Brog and Spell", "Round 1"]
    assert "### Round 1" in section(markdown_of(recap), "What happened")
    assert not [line for line in recap.lines if "selects" in plain(line.parts)]


def test_the_morning_after_says_who_fought_whom_who_was_away_and_what_is_owed(new_shell: Shell) -> None:
    new_shell.do(
        "new Tower --rules osr", "session open", "enrol Brog player Mia level 2 56", "enrol Fin player Tom level 2 46",
        "enrol Goblin foe hit-dice 1 4", "enrol Ogre foe hit-dice 3 5 5 5", "track brog xp +50", "absent fin",
        "d goblin 3 Brog", "d ogre 9 Brog", "absent fin here=yes", "track brog xp +75", "d fin 30 the ogre",
        "session close",
    )  # fmt: skip
    page = new_shell.run("recap").ok().out
    assert "There: Mia with Brog; Tom with Fin. Away for a while: Fin (T8 to T11)." in page
    story = " ".join(section(page, "What happened"))
    assert "Brog gains 125 xp." in story, "what was counted from nothing too"
    assert "Ogre loses 9 hit points, Goblin 3 to Brog. (T7 to T12)" in story
    assert section(page, "Still open") == ["- Fin is injured: strength and will saves against DC 40 (the ogre)."]


def test_attacks_on_one_foe_are_told_together_with_how_each_went(new_shell: Shell) -> None:
    deck = "0,13,2,3,4,5,6,7,8,9,10,11,12,1,14,15,16,17,18,19"
    new_shell.do("new Marsh --rules deckahedron", "session open", f"enrol Hilda 3 2 2 deck={deck}", "scene combat")
    new_shell.do("foe 'Ghoul 1' 9", "foe 'Ghoul 2' 9")
    new_shell.do("at hilda 'Ghoul 2' x", "at hilda 'Ghoul 2' x rolled=3", "at hilda 'Ghoul 1' v", "session close")
    page = new_shell.run("recap").ok().out
    assert "Hilda attacks Ghoul 2 (✗✗, then ✔ for 3) and Ghoul 1 (✔ for 1)." in page


def test_a_recap_that_is_read_as_it_is_holds_no_html(shell: Shell) -> None:
    shell.do("new Crawl --rules osr", "enrol Brog level 2 56", "session open", "d brog 9", "T4 amount=2")
    plain = shell.run("recap", "--full", "-O", "md").ok().out
    assert "## Corrections" in plain and "<" not in plain
    at_the_table = shell.run("play", stdin="recap\n").ok().out
    assert "Corrections" in at_the_table and "#" not in at_the_table
    assert "<details" in shell.run("recap", "-O", "html").ok().out, "a page folds them"


def test_a_late_entry_is_no_mistake() -> None:
    table = evening(Hit(character="brog", amount=4))
    table.when({"type": "osr.damage", "character": "brog", "amount": 1, "after": "T4"})
    page = markdown_of(recap_of(table.system, table.log, 1), fenced=True)
    assert "## Corrections and late entries" in page and "One late entry" in page and "mistake" not in page


def test_a_late_entry_is_of_the_evening_at_its_place_alone() -> None:
    """T9 is a hit of the first evening, entered in the second."""
    hit = Hit(character="brog", amount=1)
    table = evening(hit, SessionClose(), SessionOpen(), hit)
    table.when({"type": "osr.damage", "character": "brog", "amount": 2, "after": "T5"})
    first, second = (markdown_of(recap_of(table.system, table.log, session)) for session in (1, 2))
    assert section(first, "What happened") == ["Brog loses 3 hit points. (T5 and T9)"]
    assert section(second, "What happened") == ["Brog loses 1 hit point. (T8)"]
    assert "late entr" not in second


@pytest.mark.parametrize("place", [{"after": "T4"}, {}])
def test_an_evening_may_be_opened_and_closed_late(place: dict[str, str]) -> None:
    """T7 opens it after T3, behind the hit T6 and before the hit T4; T8 closes it after T4, or at the end."""
    hit, rain = Hit(character="brog", amount=1), Note(text="Rain.")
    table = Given("osr", Enrol(character="brog", level=2, rolled=(6, 6)), rain, hit, rain)
    table.when({"type": "osr.damage", "character": "brog", "amount": 2, "after": "T3"})
    table.when({"type": "session.open", "title": "Wet feet", "after": "T3"})
    table.when({"type": "session.close", **place})
    recap = recap_of(table.system, table.log, 1)
    assert (recap.title, recap.open) == ("Wet feet", False)
    (brog,) = recap.sheets
    assert [(row.before, row.after) for row in brog.fields if row.name == "hp"] == [("10", "9")]
    assert "Brog loses 1 hit point. (T4)" in section(markdown_of(recap), "What happened")
