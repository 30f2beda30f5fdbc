"""The layout of the rulebook, written as Markdown: numbered paragraphs, each followed by its history and notes.

The HTML page renders that Markdown and puts a list of the paragraphs before it. All text of the log passes `escape`,
so that none of it can mark anything up.
"""

import re
from collections.abc import Iterable, Iterator

from cli.pages.blocks import Link, table_lines
from cli.pages.escaping import escape
from cli.pages.html_page import document, escape_html
from cli.pages.markdown import STYLE, to_html
from cli.terminal.remarks import not_in_source, original, remark_in_words, wording_in_words
from domain.naming import capitalised, ended
from domain.values import as_written
from projections.rule_history import Remark
from projections.views.rulebook import LivingParagraph, MentionedTurn, Rulebook, Trial

#: A web address, or code in backticks, in the text of a background.
LINK_OR_CODE = re.compile(r"https?://[^\s<>]*[^\s<>.,;:)]|`[^`\n]+`")


#: Style of the list of paragraphs and of the histories, beside that of all Markdown.
BOOK_STYLE = """
nav ol { list-style: none; columns: 2 16rem; padding: 0; margin: 1rem 0; font-size: .95rem; }
nav li { break-inside: avoid; } nav a { display: flex; gap: .6rem; text-decoration: none; }
nav .number { flex: none; min-width: 2.2rem; color: var(--faint); }
h2 { font-size: 1.1rem; border: 0; margin: 2rem 0 .3rem; } p { margin: .4rem 0; }
details { margin: .6rem 0; border-left: 3px solid var(--line); padding-left: .8rem; font-size: .95em; }
details ul { margin: .3rem 0; } s { color: var(--faint); }
@media (max-width: 30rem) { nav { max-height: 60vh; overflow-y: auto; border: 1px solid var(--line); padding: 0 .6rem; }
  nav ol { columns: 1; margin: .4rem 0; } nav a { padding: .25rem 0; } }
@media print { nav { display: none; } summary { break-after: avoid; list-style: none; } }
"""


def page(book: Rulebook) -> str:
    """The book as one HTML page that loads nothing."""
    return document(f"The rules of {book.campaign}", STYLE + BOOK_STYLE, [body(book)])


def body(book: Rulebook, link: Link = "#T{}".format) -> str:
    """The book as HTML for the body of any page; `link` gives the address of a turn."""
    head, _, rest = markdown_of(book, open_=True, link=link).partition("\n## ")
    return "\n".join((to_html(head), *_list_of_paragraphs(book), to_html(f"## {rest}")))


def _list_of_paragraphs(book: Rulebook) -> Iterator[str]:
    yield '<nav aria-label="Paragraphs"><ol>'
    for paragraph in book.paragraphs:
        number, title = f'<span class="number">{escape_html(paragraph.rule)}</span>', escape_html(paragraph.title)
        name = f"<span>{title}</span>" if paragraph.in_force else f"<s>{title}</s>"
        yield f'<li><a href="#{escape_html(anchor(paragraph))}">{number} {name}</a></li>'
    yield "</ol></nav>"


def markdown_of(book: Rulebook, *, open_: bool = False, link: Link = "#T{}".format) -> str:
    """The whole book as Markdown. With `open_` its histories are unfolded, so that nothing is missing on paper."""
    return "\n".join(_parts(book, link, "<details open>" if open_ else "<details>"))


def paragraphs(book: Rulebook, shown_paragraphs: Iterable[LivingParagraph]) -> str:
    """The chosen paragraphs as Markdown, each with its history and notes."""
    lines = (line for paragraph in shown_paragraphs for line in _paragraph(book, paragraph, "#T{}".format, "<details>"))
    return "\n".join(lines).strip("\n")


def _circumstances(book: Rulebook) -> list[str]:
    """The rules, the turn, the session and the date that the book stands at, each as text."""
    session = [f"session {book.session}"] if book.session else []
    return [book.rules, f"as of T{book.turn}", *session, book.at.date().isoformat()]


def _parts(book: Rulebook, link: Link, details: str) -> Iterator[str]:
    yield f"# The rules of {escape(book.campaign)}"
    yield ""
    yield f"*{escape(' · '.join(_circumstances(book)))}*"
    for paragraph in book.paragraphs:
        yield from _paragraph(book, paragraph, link, details)
    if book.options:
        yield from ("", '## <a id="options"></a>Options in force', "")
        rows = (
            [
                *map(escape, (option.rule, option.name, as_written(option.value), as_written(option.default))),
                f"[R{option.ruling}](#R{option.ruling})" if option.ruling is not None else "",
            ]
            for option in book.options
        )
        yield from table_lines(("rule", "option", "value", "default", "set by"), rows)
    open_trials = [trial for trial in book.trials if trial.came_to == "open"]
    if open_trials:
        yield from ("", '## <a id="trials"></a>On trial', "")
        yield from (_trial(book, trial) for trial in open_trials)
    if book.turns:
        yield from ("", '## <a id="turns"></a>Turns that it speaks of', "")
        yield from map(_mention, book.turns)


def status_of(paragraph: LivingParagraph) -> str:
    """A sentence: since when the wording holds, how often it was played, whether the paragraph is in force."""
    wording, withdrawn = wording_in_words(paragraph), ""
    if not paragraph.in_force:
        by = f", by T{paragraph.withdrawn_by}" if paragraph.withdrawn_by is not None else ""
        withdrawn = f"no longer in force{by}"
    status = "; ".join(part for part in (withdrawn, wording) if part)
    return ended(capitalised(status)) if status else ""


def _paragraph(book: Rulebook, paragraph: LivingParagraph, link: Link, details: str) -> Iterator[str]:
    number = escape(paragraph.cited)
    title = escape(paragraph.title)
    strike = "" if paragraph.in_force else "~~"
    yield from ("", f'## <a id="{anchor(paragraph)}"></a>{number} {strike}{title}{strike}', "")
    yield f"{strike}{escape(paragraph.text)}{strike}"
    for ruling in paragraph.rulings:
        if not ruling.set:
            yield from ("", f"**{escape(remark_in_words(ruling).what)}:** {escape(ended(ruling.text))}")
    if status := status_of(paragraph):
        yield from ("", f"*{escape(status)}*")
    if paragraph.not_in_source:
        yield from ("", f"*{escape(not_in_source(paragraph))}*")
    if paragraph.reason:
        yield from ("", f"*Left to the table: {with_links(paragraph.reason)}*")
    if paragraph.at_hand:
        heads, *rows = (list(map(escape, row)) for row in paragraph.at_hand)
        yield from ("", *table_lines(heads, rows))
    if not (paragraph.background or paragraph.original or paragraph.history):
        return
    yield from ("", f"{details}<summary>History and notes</summary>", "")
    if paragraph.background:
        yield with_links(paragraph.background.strip())
        yield from [""] if paragraph.original or paragraph.history else []
    if paragraph.original is not None:
        origin, words = original(paragraph.original)
        yield f"- **{origin}**: {escape(words)}"
    for remark in paragraph.history:
        evidence = book.evidence_at(remark)
        yield f"- {_remark(remark, link)}{f' {escape(evidence.sentence())}' if evidence is not None else ''}"
    for wording in paragraph.wordings[:-1]:
        if wording.played is not None:
            yield f"- Wording {wording.version} was {escape(ended(str(wording.played)))}"
    yield from ("", "</details>")


def anchor(paragraph: LivingParagraph) -> str:
    """The id of a paragraph in the page."""
    return f"rule-{paragraph.rule}"


def with_links(text: str) -> str:
    """The text of a background escaped, with its web addresses as links and its code as code."""
    parts, end = [], 0
    for match in LINK_OR_CODE.finditer(text):
        parts += [escape(text[end : match.start()]), f"<{match[0]}>" if match[0].startswith("http") else match[0]]
        end = match.end()
    return "".join((*parts, escape(text[end:])))


def _remark(remark: Remark, link: Link) -> str:
    entry = remark_in_words(remark)
    own = remark.campaign is None
    place = f'<a id="R{remark.ruling}"></a>' if remark.ruling is not None and not remark.struck and own else ""
    where = escape(entry.where)
    if own:
        where = where.replace(f"T{remark.turn}", f"[T{remark.turn}]({link(remark.turn)})", 1)
    strike = "~~" if remark.no_longer else ""
    why = f"Why: {entry.why}" if entry.why else ""
    sentences = (entry.words, " ".join(entry.marks), why, f"[{entry.sets}]" if entry.sets else "")
    words = escape(" ".join(part for part in sentences if part))
    after = escape(" ".join(part for part in (*entry.more, entry.no_longer) if part))
    body = " ".join(part for part in (f"{strike}{words}{strike}" if words else "", after) if part)
    return f"{place}**{escape(entry.what)}** ({where}){': ' if body else ''}{body}"


def _trial(book: Rulebook, trial: Trial) -> str:
    entry = remark_in_words(trial.remark)
    due = " Due now." if trial.due else ""
    evidence = f" {escape(trial.evidence.sentence())}" if trial.evidence is not None else ""
    rule = escape(f"{book.cite} {trial.remark.rule}")
    return f"- [{entry.what}](#{entry.what}) on {rule}: {escape(entry.words)} {escape(entry.marks[0])}{due}{evidence}"


def _mention(mention: MentionedTurn) -> str:
    strike = "" if mention.standing else "~~"
    by = f", {mention.by}" if mention.by else ""
    session = f"session {mention.session}, " if mention.session else ""
    where = escape(f"({session}{mention.at.date()}{by})")
    return f'- <a id="T{mention.turn}"></a>**T{mention.turn}** {where} {strike}{escape(mention.sentence)}{strike}'
