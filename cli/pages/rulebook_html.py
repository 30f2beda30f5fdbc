"""The rulebook as one HTML page that loads nothing and runs nothing, for a desk, a phone and paper.

Every word of the log passes `shown`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from cli.pages.html_page import document, shown
from cli.pages.rulebook_markdown import ADDRESS, anchor, circumstances, status_of
from cli.terminal.remarks import not_in_source, original, told
from cli.terminal.screen import safe
from domain.naming import ended
from domain.values import as_written
from projections.history import Remark
from projections.rulebook import LivingParagraph, MentionedTurn, OptionInForce, Rulebook, Trial
from projections.trials import Evidence

#: So many signs stand beside each other on a phone.
PHONE = 40
#: A name of the program among the words of a background.
CODE = re.compile(r"`([^`]+)`")
STYLE = """
:root { --link: #1f5fa8; } @media (prefers-color-scheme: dark) { :root { --link: #7db4f0; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
h2 { margin: 2.6rem 0 .6rem; }
h3 { font-size: 1.1rem; margin: 2rem 0 .3rem; }
h3 .number { color: var(--faint); font-weight: normal; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
p { margin: .4rem 0; }
.about, .where, .status { color: var(--faint); } .where, .status { font-size: .85em; }
nav ol { list-style: none; columns: 2 16rem; padding: 0; margin: 1rem 0; font-size: .95rem; }
nav li { break-inside: avoid; } nav a { display: flex; gap: .6rem; }
nav .number { flex: none; min-width: 2.2rem; color: var(--faint); }
details { margin: .6rem 0; border-left: 3px solid var(--line); padding-left: .8rem; font-size: .95em; }
summary { cursor: pointer; color: var(--faint); padding: .2rem 0; }
ul { padding-left: 1.1rem; } details ul { margin: .3rem 0; } details li { margin: .35rem 0; }
s { color: var(--faint); }
mark { background: var(--mark); color: inherit; padding: 0 .2rem; }
.table { overflow-x: auto; }
table { font-size: .92em; }
th, td { padding: .2rem .6rem .2rem 0; overflow-wrap: break-word; }
:target { background: var(--mark); }
@media (max-width: 30rem) {
  nav { max-height: 60vh; overflow-y: auto; border: 1px solid var(--line); padding: 0 .6rem; margin: 1rem 0; }
  nav ol { columns: 1; margin: .4rem 0; } nav a { padding: .25rem 0; } summary { padding: .5rem 0; }
  .wide thead { position: absolute; clip-path: inset(50%); } .wide, .wide tbody { display: block; }
  .wide tr { display: flex; flex-wrap: wrap; gap: 0 .9rem; padding: .35rem 0; border-bottom: 1px solid var(--line); }
  .wide td { border: 0; padding: 0; } .wide td:empty { display: none; }
  .wide td::before { content: attr(data-head) " "; color: var(--faint); } }
@media print { :root { --link: #000; } nav { display: none; } summary { break-after: avoid; list-style: none; }
  .table { overflow: visible; } }
"""


def page(book: Rulebook) -> str:
    """The whole page."""
    title = f"The rules of {book.campaign}"
    return document(title, STYLE, _parts(book, title))


def _parts(book: Rulebook, title: str) -> Iterator[str]:
    yield f"<h1>{shown(title)}</h1>"
    yield f'<p class="about">{shown(" · ".join(circumstances(book)))}</p>'
    yield '<nav aria-label="Paragraphs"><ol>'
    for paragraph in book.paragraphs:
        number, title = f'<span class="number">{shown(paragraph.rule)}</span>', shown(paragraph.title)
        name = f"<span>{title}</span>" if paragraph.in_force else f"<s>{title}</s>"
        yield f'<li><a href="#{_id(paragraph)}">{number} {name}</a></li>'
    yield "</ol></nav>\n<main>"
    mentioned = {mention.turn for mention in book.turns}
    for paragraph in book.paragraphs:
        yield from _paragraph(book, paragraph, mentioned)
    yield "</main>"
    if book.options:
        yield '<h2 id="options">Options in force</h2>'
        yield from _table(("rule", "option", "value", "default", "set by"), map(_option, book.options), wide=True)
    open_trials = [each for each in book.trials if each.came_to == "open"]
    if open_trials:
        yield '<h2 id="trials">On trial</h2>\n<ul>'
        yield from (f"<li>{_trial(book, each)}</li>" for each in open_trials)
        yield "</ul>"
    if book.turns:
        yield '<h2 id="turns">Turns that it speaks of</h2>\n<ul>'
        yield from map(_mention, book.turns)
        yield "</ul>"


def _id(paragraph: LivingParagraph) -> str:
    return escape(anchor(paragraph), quote=True)


def _paragraph(book: Rulebook, paragraph: LivingParagraph, mentioned: set[int]) -> Iterator[str]:
    number = f'<span class="number">{shown(paragraph.cited)}</span>'
    title = shown(paragraph.title)
    yield f'<section>\n<h3 id="{_id(paragraph)}">{number} {title if paragraph.in_force else f"<s>{title}</s>"}</h3>'
    text = shown(paragraph.text)
    yield f"<p>{text if paragraph.in_force else f'<s>{text}</s>'}</p>"
    for ruling in paragraph.rulings:
        if not ruling.set:
            what = shown(told(ruling).what)
            name = f'<a href="#R{ruling.ruling}">{what}</a>' if ruling.campaign is None else what
            yield f"<p>{name}: {shown(ended(ruling.text))}</p>"
    if status := status_of(paragraph):
        yield f'<p class="status">{shown(status)}</p>'
    if paragraph.not_in_source:
        yield f'<p class="status">{with_links(not_in_source(paragraph))}</p>'
    if paragraph.reason:
        yield f'<p class="status">Left to the table: {with_links(paragraph.reason)}</p>'
    if paragraph.at_hand:
        yield from _facts(paragraph.at_hand)
    if paragraph.background or paragraph.original or paragraph.history:
        # open, so that nothing is missing on paper; whoever reads on a screen may fold it
        yield "<details open><summary>History and notes</summary>"
        if paragraph.background:
            yield f"<p>{with_links(paragraph.background.strip())}</p>"
        if paragraph.original or paragraph.history:
            yield "<ul>"
            if paragraph.original is not None:
                what, words = original(paragraph.original)
                yield f"<li><strong>{what}</strong> {shown(words)}</li>"
            yield from (_remark(remark, book.evidence_at(remark), mentioned) for remark in paragraph.history)
            yield "</ul>"
        for wording in paragraph.wordings[:-1]:
            if wording.played is not None:
                yield f'<p class="status">Wording {wording.version} was {shown(ended(str(wording.played)))}</p>'
        yield "</details>"
    yield "</section>"


def _facts(facts: Sequence[Sequence[str]]) -> Iterator[str]:
    wide = sum(max(map(len, column)) for column in zip(*facts, strict=True)) > PHONE
    yield from _table(facts[0], ([shown(cell) for cell in row] for row in facts[1:]), wide=wide)


def _option(option: OptionInForce) -> list[str]:
    by = f'<a href="#R{option.ruling}">R{option.ruling}</a>' if option.ruling is not None else ""
    return [*map(shown, (option.rule, option.name, as_written(option.value), as_written(option.default))), by]


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, wide: bool) -> Iterator[str]:
    """A table of cells that are HTML. One that is `wide` is told line by line on a phone, each cell with its head."""
    yield f'<div class="table"><table{" class=wide" if wide else ""}><thead><tr>'
    yield "".join(f"<th>{shown(head)}</th>" for head in heads)
    yield "</tr></thead><tbody>"
    for row in rows:
        cells = (
            f'<td data-head="{escape(safe(head), quote=True)}">{cell}</td>'
            for head, cell in zip(heads, row, strict=True)
        )
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"


def with_links(text: str) -> str:
    """The words of a background as HTML: its addresses as links, and names of the program as such."""
    parts, end = [], 0
    for found in ADDRESS.finditer(text):
        address = escape(found[0], quote=True)
        parts += [shown(text[end : found.start()]), f'<a href="{address}" rel="noreferrer">{address}</a>']
        end = found.end()
    return CODE.sub(r"<code>\1</code>", "".join((*parts, shown(text[end:]))))


def _remark(remark: Remark, weighed: Evidence | None, mentioned: set[int]) -> str:
    said = told(remark)
    own = remark.campaign is None
    place = f' id="R{remark.ruling}"' if remark.ruling is not None and not remark.struck and own else ""
    where = shown(said.where)
    if own and remark.turn in mentioned:
        where = where.replace(f"T{remark.turn}", f'<a href="#T{remark.turn}">T{remark.turn}</a>', 1)
    why = f" <em>Why: {shown(said.why)}</em>" if said.why else ""
    words = f"{shown(said.words)}{why}{f' <code>{shown(said.sets)}</code>' if said.sets else ''}"
    after = [*said.more, *([weighed.told()] if weighed is not None else []), said.no_longer]
    parts = (
        f"<s>{words}</s>" if remark.no_longer and words else words,
        *(f"<mark>{shown(mark)}</mark>" for mark in said.marks),
        *(shown(part) for part in after if part),
    )
    what = f'<strong>{shown(said.what)}</strong> <span class="where">({where})</span>'
    return f"<li{place}>{what} {' '.join(part for part in parts if part)}</li>"


def _trial(book: Rulebook, trial: Trial) -> str:
    said = told(trial.remark)
    due = " <mark>Due now.</mark>" if trial.due else ""
    weighed = f" {shown(trial.evidence.told())}" if trial.evidence is not None else ""
    place = escape(f"rule-{trial.remark.rule}", quote=True)
    rule = f'<a href="#{place}">{shown(f"{book.cite} {trial.remark.rule}")}</a>'
    link = f'<a href="#{said.what}">{said.what}</a>'
    return f"{link} on {rule}: {shown(said.words)} {shown(said.marks[0])}{due}{weighed}"


def _mention(mention: MentionedTurn) -> str:
    by = f", {mention.by}" if mention.by else ""
    session = f"session {mention.session}, " if mention.session else ""
    where = f'<span class="where">({shown(f"{session}{mention.at:%Y-%m-%d}{by}")})</span>'
    sentence = shown(mention.sentence)
    body = sentence if mention.standing else f"<s>{sentence}</s>"
    return f'<li id="T{mention.turn}"><strong>T{mention.turn}</strong> {where} {body}</li>'
