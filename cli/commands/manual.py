"""Read the manual: a chapter, or where a word is used.

Without a chapter, list the chapters. A word that is not a chapter is looked up in all of them.

Examples:
  campaign manual
  campaign manual correcting
  campaign manual seal
  campaign manual --open
  campaign manual -O html -o manual.html
"""

import webbrowser
from enum import StrEnum
from typing import Annotated

import typer

from cli.pages.manual import Chapter, chapters, find_chapter, index, page, sections_with, words_of
from cli.pages.markdown import print_markdown
from cli.shell import options
from cli.shell.outfile import OutputFile, deliver
from cli.store.folders import cache_folder
from cli.terminal.screen import Screen, Span
from domain.naming import nearest
from domain.refusal import Invalid


class ManualFormat(StrEnum):
    """The formats of the manual."""

    text = "text"
    md = "md"
    html = "html"


def complete_chapters(incomplete: str) -> list[str]:
    return [chapter.name for chapter in chapters() if chapter.name.startswith(incomplete.casefold())]


def manual(
    chapter: Annotated[
        str | None, typer.Argument(help="A chapter, or a word to look for.", autocompletion=complete_chapters)
    ] = None,
    output: Annotated[ManualFormat, typer.Option("--output", "-O", help="How to write it.")] = ManualFormat.text,
    output_file: OutputFile = None,
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    all_chapters = chapters()
    only = find_chapter(chapter, all_chapters) if chapter is not None else None
    screen = Screen(color)
    if chapter is not None and only is None:
        if output is not ManualFormat.text or open_:
            raise Invalid(f"There is no chapter {chapter!r}; manual without a word lists them.")
        sections = sections_with(chapter, all_chapters)
        if not sections:
            near = nearest(chapter, [one.name for one in all_chapters]) or nearest(chapter, words_of(all_chapters))
            advice = "manual without a word lists the chapters." if near is None else f"did you mean {near}?"
            raise options.NotFound(f"The manual does not mention {chapter!r}; {advice}")
        for section in sections:
            where = Span(f"{section.chapter:<18}", "cyan"), Span(f"{section.heading}: ", "bold")
            screen.line(*where, section.sentence, indent=20)
        screen.flush(pager=True)
        return
    contents = [only] if only is not None else list(all_chapters)
    title = only.title if only is not None else "The manual of campaign"
    if open_:
        output, pages = ManualFormat.html, cache_folder() / "pages"
        if output_file is None:  # a page that is only made to be opened
            pages.mkdir(parents=True, exist_ok=True)
            output_file = pages / f"{title.replace(' ', '-').casefold()}.html"
    if output is ManualFormat.html:
        screen.raw(page(title, contents))
    elif output is ManualFormat.md:
        screen.raw(
            "\n".join(one.text for one in (contents if output_file or only else [index(), *contents])).rstrip("\n")
        )
    else:
        _print(screen, only or index())
    deliver(screen, output_file, "The manual is", pager=True)
    if open_ and output_file is not None:
        webbrowser.open(output_file.resolve().as_uri())


def _print(screen: Screen, chapter: Chapter) -> None:
    """Print a chapter laid out for a screen with colours, else as Markdown."""
    if not screen.paints:
        screen.raw(chapter.text.rstrip("\n"))
        return
    print_markdown(screen, chapter.text)
