"""The layout of a recap, written as Markdown; the HTML page and the terminal render that Markdown.

All text of the log passes `escaped` or `prose`, so that none of it can mark anything up.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest

from cli.pages import svg_plot
from cli.pages.escaping import escaped, prose
from cli.pages.html_page import document
from cli.pages.text_plot import marks_of, text_plot
from cli.terminal.screen import safe
from domain.naming import called, ended, listed
from domain.turn import Sentence, Struck
from domain.values import assigned
from projections.recap import Recap, Ruled, Sheets, TurnInWords
from projections.story import Passage, StoryLine

#: The address of a turn, by its number.
Link = Callable[[int], str]


def markdown_of(recap: Recap, *, full: bool = False, link: Link | None = None, fenced: bool = False) -> str:
    """The recap as Markdown. `full` adds every turn of the session; without `link` turns are named but not linked.

    The curves are an indented block, which reads well as it is; `fenced` names it, for what paints a picture instead.
    """
    return "\n".join(_Recap(recap, link).parts(full=full, fenced=fenced)).strip("\n")


def page(recap: Recap) -> str:
    """The recap as one HTML page that loads nothing, with the corrections and every turn folded at its end."""
    from cli.pages.markdown import STYLE

    return document(plain_heading(recap), STYLE + svg_plot.STYLE, [body(recap)])


def body(recap: Recap, *, full: bool = True, link: Link = "#T{}".format) -> str:
    """The recap as HTML for the body of any page."""
    from cli.pages.markdown import to_html

    return to_html(markdown_of(recap, full=full, link=link, fenced=True), figures(recap))


def figures(recap: Recap) -> dict[str, str]:
    """The pictures of a recap as HTML, by the names of their fenced blocks in its Markdown."""
    if not any(curve.points for curve in recap.curves):
        return {}
    label = f"{recap.measure.capitalize()} of each character"
    return {"curves": svg_plot.svg(recap.curves, label, recap.last, marks_of(recap))}


def plain_heading(recap: Recap) -> str:
    """The title of the page."""
    return f"{recap.campaign}, session {recap.session}{f': {recap.title}' if recap.title else ''}"


def circumstances(recap: Recap) -> list[str]:
    """The date, the place, the rules and the range of turns, each as text."""
    return [
        recap.date or recap.began.strftime("%Y-%m-%d"),
        *([recap.place] if recap.place else []),
        recap.rules,
        f"T{recap.first} to T{recap.last}{', still open' if recap.open else ''}",
    ]


def there(recap: Recap) -> str:
    """A sentence about who took part, players with their characters first, and one about who was away."""
    parts = [f"{player} with {listed(map(called, names))}" for player, names in recap.players.items()]
    parts += map(called, recap.others)
    who = f"There: {'; '.join(parts)}." if parts else ""
    missed = [f"{called(name)}{f' ({player})' if player else ''}" for name, player in recap.absent.items()]
    away = f"Not there: {listed(missed)}." if missed else ""
    return " ".join(part for part in (who, away) if part)


class _Recap:
    """Writes the sections of one recap as lines of Markdown."""

    def __init__(self, recap: Recap, link: Link | None) -> None:
        self.recap, self.link = recap, link

    def parts(self, *, full: bool, fenced: bool) -> Iterator[str]:
        recap = self.recap
        yield f"# {escaped(plain_heading(recap))}"
        yield from ("", f"*{escaped(' · '.join(circumstances(recap)))}*")
        if who := there(recap):
            yield from ("", escaped(who))
        if recap.summary:
            yield ""
            yield from (f"> {line}" for line in prose(recap.summary).split("\n"))
        if recap.story:
            yield from ("", "## What happened")
            for passage in recap.story:
                yield from self._passage(passage)
        moments = [
            f"{escaped(point.what)}{f' ({escaped(point.cause)})' if point.cause else ''}. {self.turn(point.turn)}"
            for point in recap.moments
        ]
        yield from _section("Turning points", moments)
        decided = [*map(self._ruling, recap.rulings), *map(self._overridden, recap.overrides)]
        yield from _section("Rulings and decisions", decided)
        if any(curve.points for curve in recap.curves):
            curves = [safe(line) for line in text_plot(recap)]
            yield from ("", f"## {recap.measure.capitalize()} over the evening", "")
            yield from ("````figure curves", *curves, "````") if fenced else (f"    {line}".rstrip() for line in curves)
        yield from self._sheets()
        if recap.corrections:
            yield from ("", "## Corrections", "", f"<details><summary>{_mistakes(recap)}</summary>", "")
            yield from (f"- {escaped(correction.line)}" for correction in recap.corrections)
            yield from ("", "</details>")
        if full:
            count = f"All {len(recap.chronicle)} turns"
            yield from ("", "## The whole chronicle", "", f"<details><summary>{count}</summary>", "")
            yield from map(self._line, recap.chronicle)
            yield from ("", "</details>")
        if recap.seal is not None:
            yield from ("", f"*Seal: {escaped(recap.seal)}*")

    def turn(self, number: int) -> str:
        """The number of a turn, linked if there is a link."""
        return f"(T{number})" if self.link is None else f"[T{number}]({self.link(number)})"

    def _passage(self, passage: Passage) -> Iterator[str]:
        if passage.title is not None:
            yield from ("", f"### {escaped(passage.title)}")
        run: list[str] = []
        for line, after in zip_longest(passage.lines, passage.lines[1:]):
            if line.kind == "note":
                yield from ("", f"{prose(line.parts[0])} {self._note_reference(line)}")
                continue
            run.append(sentence(line.parts))
            if after is None or after.turns != line.turns:
                run.append(self._reference(line.turns))
            if after is None or after.kind == "note":
                yield from ("", " ".join(run))
                run = []

    def _reference(self, turns: Sequence[int]) -> str:
        if len(turns) == 1:
            return self.turn(turns[0])
        # what was entered late stands where it happened, with a later number
        first, last = min(turns), max(turns)
        if self.link is None:
            return f"(T{first} to T{last})"
        return f"[T{first} to T{last}]({self.link(first)})"

    def _note_reference(self, line: StoryLine) -> str:
        more = ", ".join([*([line.by] if line.by else []), *([f"on {line.about}"] if line.about else [])])
        number = line.turns[0]
        if self.link is None:
            return f"(T{number}{f', {escaped(more)}' if more else ''})"
        return f"[T{number}{f', {escaped(more)}' if more else ''}]({self.link(number)})"

    def _ruling(self, ruled: Ruled) -> str:
        what, why, sets = ruling_words(ruled)
        reason = f" Why: {escaped(why)}" if why else ""
        return f"{escaped(what)}{reason}{f' ({escaped(sets)})' if sets else ''} {self.turn(ruled.turn)}"

    def _overridden(self, override: TurnInWords) -> str:
        return f"{sentence(override.parts)} {self.turn(override.turn)}"

    def _sheets(self) -> Iterator[str]:
        sheets = [sheet for sheet in self.recap.sheets if not sheet.is_foe and any(row.changed for row in sheet.fields)]
        if not sheets and not self.recap.fates:
            return
        yield from ("", "## What changed on the sheets")
        if self.recap.fates:
            yield from ("", escaped(" ".join(self.recap.fates)))
        for sheet in sheets:
            yield from _sheet(sheet)

    def _line(self, line: TurnInWords) -> str:
        place = f'<a id="T{line.turn}"></a>' if self.link is not None else ""
        words = sentence(line.parts)
        if line.undone_by is not None:
            words = f"~~{escaped(''.join(line.parts).strip())}~~ undone by T{line.undone_by}"
        return f"- {place}**T{line.turn}** {words}"


def _section(title: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield from ("", f"## {title}", "")
        yield from (f"- {item}" for item in items)


def _mistakes(recap: Recap) -> str:
    count = len(recap.corrections)
    return "One mistake that was set right" if count == 1 else f"{count} mistakes that were set right"


def sentence(parts: Sentence) -> str:
    """A sentence as Markdown, with the parts that no longer count struck through."""
    return "".join(
        f"{' ' if part[:1] == ' ' else ''}~~{escaped(part.strip())}~~{' ' if part[-1:] == ' ' else ''}"
        if isinstance(part, Struck) and part.strip()
        else escaped(part)
        for part in parts
    )


def ruling_words(ruled: Ruled) -> tuple[str, str, str]:
    """What was ruled, why, and which options hold."""
    if ruled.sentence is not None:
        return ruled.sentence, "", ""
    if ruled.ended:
        what = f"R{ruled.ruling} ends."
    else:
        what = f"R{ruled.ruling} on {ruled.rule}{' (on trial)' if ruled.trial else ''}: {ended(ruled.text or '')}"
    sets = assigned(ruled.sets)
    return what, ended(ruled.why) if ruled.why else "", sets if ruled.sets else ""


def _sheet(sheet: Sheets) -> Iterator[str]:
    player = f" ({escaped(sheet.player)})" if sheet.player else ""
    first = "joined with" if any(row.joined_with is not None for row in sheet.fields) else "before"
    yield from ("", f"### {escaped(called(sheet.character))}{player}", "", f"| | {first} | after |", "|---|---|---|")
    for row in sheet.fields:
        if row.changed:
            name = escaped(row.name.replace("_", " "))
            before, after = (escaped(value) if value is not None else "–" for value in (row.first, row.after))
            yield f"| {name} | {before} | **{after}** |"
