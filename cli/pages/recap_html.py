"""A recap as one HTML page that loads nothing. Every word of the log passes `shown`, and no script may run."""

from collections.abc import Iterator, Sequence
from html import escape

from cli.pages.recap_markdown import circumstances, note_about, ruling_words, there
from cli.terminal.screen import safe
from domain.naming import called, ended
from domain.turn import Sentence, Struck
from projections.recap import Curve, Moment, Recap, Sheets

STYLE = """
:root { color-scheme: light dark; --ink: #222; --faint: #666; --line: #ccc; --paper: #fdfcf9; --mark: #fdf0c4;
  --c0: #1f5fa8; --c1: #b3401f; --c2: #2b7a3d; --c3: #7a3d99; --c4: #8a6400; --c5: #0f766e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e3dc; --faint: #a09c92; --line: #4a4842; --paper: #1c1b19;
  --mark: #4a3f14; --c0: #7db4f0; --c1: #f0926f; --c2: #86d092; --c3: #cf9cec; --c4: #e0b84c; --c5: #5fd0c4; } }
body { font: 1.05rem/1.55 Georgia, "Times New Roman", serif; color: var(--ink); background: var(--paper);
  max-width: 46rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.9rem; line-height: 1.2; margin-bottom: .2rem; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.4rem 0 .3rem; }
p.about, .turn { color: var(--faint); }
.turn { font-size: .8rem; white-space: nowrap; }
ul { padding-left: 1.2rem; } li { margin: .25rem 0; }
p.line { margin: .3rem 0; }
blockquote { margin: 1rem 0; padding-left: 1rem; border-left: 3px solid var(--line); font-style: italic; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; table-layout: fixed; }
th, td { text-align: left; vertical-align: top; padding: .15rem .6rem .15rem .3rem;
  border-bottom: 1px solid var(--line); }
code { font-size: .88em; }
th[scope=row], thead th { font-weight: normal; color: var(--faint); }
th:first-child { width: 22%; }
tr.changed td:last-child { background: var(--mark); font-weight: bold; }
svg { width: 100%; height: auto; font-family: system-ui, sans-serif; } .plot { font-size: 12px; }
svg text { fill: var(--ink); } svg .grid { stroke: var(--line); stroke-width: 1; } svg .tick { fill: var(--faint); }
svg polyline { fill: none; stroke-width: 2.2; stroke-linejoin: round; }
svg { overflow: visible; } .legend { display: none; } .legend svg { width: 2.2rem; vertical-align: middle; }
.legend span { white-space: nowrap; margin-right: .9rem; }
@media (max-width: 30rem) { body { margin: 1rem auto; } h1 { font-size: 1.5rem; } .plot { font-size: 22px; }
  .plot .name { display: none; } .legend { display: block; } th, td { padding-left: 0; } }
@page { margin: 16mm; }
@media print { :root { color-scheme: light; --ink: #000; --faint: #444; --line: #999; --paper: #fff; --mark: #eee;
  --c0: #1f5fa8; --c1: #b3401f; --c2: #2b7a3d; --c3: #7a3d99; --c4: #8a6400; --c5: #0f766e; }
  body { margin: 0; padding: 0; max-width: none; font-size: 10.5pt; } h2, h3 { break-after: avoid; }
  p, li { orphans: 3; widows: 3; } tr, svg, li, p.line { break-inside: avoid; } }
"""
COLOURS = 6
#: Told apart without colour too.
DASHES = ("", "7 3", "2 3", "10 3 2 3", "4 2", "1 2")

WIDTH, HEIGHT = 720, 260
LEFT, RIGHT, TOP, BOTTOM = 36, 130, 12, 24


def shown(text: str) -> str:
    """Words of the log as HTML shows them: as they are."""
    return escape(safe(text, lines=True)).replace("\n", "<br>")


def page(recap: Recap) -> str:
    """The whole page."""
    title = f"{recap.campaign}, session {recap.session}{f': {recap.title}' if recap.title else ''}"
    head = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        # the second lock: even a mistake above could neither run nor load anything
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{escape(safe(title))}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
    )
    return head + "\n".join(_parts(recap, title)) + "\n</body>\n</html>"


def _parts(recap: Recap, title: str) -> Iterator[str]:
    yield f"<h1>{shown(title)}</h1>"
    yield f'<p class="about">{shown(" · ".join(circumstances(recap)))}</p>'
    if recap.summary:
        yield f"<blockquote>{shown(recap.summary)}</blockquote>"
    yield from _list("Who was there", [shown(each) for each in there(recap)])
    if recap.lines:
        yield "<h2>What happened</h2>"
        yield from (f'<p class="line">{_sentence(line.parts)} {_turn(line.turn)}</p>' for line in recap.lines)
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
        yield plot(recap.curves, recap.measure, recap.last)
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


# -- the plot ------------------------------------------------------------------------------------------------


def plot(curves: Sequence[Curve], measure: str, last: int) -> str:
    """The curves up to turn `last` as stairs, each with its name at its end: a value holds until it is changed."""
    first = min(turn for curve in curves for turn, _ in curve.points)
    last = max(last, first + 1)
    most = max(1, *(value for curve in curves for _, value in curve.points))

    def across(turn: int) -> float:
        return LEFT + (turn - first) * (WIDTH - LEFT - RIGHT) / (last - first)

    def up(value: int) -> float:
        return HEIGHT - BOTTOM - value * (HEIGHT - TOP - BOTTOM) / most

    parts = []
    for value in _ticks(most):
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{up(value):.1f}" y2="{up(value):.1f}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 6}" y="{up(value) + 4:.1f}" text-anchor="end">{value}</text>')
    for turn, anchor in ((first, "start"), (last, "end")):
        place = f'x="{across(turn):.1f}" y="{HEIGHT - 6}"'
        parts.append(f'<text class="tick" {place} text-anchor="{anchor}">{f"T{turn}"}</text>')
    legend = []
    heights = _apart([up(curve.points[-1][1]) for curve in curves])
    for number, (curve, height) in enumerate(zip(curves, heights, strict=True)):
        colour, dash = f"var(--c{number % COLOURS})", DASHES[number % len(DASHES)]
        stairs = []
        for at, (turn, value) in enumerate(curve.points):
            if at:
                stairs.append(f"{across(turn):.1f},{up(curve.points[at - 1][1]):.1f}")
            stairs.append(f"{across(turn):.1f},{up(value):.1f}")
        stairs.append(f"{across(last):.1f},{up(curve.points[-1][1]):.1f}")
        look = f'style="stroke:{colour}"' + (f' stroke-dasharray="{dash}"' if dash else "")
        name = called(curve.character)
        sample = f'<svg viewBox="0 0 40 8" aria-hidden="true"><polyline points="0,4 40,4" {look}/></svg>'
        legend.append(f"<span>{sample} {shown_flat(name)} {curve.points[-1][1]}</span>")
        short = name if len(name) <= 16 else f"{name[:15]}…"
        drawn = f'<polyline points="{" ".join(stairs)}" {look}>'
        parts.append(f"{drawn}<title>{shown_flat(name)}</title></polyline>")
        parts.append(
            f'<text class="name" x="{WIDTH - RIGHT + 8}" y="{height + 4:.1f}" style="fill:{colour}">'
            f"{shown_flat(short)} {curve.points[-1][1]}</text>"
        )
    label = f"{measure.capitalize()} of each character from T{first} to T{last}"
    bottom = max(HEIGHT, *(int(height) + 12 for height in heights))
    return (
        f'<svg class="plot" viewBox="0 0 {WIDTH} {bottom}" role="img" aria-label="{escape(label)}">\n'
        + "\n".join(parts)
        + "\n</svg>\n"
        + f'<p class="legend">{" ".join(legend)}</p>'
    )


def shown_flat(text: str) -> str:
    """Words of the log where no line can be broken."""
    return escape(safe(text))


def _ticks(most: int) -> list[int]:
    """At most six round values from 0 up."""
    step = 1
    while most / step > 5:
        step *= 5 if str(step)[0] == "1" else 2
    return list(range(0, most + 1, step))


def _apart(heights: Sequence[float], gap: float = 15) -> list[float]:
    """The heights of the names, moved down until no two lie on each other."""
    placed = list(heights)
    below = float("-inf")
    for index in sorted(range(len(placed)), key=lambda each: placed[each]):
        placed[index] = below = max(placed[index], below + gap)
    return placed
