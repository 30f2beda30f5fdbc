"""A table fits the terminal: words stay whole where they can, and what does not fit is shown a row at a time."""

import pytest

from cli.pages.formats import Format
from cli.pages.rows import write_rows
from cli.terminal.screen import Page, Screen, width
from cli.terminal.table import print_table

SENTENCE = "Wen is hit for 14 by the bell rope and loses the last 6 hit points."


def printed(columns: int, heads: list[str], *rows: list[object]) -> list[str]:
    page = Page(columns)
    screen = Screen("never", page)
    print_table(screen, heads, rows)
    screen.flush()
    return page.getvalue().splitlines()


@pytest.mark.parametrize("columns", [30, 40, 80])
def test_no_word_is_broken_while_there_is_room_for_whole_ones(columns: int) -> None:
    heads = ["turn", "at", "why", "sentence"]
    lines = printed(columns, heads, [22, "2025-10-03 20:08", "the other wall", SENTENCE], [79, "", "", ""])
    assert max(map(width, lines)) <= columns
    words = " ".join(lines).split()
    assert set(SENTENCE.split()) <= set(words) and "2025-10-03" in words


def test_a_long_word_is_broken_where_it_is_still_read() -> None:
    lines = printed(24, ["seal", "option"], ["2T22-P715-X2Y6-NR8J", "short_rest_together = true"])
    assert [line.split() for line in lines[1:]] == [
        ["2T22-P715-", "short_rest_"], ["X2Y6-NR8J", "together", "="], ["true"],
    ]  # fmt: skip


def test_what_does_not_fit_in_columns_is_a_row_at_a_time_without_its_empty_cells() -> None:
    heads = ["session", "character", "condition", "injury", "recovery"]
    lines = printed(40, heads, [1, "Brog", "up", None, 0], [2, "Ada", "", "a cut hand", 2])
    assert lines == [
        "session    1", "character  Brog", "condition  up", "recovery   0", "",
        "session    2", "character  Ada", "injury     a cut hand", "recovery   2",
    ]  # fmt: skip


def test_a_moment_is_read_to_the_minute_and_written_whole_for_programs() -> None:
    def written(form: Format) -> str:
        page = Page()
        screen = Screen("never", page)
        write_rows(screen, [{"at": "2025-10-03T20:08:00+01:00"}], form, ["at"])
        screen.flush()
        return page.getvalue()

    assert written(Format.text).split() == ["at", "2025-10-03", "20:08"]
    assert written(Format.csv).split() == ["at", "2025-10-03T20:08:00+01:00"]
