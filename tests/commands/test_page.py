"""A part of somebody's screen: what a command prints there is broken and indented as on a terminal of its width."""

from contextlib import redirect_stdout

from cli.shell.command_line import run
from cli.terminal.screen import Page, width
from tests.kit.shell import Shell


def test_what_is_printed_on_a_page_is_laid_out_for_its_columns(shell: Shell) -> None:
    shell.do("new Crawl --rules osr", "osr enrol Brog --level 2 --rolled 5,6", f"n {'dark ' * 30}")
    with redirect_stdout(Page(50)) as page:
        assert run(["log"]) == 0
    rows = page.getvalue().splitlines()
    assert max(map(width, rows)) <= 50
    assert sum(row.startswith("    dark") for row in rows) >= 2


def test_a_recap_on_a_page_is_read_and_no_markdown(shell: Shell) -> None:
    shell.do("new Crawl --rules osr", "session open The crypt", "osr enrol Brog --level 2 --rolled 5,6")
    with redirect_stdout(Page(50)) as page:
        assert run(["recap", "S1"]) == 0
    assert "#" not in page.getvalue() and max(map(width, page.getvalue().splitlines())) <= 50
