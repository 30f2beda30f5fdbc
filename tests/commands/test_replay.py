"""An evening again: each turn as it went, the keys, and a terminal that is left as it was found."""

import re
import signal
from random import Random

import pytest
from hypothesis import given

from cli.commands.replay import Player, keys_in, picture
from cli.shell.examples import examples
from cli.terminal.screen import Screen
from domain.common.sessions import SessionOpen
from domain.gloomhaven.rounds import BeginRound, Select
from domain.gloomhaven.scenarios import BeginScenario
from domain.log.folding import state_at
from domain.log.points import sessions_of
from domain.registry import system_of
from projections.chronicle_range import chronicle
from projections.frames import frames_of
from projections.secrecy import sheet_for
from projections.sheets import status_of
from tests.gloomhaven.tables import brog, spell
from tests.kit.beginnings import TWO_EVENINGS
from tests.kit.elsewhere import needs
from tests.kit.given import Given
from tests.kit.shell import Shell, shell_after
from tests.kit.subjects import Subject
from tests.kit.subjects import pytest_generate_tests as pytest_generate_tests
from tests.kit.tables import MODEST, chances, revised
from tests.record_examples import replayed

shell = shell_after(*TWO_EVENINGS)


# -- the turns ---------------------------------------------------------------------------------------------


def test_off_a_terminal_one_turn_follows_another(shell: Shell) -> None:
    text = shell.run("replay", "S1").ok().out
    blocks = re.split(r"\n(?=T\d+  session)", text)
    assert [block.split()[0] for block in blocks] == [f"T{number}" for number in range(2, 15)]
    assert blocks[4].splitlines()[1:4] == [
        "Brog rolls 3 4 and has 7 hit points. Brog's fatigue is now 1.",
        "Undone later, by T12.",
        "  Brog: hp 2 → 7; fatigue 0 → 1",
    ]
    assert "▸ hit points   ███████░░░░░ 7/12" in blocks[4].splitlines()


def test_what_was_taken_back_happens_first_and_is_then_taken_back(shell: Shell) -> None:
    text = shell.run("replay", "S1").ok().out
    (undo,) = [block for block in re.split(r"\n(?=T\d+  session)", text) if block.startswith("T12 ")]
    assert "  Brog: fatigue 1 → 0" in undo.splitlines()


def test_at_a_point_the_later_turns_are_not_there(shell: Shell) -> None:
    text = shell.run("replay", "--at", "T6").ok().out
    assert "Taken back" not in text
    assert text.count("  session 1, ") == 5


def test_a_session_that_is_not_there_is_said_in_one_sentence(shell: Shell) -> None:
    shell.run("replay", "S7").is_(1, "There is no session S7; known: S1 and S2.")


@pytest.mark.parametrize("name", sorted(examples()))
def test_each_turn_shows_what_the_log_said_then(name: str) -> None:
    log = replayed(name)
    system = system_of(log.rules)
    seen = 0
    for session in sessions_of(log):
        is_late = False
        for frame in frames_of(system, log, session):
            is_late = is_late or bool(frame.mark)
            if is_late:
                continue  # from there on it shows more than the log said then
            seen += 1
            then = status_of(log, system, state_at(system, log, frame.turn), frame.turn)
            before = status_of(log, system, state_at(system, log, frame.turn - 1), frame.turn - 1)
            assert bool(frame.changes) == any(then[part] != before[part] for part in ("characters", "table", "options"))
            assert {sheet.character for sheet in frame.sheets} == set(then["characters"])
    assert seen


def blocks_of(shell: Shell, session: str = "S1") -> dict[str, list[str]]:
    """The blocks of a replay in their order: the number and its mark, and the lines below it."""
    blocks = re.split(r"\n(?=T\d+.*  session)", shell.run("replay", session).ok().out)
    return {block.partition("  session")[0]: block.splitlines()[1:] for block in blocks}


def test_what_was_told_late_is_shown_where_it_folds(shell: Shell) -> None:
    shell.do("osr damage brog 1 --after T4")
    blocks = blocks_of(shell)
    assert list(blocks) == ["T2", "T3", "T4", "T17, late entry", *(f"T{number}" for number in range(5, 15))]
    assert "  Brog: hp 11 → 10" in blocks["T17, late entry"]
    assert "  Brog: hp 10 → 1" in blocks["T5"], "what is behind it reads as it does since then"
    assert "T17" not in blocks_of(shell, "S2")


def test_what_was_told_late_and_taken_back_was_done_first(shell: Shell) -> None:
    shell.do("osr damage brog 1 --after T4", "undo T17")
    late = blocks_of(shell)["T17, late entry"]
    assert "Undone later, by T18." in late
    assert "  Brog: hp 11 → 10" in late


def test_what_was_moved_is_shown_where_it_folds_now(shell: Shell) -> None:
    shell.do("amend T13 --after T11")
    blocks = blocks_of(shell)
    assert list(blocks)[9:] == ["T11", "T13, late entry", "T12", "T14"]
    assert "  Brog: hp 11 → 9" in blocks["T13, late entry"]


def test_a_turn_told_late_in_an_earlier_session_belongs_to_that(shell: Shell) -> None:
    shell.do("note Rain. --after T15", "note Thunder. --after T14", "note Hail. --before T2")
    assert list(blocks_of(shell, "S2")) == ["T15", "T17, late entry", "T16"]
    assert list(blocks_of(shell)) == [f"T{number}" for number in range(2, 15)], "outside any session"


@MODEST
@given(chance=chances)
def test_at_the_end_everything_is_known(subject: Subject, chance: Random) -> None:
    table = revised(chance, subject)
    log, system = table.log, table.system
    sessions = sessions_of(log)
    for session in sessions:
        frames = list(frames_of(system, log, session))
        entries = {entry.turn: entry for entry in chronicle(system, log)}
        assert len({frame.turn for frame in frames}) == len(frames)
        for frame in frames:
            assert frame.mark == entries[frame.turn].mark
    if sessions and sessions[max(sessions)][1] == log.last() and not any(frame.mark for frame in frames[-1:]):
        now = state_at(system, log)
        assert [(sheet.character, sheet.rows) for sheet in frames[-1].sheets] == [
            (name, system.sheet_rows(now, name, sheet_for(system, now, name))) for name in now.characters
        ]


def test_a_replay_keeps_what_was_not_revealed() -> None:
    table = Given("gloomhaven", SessionOpen(), brog(), spell(), BeginScenario(scenario="1"), BeginRound())
    table.and_given(Select(character="brog", lead=1, second=4))
    screen = Screen("never")

    def frames_for(viewer: str) -> str:
        frames = list(frames_of(table.system, table.log, 1, viewer))
        for index, frame in enumerate(frames):
            screen.lines(picture(screen, 1, frame, index, len(frames), whole=True))
        return "\n".join(screen.drain())

    assert "Trample" in frames_for("ann")
    assert "Trample" not in frames_for("ben")
    assert "hand 10 → 8" in frames_for("ben")


# -- the keys ----------------------------------------------------------------------------------------------


def pressed(count: int, *keys: str) -> Player:
    player = Player(count)
    for key in keys:
        player.press(key)
    return player


@pytest.mark.parametrize(
    ("keys", "at"),
    [
        ((" ", ".", "right"), 3),
        ((".", ",",), 0),
        ((",",), 0),
        (("end",), 4),
        (("end", " "), 4),
        (("end", "home"), 0),
        (("x", "\x00"), 0),
    ],
)  # fmt: skip
def test_keys_go_forward_and_back_and_no_further(keys: tuple[str, ...], at: int) -> None:
    assert pressed(5, *keys).at == at


def test_faster_plays_by_itself_and_slower_stops_again() -> None:
    assert pressed(5).pace is None
    slow, fast = pressed(5, "+").pace, pressed(5, *"++++++++").pace
    assert slow is not None
    assert fast is not None
    assert 0 < fast < slow
    assert pressed(5, "+", "-", "-").pace is None
    assert pressed(5, "+", "end").pace is None, "at the end there is nothing to wait for"


def test_q_quits() -> None:
    assert pressed(5, "q").over
    assert not pressed(5, " ").over


def test_what_a_terminal_sends_at_once_is_several_keys() -> None:
    assert list(keys_in(b" \x1b[C.\x1b[Hq")) == [" ", "right", ".", "home", "q"]
    assert list(keys_in(b".\x1b[99~q")) == ["."], "what follows an unknown sequence belongs to it"


# -- the terminal ------------------------------------------------------------------------------------------

ENTER, LEAVE = b"\x1b[?1049h\x1b[?25l", b"\x1b[?25h\x1b[?1049l"


def test_space_and_comma_step_through_the_evening(shell: Shell) -> None:
    with shell.seated("replay", "S1", "--color", "never") as table:
        table.see(b"q quit")
        assert b"T2  session 1, 1 of 13" in table.output
        table.press(b" ..")
        table.see(b"T5  session 1, 4 of 13")
        table.see(b"q quit")
        table.press(b",")
        table.see(b"T4  session 1, 3 of 13")
        table.press(b"q")
        assert table.end() == 0


def test_it_plays_by_itself_to_the_end(shell: Shell) -> None:
    with shell.seated("replay", "S2", "--color", "never") as table:
        table.see(b"q quit")
        table.press(b"+++++")
        table.see(b"T16  session 2, 2 of 2")
        table.press(b"q")
        assert table.end() == 0


def test_a_small_terminal_says_what_it_leaves_out(shell: Shell) -> None:
    with shell.seated("replay", "S1", "--color", "never", lines=8) as table:
        table.see(b"q quit")
        table.press(b"\x1b[F")
        table.see(b"more lines; a taller window shows them")
        table.press(b"q")
        assert table.end() == 0


@needs("termios")
@pytest.mark.parametrize(("how", "code"), [("q", 0), ("ctrl-c", 130), ("term", 143), ("hang-up", 129)])
def test_the_terminal_is_left_as_it_was_found(shell: Shell, how: str, code: int) -> None:
    import termios

    with shell.seated("replay", "S1") as table:
        before = termios.tcgetattr(table.terminal)
        table.see(b"q quit")
        assert ENTER in table.output
        assert termios.tcgetattr(table.terminal) != before
        if how == "term":
            table.process.send_signal(signal.SIGTERM)
        elif how == "hang-up":
            table.process.send_signal(signal.SIGHUP)
        else:
            table.press(b"q" if how == "q" else b"\x03")
        assert table.end() == code
        assert termios.tcgetattr(table.terminal) == before
        assert table.output.endswith(LEAVE)


@needs("termios")
def test_paused_the_terminal_is_given_back_and_taken_again(shell: Shell) -> None:
    import termios

    with shell.seated("replay", "S1") as table:
        before = termios.tcgetattr(table.terminal)
        table.see(b"q quit")
        table.press(b"\x1a")
        table.see(LEAVE)
        assert termios.tcgetattr(table.terminal) == before
        table.output = b""
        # one that comes before it has stopped itself is lost
        table.see(ENTER, sending=signal.SIGCONT)
        table.see(b"q quit")
        table.press(b"q")
        assert table.end() == 0


def test_a_keyboard_that_is_none_gets_the_turns_one_after_another(shell: Shell) -> None:
    result = shell.process("replay", "S2", stdin="")
    assert (result.code, result.err) == (0, "")
    assert "T16  session 2, 2 of 2" in result.out
    assert "\x1b" not in result.out
