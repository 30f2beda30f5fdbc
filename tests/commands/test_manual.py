"""`campaign manual`: the book inside the program."""

import re

import pytest

from cli.pages.manual import Chapter, chapters, sections_with
from tests.kit.browsers import CHROMIUM, browser_running
from tests.kit.shell import Shell


def test_without_a_chapter_it_lists_them_all(shell: Shell) -> None:
    out = shell.run("manual").ok().out
    assert all(chapter.title in out for chapter in chapters())


@pytest.mark.parametrize("word", ["correcting", "corr", "Correcting the past"])
def test_a_chapter_goes_by_its_name_a_beginning_or_its_title(shell: Shell, word: str) -> None:
    assert shell.run("manual", word).ok().out.startswith("# Correcting the past\n")


def test_another_word_is_looked_for_in_every_chapter(shell: Shell) -> None:
    out = shell.run("manual", "backup").ok().out
    assert re.search(r"^trust +\S.*: .*backup", out, re.M)


def test_a_word_is_shown_in_the_sentence_that_mentions_it() -> None:
    text = "# Camps\n\nRain. A camp below\nan `old` mill is dry. So be it.\n\n* of old oak\n\n## Old camps\n\nNone.\n"
    found = sections_with("old", [Chapter("camps", "Camps", text)])
    assert [(section.heading, section.sentence) for section in found] == [
        ("Camps", "A camp below an `old` mill is dry."),
        ("Old camps", "None."),
    ]


def test_a_line_of_an_example_is_shown_as_it_stands() -> None:
    example = "```console\n$ campaign scene camp\nT1  Camp is made. It is calm.\n```\n"
    table = "| a | camp |\n|---|---|\n| fire | warm |\n"
    known = [Chapter("camps", "Camps", f"# Camps\n\n{example}\n{table}")]
    assert [section.sentence for section in sections_with("calm", known)] == ["T1  Camp is made. It is calm."]
    assert [section.sentence for section in sections_with("fire", known)] == ["| fire | warm |"]


def test_a_word_that_stands_nowhere_is_said_so(shell: Shell) -> None:
    result = shell.run("manual", "correctnig")
    assert (result.code, result.out) == (1, "")
    assert result.err == "The manual does not mention 'correctnig'; did you mean correcting?\n"


def test_a_misspelt_word_of_the_book_is_suggested(shell: Shell) -> None:
    result = shell.run("manual", "attak")
    assert (result.code, result.err) == (1, "The manual does not mention 'attak'; did you mean attack?\n")


def test_a_word_like_none_of_the_book_leads_to_its_chapters(shell: Shell) -> None:
    result = shell.run("manual", "qqqqzzzz")
    assert result.err == "The manual does not mention 'qqqqzzzz'; manual without a word lists the chapters.\n"


def test_a_whole_page_holds_every_chapter_and_links_between_them(shell: Shell) -> None:
    shell.run("manual", "-O", "html", "-o", "manual.html").ok()
    page = (shell.folder / "manual.html").read_text("utf-8")
    ids = set(re.findall(r'<section id="([\w-]+)"', page))
    assert ids == {chapter.name for chapter in chapters()}
    assert set(re.findall(r'href="#([\w-]+)"', page)) <= ids
    assert "<script" not in page and "src=" not in page


def test_as_markdown_nothing_is_left_out(shell: Shell) -> None:
    out = shell.run("manual", "-O", "md").ok().out
    assert all(chapter.text in out + "\n" for chapter in chapters())


def test_a_word_cannot_be_written_as_a_page(shell: Shell) -> None:
    result = shell.run("manual", "backup", "-O", "html")
    assert result.code == 2
    assert result.err == "There is no chapter 'backup'; manual without a word lists them.\n"


def test_the_line_on_one_page_fits_on_one_page(shell: Shell) -> None:
    pytest.importorskip("playwright")
    if CHROMIUM is None:
        pytest.skip("no Chromium here")
    with browser_running() as browser:
        page = browser.new_page()
        page.set_content(shell.run("manual", "cheat-sheet", "-O", "html").ok().out)
        printed = page.pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type /Page\b", printed)) == 1
