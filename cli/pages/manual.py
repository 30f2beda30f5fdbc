"""The chapters of the manual: their order, how one is found by its name or a word in it, and their HTML page."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

import data
from cli.pages import markdown
from cli.pages.html_page import document

#: Where a link leads from one chapter to another.
LINK = re.compile(r"(?<=\]\()([\w-]+)\.md(?=\))")
#: An example, a heading or a row of a table, and a paragraph or an item of a list.
PIECES = re.compile(r"^```[\s\S]*?^```|^[#|].*|^[^\n].*(?:\n(?!```|[#|]|[*-] |[ \t]*$).+)*", re.M)
FOLDER = Path(data.__path__[0]) / "manual"
STYLE = """
* { box-sizing: border-box; }
nav ol { columns: 2 16rem; }
section { break-before: page; border-top: 1px solid var(--line); margin-top: 3rem; }
section:first-of-type { border: 0; margin: 0; }
@media print { nav { display: none; } }
@media print { table { font-size: .85em; line-height: 1.25; width: 100%; } th, td { padding: .1rem .6rem .1rem 0; }
  #cheat-sheet .table table { width: 100%; } #cheat-sheet th:first-child { width: 62%; }
  #cheat-sheet h1 { margin-top: 0; } #cheat-sheet code { font-size: .8em; } }
"""


class Chapter(Struct, frozen=True):
    """One chapter: its name on the command line, its title, and its text as Markdown."""

    name: str
    title: str
    text: str


class Section(Struct, frozen=True):
    """A part of a chapter under one heading, and the first of its sentences that mentions what was looked for."""

    chapter: str
    heading: str
    sentence: str


def chapters() -> tuple[Chapter, ...]:
    """Every chapter in the order of the manual's index."""
    index = (FOLDER / "index.md").read_text("utf-8")
    return tuple(_chapter(name) for name in re.findall(r"\]\(([\w-]+)\.md\)", index))


def _chapter(name: str) -> Chapter:
    text = (FOLDER / f"{name}.md").read_text("utf-8")
    return Chapter(name, text.partition("\n")[0].removeprefix("# "), text)


def index() -> Chapter:
    return _chapter("index")


def find_chapter(word: str, among: Sequence[Chapter]) -> Chapter | None:
    """The chapter of this name or title, else the only one whose name begins with `word`; None if there is none."""
    key = word.casefold()
    exact = [chapter for chapter in among if key in (chapter.name, chapter.title.casefold())]
    beginning = exact or [chapter for chapter in among if chapter.name.startswith(key)]
    return beginning[0] if len(beginning) == 1 else None


def sections_with(word: str, among: Sequence[Chapter]) -> list[Section]:
    """Every section that mentions the word, whatever its case, with the first sentence that does.

    Where only its heading mentions the word, the sentence is the first of the section.
    """
    key = word.casefold()
    sections = []
    for chapter in among:
        for heading, sentences in _sections(chapter):
            matching = [sentence for sentence in sentences if key in sentence.casefold()]
            if matching or key in heading.casefold():
                sections.append(Section(chapter.name, heading, next(iter(matching or sentences), "")))
    return sections


def words_of(among: Sequence[Chapter]) -> set[str]:
    """Every word of these chapters that is worth looking for, in small letters."""
    return {word for chapter in among for word in re.findall(r"[a-z][a-z-]{3,}", chapter.text.casefold())}


def _sections(chapter: Chapter) -> Iterator[tuple[str, list[str]]]:
    """Each heading of a chapter with the sentences below it; a row of a table and a line of an example are one each."""
    heading, sentences = chapter.title, list[str]()
    for piece in (*PIECES.findall(chapter.text), "# "):
        if piece.startswith("#"):
            title = piece.lstrip("#").strip()
            if sentences or heading != title:
                yield heading, sentences
            heading, sentences = title, []
        elif piece.startswith("```"):
            sentences += [line for line in piece.splitlines()[1:-1] if line.strip()]
        elif piece.startswith("|"):
            sentences.append(piece)
        else:
            sentences += re.split(r"(?<=[.!?]) ", " ".join(line.strip() for line in piece.splitlines()))


def page(title: str, contents: Sequence[Chapter]) -> str:
    """These chapters as one HTML page that needs nothing else; links between them lead to places on it."""
    return document(title, markdown.STYLE + STYLE, _parts(title, contents))


def _parts(title: str, contents: Sequence[Chapter]) -> Iterator[str]:
    names = {entry.name for entry in contents}
    if len(contents) > 1:
        yield f"<h1>{title}</h1>\n<nav><ol>"
        yield from (f'<li><a href="#{entry.name}">{entry.title}</a></li>' for entry in contents)
        yield "</ol></nav>"
    for chapter in contents:
        text = LINK.sub(lambda link: f"#{link[1]}" if link[1] in names else link[0], chapter.text)
        yield f'<section id="{chapter.name}">\n{markdown.to_html(text)}</section>'
