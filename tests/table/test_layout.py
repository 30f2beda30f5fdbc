"""Whatever there is to show, it fits: long and wide names, one to six of them, small and large windows, no colour."""

import pytest
from textual.events import Resize
from textual.geometry import Size

from cli.line.guiding import Candidate
from cli.recording.choosing import KEYS
from cli.table.layout import at_most, candidate_rows, first_of, rows_of, with_answers
from cli.table.replies import KeyChoice
from cli.table.screen import PlayApp
from cli.terminal.screen import width, wrap
from tests.kit.shell import Shell
from tests.table.seen import Seen, Table

NAMES = (
    "Brog",
    "Mother Aubépine of the Seven Silent Wells and Sorrows",
    "龍之介龍之介龍之介龍之介龍之介龍之介龍之介龍之介龍之介龍之介",
    "Zoë 🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀",
    "Wen",
    "Wenceslas the Younger",
)
LONG = "a very long story of a very old ghoul that nobody believed in, " * 4


def named(shell: Shell, rules: str, enrol: str, count: int) -> Shell:
    shell.do(f"new 'A campaign whose name is rather longer than it had to be' --rules {rules}")
    for name in NAMES[:count]:
        shell.do(enrol.format(name=name))
    return shell


def test_the_name_of_the_campaign_costs_the_state_no_row_and_begins_none_with_a_dot(shell: Shell) -> None:
    shell.do("new 'The Tower of the Nine Sleepers' --rules osr", "enrol Brog 5", "track torches 4", "track oil 2")

    async def look(seen: Seen) -> None:
        for columns in (46, 38, 30, 24):
            await seen.pilot.resize_terminal(columns, 24)
            await seen.press()
            rows = seen.of("state").splitlines()
            assert not any(row.strip().startswith("·") for row in rows[1:]), rows
            assert "T4" in seen.of("state") or "…" in rows[-1], rows
            assert columns < 38 or len(rows) == 1, rows

    Table(shell, (80, 24)).play(look)


def test_the_turn_stays_where_many_foes_take_the_room_of_the_name(shell: Shell) -> None:
    shell.do("new 'Saltmarsh Nights' --rules deckahedron", "session open", "enrol Pip player Mia 2 3 3")
    shell.do(*(f"foe '{foe}' 5" for foe in ("guard 1", "guard 2", "captain", "grey wolf")), "track torches 6")

    async def look(seen: Seen) -> None:
        for columns in (120, 70, 60, 40, 24):
            await seen.pilot.resize_terminal(columns, 24)
            await seen.press()
            rows = seen.of("state").splitlines()
            assert len(rows) == 2 and " T8" in rows[1] and max(map(width, rows)) <= columns, rows
            assert ("session 1" in rows[1]) == (columns == 120) and (columns > 60 or "… · T8" in rows[1]), rows

    Table(shell, (80, 24)).play(look)


def shown_at(columns: int, why: str, *answers: str) -> list[str]:
    keyed = [KeyChoice(key, answer) for key, answer in zip(KEYS, answers, strict=False)]
    return str(rows_of(with_answers([why], keyed, columns))).splitlines()


def test_an_answer_that_is_longer_than_a_row_is_wrapped_behind_its_key() -> None:
    assert shown_at(30, "Which?", "yes", "no") == ["Which?  [1] yes  [2] no"]
    assert shown_at(30, "", "track wen gold +30 in the chest under the stairs", "no") == [
        "[1] track wen gold +30 in the",
        "    chest under the stairs",
        "[2] no",
    ]
    assert shown_at(12, "", "Donaudampfschiff", "no") == ["[1] Donaudam", "    pfschiff", "[2] no"], "no key alone"
    assert shown_at(20, "", "龍之介龍之介 龍之介龍之介") == ["[1] 龍之介龍之介", "    龍之介龍之介"]


@pytest.mark.parametrize("columns", range(12, 60, 7))
def test_no_key_stands_alone_and_nothing_is_longer_than_a_row(columns: int) -> None:
    rows = shown_at(columns, f"{LONG}?", LONG, "no", LONG.replace(" ", "-"), "龍之介" * 9)
    assert all(width(row) <= columns for row in rows)
    keys = [row.strip() for row in rows if "[" in row]
    assert [row[:3] for row in keys] == ["[1]", "[2]", "[3]", "[4]"] and all(len(row) > 4 for row in keys)


@pytest.mark.parametrize("columns", range(30, 80, 7))
def test_what_does_not_fit_is_cut_behind_a_word_and_says_so(columns: int) -> None:
    preview = at_most(wrap([LONG], columns, 0), 2, columns)
    listed = candidate_rows([Candidate("damage", help=LONG), *[Candidate("x", help=f"{LONG}{at}") for at in "12"]],
                            None, 2, columns)  # fmt: skip
    for row in str(rows_of([preview[1], *listed])).splitlines():
        before, ellipsis, _ = row.partition("…")
        assert ellipsis and width(row) <= columns and before.split()[-1] in LONG.split(), row


def test_names_for_programs_are_read_as_words_in_the_list() -> None:
    rows = str(rows_of(candidate_rows([Candidate("foe_result=", label="foe result=")], None, 2, 80)))
    assert rows.split("  ")[1] == "foe result="


def test_what_waits_and_does_not_fit_is_counted() -> None:
    decisions = [[["one"]], [["two"], ["more of two"]], [["three"]]]
    assert first_of(decisions, 4) == [["one"], ["two"], ["more of two"], ["three"]]
    *first, count = first_of(decisions, 3)
    assert first == [["one"]] and str(rows_of([count])) == "and 2 more: status"
    *first, count = first_of([[["a"], ["b"], ["c"]], [["d"]]], 2)
    assert first == [["a"]] and str(rows_of([count])) == "and 1 more: status"


def test_a_smaller_window_is_laid_out_anew(shell: Shell) -> None:
    shell = named(shell, "osr", "osr enrol '{name}' --level 3 --rolled 5,6,4", 4)

    async def resize(seen: Seen) -> None:
        await seen.type(f"d all 20 {LONG}", "enter")
        for columns, rows in ((80, 24), (60, 20), (120, 40)):
            await seen.pilot.resize_terminal(columns, rows)
            await seen.pilot.pause()
            seen.fits()

    Table(shell, (120, 40)).play(resize)


@pytest.mark.parametrize("columns", [1, 0], ids=["in the wrong order", "not at all"])
def test_the_size_that_the_window_has_holds_whatever_was_heard_of_it(
    columns: int, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = named(shell, "osr", "osr enrol '{name}' --level 3 --rolled 5,6,4", 4)
    older, window = Size(120, 40), Size(60, 20)

    async def resize(seen: Seen) -> None:
        monkeypatch.setattr(PlayApp, "is_headless", False)
        monkeypatch.setattr("shutil.get_terminal_size", lambda: window)
        for _ in range(columns):
            seen.app.post_message(Resize(window, window))
            seen.app.post_message(Resize(older, older))
        if not columns:
            seen.app.look_for_others()
        for _ in range(20):
            await seen.pilot.pause()
        assert seen.app.size == seen.app.screen.size == window
        seen.fits()

    Table(shell, older).play(resize)


def test_what_the_last_line_changed_stands_out_and_who_acts_is_in_sight(shell: Shell) -> None:
    shell = named(shell, "gloomhaven", "gloomhaven enrol '{name}' brute", 6)

    async def hurt(seen: Seen) -> None:
        await seen.type("d 'Wenceslas the Younger' 0", "escape")
        await seen.type("d wenceslas 3", "enter", "1")
        (row,) = [at for at, line in enumerate(seen.of("party-lines").splitlines()) if line.startswith("▸")]
        party = seen.app.query_one("#party")
        assert party.scroll_offset.y <= row < party.scroll_offset.y + party.size.height

    Table(shell, (80, 24)).play(hurt)
