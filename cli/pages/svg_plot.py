"""Numbers over turns as a picture in HTML, which loads nothing and needs no style of its own elements."""

from collections.abc import Sequence
from html import escape
from typing import Protocol

from cli.terminal.screen import safe
from domain.naming import called

#: What the page that shows it carries in its style. The page says what --ink, --faint and --line are.
STYLE = """
:root { --c0: #1f5fa8; --c1: #b3401f; --c2: #2b7a3d; --c3: #7a3d99; --c4: #8a6400; --c5: #0f766e; }
@media screen and (prefers-color-scheme: dark) { :root { --c0: #7db4f0; --c1: #f0926f; --c2: #86d092; --c3: #cf9cec;
  --c4: #e0b84c; --c5: #5fd0c4; } }
.plot { width: 100%; height: auto; font: 12px system-ui, sans-serif; overflow: visible; }
.plot text { fill: var(--ink); } .plot .grid { stroke: var(--line); stroke-width: 1; }
.plot .tick { fill: var(--faint); }
.plot polyline, .legend polyline { fill: none; stroke-width: 2.2; stroke-linejoin: round; }
polyline.c0 { stroke: var(--c0); } polyline.c1 { stroke: var(--c1); } polyline.c2 { stroke: var(--c2); }
polyline.c3 { stroke: var(--c3); } polyline.c4 { stroke: var(--c4); } polyline.c5 { stroke: var(--c5); }
.plot text.c0 { fill: var(--c0); } .plot text.c1 { fill: var(--c1); } .plot text.c2 { fill: var(--c2); }
.plot text.c3 { fill: var(--c3); } .plot text.c4 { fill: var(--c4); } .plot text.c5 { fill: var(--c5); }
.legend { display: none; } .legend svg { width: 2.2rem; vertical-align: middle; }
.legend span { display: inline-block; margin-right: .9rem; }
@media (max-width: 30rem) { .plot { font-size: 22px; aspect-ratio: 600 / 260; } .plot .name { display: none; }
  .legend { display: block; } }
"""
#: On a phone the names stand below, and what held them beside the curves is cut off.
NARROW = 'preserveAspectRatio="xMinYMin slice"'
COLOURS = 6
#: Told apart without colour too.
DASHES = ("", "7 3", "2 3", "10 3 2 3", "4 2", "1 2")

WIDTH, HEIGHT = 720, 260
LEFT, RIGHT, TOP, BOTTOM = 36, 130, 12, 24


class PlottedCourse(Protocol):
    """How one character's number went: (turn, value) at every change."""

    @property
    def character(self) -> str: ...

    @property
    def points(self) -> Sequence[tuple[int, int]]: ...


def svg(courses: Sequence[PlottedCourse], label: str, last: int) -> str:
    """The courses up to turn `last` as stairs, each with its name at its end: a value holds until it is changed."""
    first = min(turn for course in courses for turn, _ in course.points)
    last = max(last, first + 1)
    most = max(1, *(value for course in courses for _, value in course.points))

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
    heights = _apart([up(course.points[-1][1]) for course in courses])
    for number, (course, height) in enumerate(zip(courses, heights, strict=True)):
        colour, dash = f"c{number % COLOURS}", DASHES[number % len(DASHES)]
        stairs = []
        for at, (turn, value) in enumerate(course.points):
            if at:
                stairs.append(f"{across(turn):.1f},{up(course.points[at - 1][1]):.1f}")
            stairs.append(f"{across(turn):.1f},{up(value):.1f}")
        stairs.append(f"{across(last):.1f},{up(course.points[-1][1]):.1f}")
        look = f'class="{colour}"' + (f' stroke-dasharray="{dash}"' if dash else "")
        name = called(course.character)
        sample = f'<svg viewBox="0 0 40 8" aria-hidden="true"><polyline points="0,4 40,4" {look}/></svg>'
        legend.append(f"<span>{sample} {shown_flat(name)} {course.points[-1][1]}</span>")
        short = _as_fits(name, RIGHT - 8 - _breadth(f" {course.points[-1][1]}"))
        drawn = f'<polyline points="{" ".join(stairs)}" {look}>'
        parts.append(f"{drawn}<title>{shown_flat(name)}</title></polyline>")
        parts.append(
            f'<text class="name {colour}" x="{WIDTH - RIGHT + 8}" y="{height + 4:.1f}">'
            f"{shown_flat(short)} {course.points[-1][1]}</text>"
        )
    heard = shown_flat(f"{label} from T{first} to T{last}")
    bottom = max(HEIGHT, *(int(height) + 12 for height in heights))
    return (
        f'<svg class="plot" viewBox="0 0 {WIDTH} {bottom}" {NARROW} role="img" aria-label="{heard}">\n'
        + "\n".join(parts)
        + "\n</svg>\n"
        + f'<p class="legend">{" ".join(legend)}</p>'
    )


def shown_flat(text: str) -> str:
    """Words of the log where no line can be broken."""
    return escape(safe(text))


def _as_fits(name: str, room: float) -> str:
    """A name, or as much of it as stands beside the curves."""
    if _breadth(name) <= room:
        return name
    while name and _breadth(f"{name}…") > room:
        name = name[:-1]
    return f"{name}…"


def _breadth(text: str) -> float:
    """About how much room words of 12 pixels take: no font is known here."""
    return sum(16 if sign > "\u10ff" else 12 if sign in "MWmw" else 9 if sign.isupper() else 6.3 for sign in text)


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
