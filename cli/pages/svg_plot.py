"""Curves of numbers over turns, drawn as SVG inside an HTML page."""

from collections.abc import Sequence

from cli.pages.html_page import escape_line
from domain.naming import called
from projections.marks import Mark, Places
from projections.recap_document import Curve

#: Eight colours that are distinguishable without telling red from green, and eight dash patterns: no two of 64 curves
#: look alike, and no two of the first eight share a colour or a pattern.
COLOURS = 8
DASHES = ("", "7 3", "2 3", "10 3 2 3", "4 2", "12 4", "1 2", "6 2 1 2 1 2")
#: Style rules for a page with such a picture; --ink, --faint, --line and --paper are the page's.
STYLE = (
    """
:root { --c0: #0072b2; --c1: #c24e00; --c2: #00795a; --c3: #a3487f; --c4: #8a6400; --c5: #3b3b3b; --c6: #5b4bb3;
  --c7: #2a7f9e; }
@media screen and (prefers-color-scheme: dark) { :root { --c0: #56b4e9; --c1: #f2853d; --c2: #2fc79c; --c3: #e29cc6;
  --c4: #e6b422; --c5: #e8e8e8; --c6: #a99cf5; --c7: #7fd3ea; } }
.plot { width: 100%; height: auto; font: 12px system-ui, sans-serif; overflow: visible; }
.plot text { fill: var(--ink); } .plot .grid { stroke: var(--line); stroke-width: 1; }
.plot .tick { fill: var(--faint); }
.plot polyline, .legend polyline { fill: none; stroke-width: 2.2; stroke-linejoin: round; }
"""
    + "\n".join(
        f"polyline.c{colour} {{ stroke: var(--c{colour}); }} .plot text.c{colour} {{ fill: var(--c{colour}); }}"
        for colour in range(COLOURS)
    )
    + """
.plot .mark circle { fill: var(--paper); stroke: var(--ink); stroke-width: 1.2; }
.plot .mark text { font-size: 10px; text-anchor: middle; }
.legend { display: none; } .legend svg { width: 2.2rem; vertical-align: middle; }
.legend span { display: inline-block; margin-right: .9rem; }
.marks { list-style: none; padding: 0; font-size: .9em; color: var(--faint); } .marks b { color: var(--ink); }
@media (max-width: 30rem) { .plot { font-size: 22px; aspect-ratio: 600 / 260; } .plot .name { display: none; }
  .plot polyline { stroke-width: 4; }
  .plot .mark text { font-size: 16px; } .plot .mark circle { r: 13px; } .legend { display: block; } }
"""
)
#: On a phone the names stand in the legend below, and the margin that holds them on wide screens is cut off.
NARROW = 'preserveAspectRatio="xMinYMin slice"'

#: Every turn at its number.
NUMBERS = Places()
WIDTH, HEIGHT = 720, 260
LEFT, RIGHT, TOP, BOTTOM = 36, 130, 12, 24


def svg(
    courses: Sequence[Curve],
    label: str,
    last: int,
    marks: Sequence[Mark] = (),
    places: Places = NUMBERS,
) -> str:
    """The courses up to turn `last` as HTML: steps, as a value holds until the next, with the names at their ends.

    The signs of the marks are drawn on the curves and explained below the picture.
    """
    first, last = _first_and_last(courses, last)
    parts, height, legend = _drawn(courses, first, last, marks, places)
    label_text = escape_line(f"{label} from T{first} to T{last}")
    return (
        f'<svg class="plot" viewBox="0 0 {WIDTH} {height}" {NARROW} role="img" aria-label="{label_text}">\n'
        + "\n".join(parts)
        + "\n</svg>\n"
        + f'<p class="legend">{" ".join(legend)}</p>'
        + (f'<ul class="marks">{"".join(map(_meaning, marks))}</ul>' if marks else "")
    )


def _first_and_last(courses: Sequence[Curve], last: int) -> tuple[int, int]:
    """The turns at both sides of a picture up to turn `last`."""
    first = min(turn for course in courses for turn, _ in course.points)
    return first, max(last, first + 1)


def _drawn(
    courses: Sequence[Curve], first: int, last: int, marks: Sequence[Mark] = (), places: Places = NUMBERS
) -> tuple[list[str], int, list[str]]:
    """The parts of a picture, its height, and the entries of its legend."""
    most = max(1, *(value for course in courses for _, value in course.points))

    def across(place: float) -> float:
        return LEFT + (place - first) * (WIDTH - LEFT - RIGHT) / (last - first)

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
    heights = _apart([up(course.points[-1][1]) for course in courses])
    for number, (course, height) in enumerate(zip(courses, heights, strict=True)):
        colour, dash = f"c{number % COLOURS}", DASHES[(number + number // COLOURS) % len(DASHES)]
        stairs = []
        for at, (turn, value) in enumerate(course.points):
            x = across(places[turn])
            if at:
                stairs.append(f"{x:.1f},{up(course.points[at - 1][1]):.1f}")
            stairs.append(f"{x:.1f},{up(value):.1f}")
        stairs.append(f"{across(last):.1f},{up(course.points[-1][1]):.1f}")
        look = f'class="{colour}"' + (f' stroke-dasharray="{dash}"' if dash else "")
        name = called(course.character)
        sample = f'<svg viewBox="0 0 40 8" aria-hidden="true"><polyline points="0,4 40,4" {look}/></svg>'
        legend.append(f"<span>{sample} {escape_line(name)} {course.points[-1][1]}</span>")
        short = _as_fits(name, RIGHT - 8 - _breadth(f" {course.points[-1][1]}"))
        polyline = f'<polyline points="{" ".join(stairs)}" {look}>'
        parts.append(f"{polyline}<title>{escape_line(name)}</title></polyline>")
        parts.append(
            f'<text class="name {colour}" x="{WIDTH - RIGHT + 8}" y="{height + 4:.1f}">'
            f"{escape_line(short)} {course.points[-1][1]}</text>"
        )
    for mark in marks:
        x, y = across(places[mark.turn]), up(mark.value)
        parts.append(
            f'<g class="mark"><title>{escape_line(mark.meaning)}</title><circle cx="{x:.1f}" cy="{y:.1f}" r="7"/>'
            f'<text x="{x:.1f}" y="{y + 3.5:.1f}">{escape_line(mark.sign)}</text></g>'
        )
    return parts, max(HEIGHT, *(int(height) + 12 for height in heights)), legend


#: The colours of a picture that is a file of its own, on any paper.
ON_PAPER = {"--ink": "#222", "--faint": "#666", "--line": "#ccc", "--paper": "#fdfcf9"}
#: The height of a title above a picture.
HEAD = 30


def svg_file(title: str, courses: Sequence[Curve], last: int) -> str:
    """The courses as an SVG file that needs nothing else, below their title."""
    parts, bottom, _ = _drawn(courses, *_first_and_last(courses, last))
    height = bottom + HEAD
    style = STYLE.partition("@media (max-width")[0]
    for name, colour in ON_PAPER.items():
        style = style.replace(f"var({name})", colour)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">\n'
        f"<style>{style}</style>\n"
        f'<rect width="{WIDTH}" height="{height}" fill="{ON_PAPER["--paper"]}"/>\n'
        f'<text x="{LEFT}" y="20" font-family="sans-serif" font-weight="bold">{escape_line(title)}</text>\n'
        f'<g class="plot" transform="translate(0 {HEAD})">\n' + "\n".join(parts) + "\n</g>\n</svg>\n"
    )


def _meaning(mark: Mark) -> str:
    return f"<li><b>{escape_line(mark.sign)}</b> {escape_line(mark.meaning)}</li>"


def _as_fits(name: str, room: float) -> str:
    """The name, cut to `room` pixels with an ellipsis."""
    if _breadth(name) <= room:
        return name
    while name and _breadth(f"{name}…") > room:
        name = name[:-1]
    return f"{name}…"


def _breadth(text: str) -> float:
    """The width in pixels of a text of 12 pixels, estimated, as the font is not known."""
    return sum(16 if sign > "\u10ff" else 12 if sign in "MWmw" else 9 if sign.isupper() else 6.3 for sign in text)


def _ticks(most: int) -> list[int]:
    """At most six round values from 0 up."""
    step = 1
    while most / step > 5:
        step *= 5 if str(step)[0] == "1" else 2
    return list(range(0, most + 1, step))


def _apart(heights: Sequence[float]) -> list[float]:
    """The heights of the names, moved down until neighbours are 15 pixels apart."""
    places = list(heights)
    below = float("-inf")
    for index in sorted(range(len(places)), key=lambda place: places[place]):
        places[index] = below = max(places[index], below + 15)
    return places
