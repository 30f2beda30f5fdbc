"""A recap as one HTML page that loads nothing. Every word of the log passes `shown`, and no script may run."""

from collections.abc import Iterator, Sequence

from cli.pages import svg_plot
from cli.pages.html_page import document, shown
from cli.pages.recap_markdown import circumstances, note_about, ruling_words, there
from domain.naming import called, ended
from domain.turn import Sentence, Struck
from projections.recap import Moment, Recap, Sheets

STYLE = """
h2 { margin: 2.2rem 0 .6rem; }
h3 { font-size: 1.05rem; margin: 1.4rem 0 .3rem; }
p.about, .turn { color: var(--faint); }
.turn { font-size: .8rem; font-weight: normal; }
ul { padding-left: 1.2rem; } li { margin: .25rem 0; }
p.line { margin: .3rem 0; }
blockquote { margin: 1rem 0; padding-left: 1rem; border-left: 3px solid var(--line); font-style: italic; }
table { font-size: .92rem; table-layout: fixed; }
th, td { padding: .15rem .6rem .15rem .3rem; }
th[scope=row] { font-weight: normal; color: var(--faint); }
th:first-child { width: 22%; }
tr.changed td:last-child { background: var(--mark); font-weight: bold; }
@media (max-width: 30rem) { th, td { padding-left: 0; } }
@media print { svg, p.line { break-inside: avoid; } }
"""


def page(recap: Recap) -> str:
    """The whole page."""
    title = f"{recap.campaign}, session {recap.session}{f': {recap.title}' if recap.title else ''}"
    return document(title, STYLE + svg_plot.STYLE, _parts(recap, title))


def _parts(recap: Recap, title: str) -> Iterator[str]:
    yield f"<h1>{shown(title)}</h1>"
    yield f'<p class="about">{shown(" · ".join(circumstances(recap)))}</p>'
    if recap.summary:
        yield f"<blockquote>{shown(recap.summary)}</blockquote>"
    yield from _list("Who was there", [shown(each) for each in there(recap)])
    if recap.lines:
        yield "<h2>What happened</h2>"
        for line in recap.lines:
            told = f"{_sentence(line.parts)} {_turn(line.turn)}"
            yield f"<h3>{told}</h3>" if line.opens_part else f'<p class="line">{told}</p>'
    yield from _list("Turning points", [*map(_moment, recap.moments)])
    yield from _list("Corrections", [*map(_moment, recap.corrections)])
    rulings = []
    for ruled in recap.rulings:
        what, why, sets = ruling_words(ruled)
        reason = f" <em>Why: {shown(why)}</em>" if why else ""
        rulings.append(f"{shown(what)}{reason}{f' <code>{shown(sets)}</code>' if sets else ''} {_turn(ruled.turn)}")
    yield from _list("Rulings", rulings)
    yield from _list(
        "Notes",
        [f'{shown(ended(note.text))} <span class="turn">{shown(note_about(note))}</span>' for note in recap.notes],
    )
    if any(curve.points for curve in recap.curves):
        yield f"<h2>{shown(recap.measure.capitalize())} over the evening</h2>"
        label = f"{recap.measure.capitalize()} of each character"
        yield svg_plot.svg(recap.curves, label, recap.last)
    if recap.sheets:
        yield "<h2>Sheets before and after</h2>"
        yield from map(_sheet, recap.sheets)
    if recap.seal is not None:
        yield f'<p class="about">{shown(f"Seal: {recap.seal}")}</p>'


def _moment(moment: Moment) -> str:
    return f"<strong>{shown(moment.what)}.</strong> {shown(moment.sentence)} {_turn(moment.turn)}"


def _turn(number: int) -> str:
    return f'<span class="turn">T{number}</span>'


def _list(title: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield f"<h2>{title}</h2>\n<ul>"
        yield from (f"<li>{item}</li>" for item in items)
        yield "</ul>"


def _sentence(parts: Sentence) -> str:
    return "".join(f"<s>{shown(part)}</s>" if isinstance(part, Struck) else shown(part) for part in parts)


def _sheet(sheet: Sheets) -> str:
    player = f" ({sheet.player})" if sheet.player else ""
    rows = "\n".join(
        f"<tr{' class=changed' if field.changed else ''}><th scope=row>{shown(field.name.replace('_', ' '))}</th>"
        f"<td>{shown(field.before or '–')}</td><td>{shown(field.after or '–')}</td></tr>"
        for field in sheet.fields
    )
    return (
        f"<h3>{shown(called(sheet.character) + player)}</h3>\n<table>\n"
        f"<thead><tr><th></th><th>before</th><th>after</th></tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
    )
