"""Slots asked one after another, as a newcomer or a foe needs them: each answer is checked at its own slot."""

from pathlib import Path

from pytest import MonkeyPatch

from cli.table.table import OpenTable
from domain.deckahedron.deck import Enrol
from tests.kit.shell import Shell, shell_after
from tests.kit.typed import Typed, sitting

shell = shell_after("new Reef --rules deckahedron")


def test_a_rank_that_does_not_exist_is_refused_at_its_slot_and_replaced(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("enrol Mako⏎5⏎")
        assert typed.asked is not None and typed.asked.slot.key == "strength"
        assert typed.said == ("strength must be a whole number from 1 to 4, not 5.", "failed")
        typed.keys("2⏎")
        assert typed.asked is not None and typed.asked.slot.key == "dexterity"
        assert typed.text.split() == ["enrol", "Mako", "2"]


def test_where_no_foe_is_at_the_table_the_question_says_how_one_comes(shell: Shell) -> None:
    shell.do("enrol Mako 2 2 2")
    with sitting(shell) as table:
        typed = Typed(table).keys("foe-attack mako⏎")
        assert typed.preview.text == "foe: the foe who attacks; for a new one type new NAME"
        typed.keys("new goblin⏎")
        assert typed.asked is not None and typed.asked.slot.key == "foe_result", typed.said
    with sitting(shell) as table:
        typed = Typed(table).keys("fa⏎new goblin⏎")  # and so where nobody is named yet
        assert typed.asked is not None and typed.asked.slot.key == "foe_result", typed.said


def test_a_ruling_says_before_it_is_recorded_what_it_is_about_and_that_words_set_nothing(shell: Shell) -> None:
    with sitting(shell) as table:
        preview = Typed(table).keys("ruling 18 Several hours are three").preview.text
        assert "About DH 18 (Resting: when)." in preview and "It sets nothing" in preview and "rest_hours=…" in preview
        preview = Typed(table).keys("ruling 18 rest_hours=3 Several hours are three").preview.text
        assert "About DH 18 (Resting: when)." in preview and "sets nothing" not in preview


def test_what_is_spelt_for_programs_is_read_as_words_in_the_list_and_the_slots(shell: Shell) -> None:
    shell.do("enrol Mako 2 2 2", "scene combat", "foe goblin 3")
    with sitting(shell) as table:
        for line in ("why mako.", "override mako ", "fa goblin v mako ", "T2 ", "ruling 18 "):
            typed = Typed(table).keys(line)
            names = [item.label or item.text for item in typed.items]
            names += [slot.label for slot in typed.guidance.slots]
            assert names and not [name for name in names if "_" in name], line
        results = {item.text: item.help for item in Typed(table).keys("fa goblin ").items}
        assert results["vv"].endswith("two checks") and results["x"] != results["xx"]


def test_whoever_is_led_to_a_newcomer_is_asked_for_the_player_who_may_be_left_out(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("⏎enr⏎Mako⏎2⏎2⏎2⏎")
        assert typed.asked is not None and typed.asked.slot.key == "player"
        assert "optional: Enter leaves it out" in typed.preview.text and "Mako joins" in typed.preview.text
        last = table.log.last()
        typed.keys("Ada Lovelace⏎")
        assert table.log.last() == last + 1 and player(table) == "Ada Lovelace"
        typed.keys("enrol⏎Ash⏎2⏎2⏎2⏎⏎")
        assert table.log.last() == last + 2 and player(table) is None
        typed.keys("enrol Reed 2 2 2⏎")
        assert table.log.last() == last + 3, "a line that was typed whole is done"
        assert [slot.label for slot in typed.keys("enrol Sly ").guidance.slots][:2] == ["who", "player"]
        typed.keys("⎋enrol⏎Zed⏎2⏎2⏎2⏎cards=table⏎")
        assert typed.asked is not None and typed.asked.slot.key == "player", "another field may be said first"
        typed.keys("table⏎")
        assert player(table) == "table", "what could be a value of another field is the name here"


def player(table: OpenTable) -> str | None:
    (turn,) = table.log.read(after=table.log.last() - 1)
    assert isinstance(turn.action, Enrol)
    return turn.action.player


def test_what_may_be_said_instead_is_named_and_taken(tmp_path: Path, monkeypatch: MonkeyPatch) -> None:
    stairs = Shell(tmp_path, monkeypatch)
    stairs.do("new Stairs --rules gloomhaven", "enrol Brann brute", "begin-scenario 1", "begin-round")
    stairs.do("select brann trample leaping", "reveal")
    with sitting(stairs) as table:
        typed = Typed(table).keys("loot⏎")
        assert typed.preview.text.endswith("; or treasures=… or item=…")
        last = table.log.last()
        assert typed.keys("treasures=7⏎").text == "" and table.log.last() == last + 1, typed.said


def test_the_rulings_that_stand_are_listed_where_one_is_asked_for(shell: Shell) -> None:
    shell.do("ruling 18 rest_hours=3 'Three hours are several'", "ruling 7 'We ask first'", "ruling end R2 why=tiring")
    with sitting(shell) as table:
        typed = Typed(table).keys("ruling end⏎")
        assert [(item.text, item.help) for item in typed.items] == [("R1", "DH 18")]
