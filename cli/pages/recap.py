"""What a recap says, in blocks; from them come its Markdown, its HTML page and what a terminal shows."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest

from cli.pages.blocks import (
    Block,
    DataTable,
    FigureBlock,
    HeadingBlock,
    Link,
    ListBlock,
    ListItem,
    ParagraphBlock,
    Pieces,
    ProseBlock,
    Reference,
    Strong,
    as_markdown,
)
from cli.pages.text_plot import text_plot
from domain.naming import called, capitalised, ended, listed
from domain.registry import system_of
from domain.system.options import settings_in_words
from domain.system.paragraphs import with_title
from domain.turn import Struck
from projections.marks import marks_of, places_of
from projections.recap_document import Recap, RuleDecision, SheetRow, TurnInWords
from projections.sentences import turns_in_words
from projections.story import Passage, StoryLine

#: Sentences of a paragraph of the story, each with its turn.
MOST_SENTENCES = 6


def markdown_of(recap: Recap, *, full: bool = False, link: Link | None = None, fenced: bool = False) -> str:
    """The recap as Markdown, as `as_markdown` writes it. `full` adds every turn of the session."""
    return as_markdown(blocks_of(recap, full=full), link, fenced=fenced)


def page(recap: Recap) -> str:
    """The recap as one HTML page that loads nothing, with the corrections and every turn folded at its end."""
    from cli.pages import svg_plot
    from cli.pages.html_page import document
    from cli.pages.markdown import STYLE

    return document(heading(recap), STYLE + svg_plot.STYLE, [body(recap)])


def body(recap: Recap, link: Link = "#T{}".format) -> str:
    """The recap as HTML for the body of any page, with the corrections and every turn folded at its end."""
    from cli.pages.markdown import to_html

    return to_html(markdown_of(recap, full=True, link=link, fenced=True), figures(recap))


def figures(recap: Recap) -> dict[str, str]:
    """The pictures of a recap as HTML, by the names of their fenced blocks in its Markdown."""
    if not any(curve.points for curve in recap.curves):
        return {}
    from cli.pages import svg_plot

    label, places = f"{recap.measure.capitalize()} of each character", places_of(recap)
    return {"curves": svg_plot.svg(recap.curves, label, recap.last, marks_of(recap, places), places)}


def heading(recap: Recap) -> str:
    """The title of the page."""
    return f"{recap.campaign}, session {recap.session}{f': {recap.title}' if recap.title else ''}"


def _circumstances(recap: Recap) -> list[str]:
    """The date, the place, the rules and the range of turns, each as text."""
    return [
        recap.date or recap.began.date().isoformat(),
        *([recap.place] if recap.place else []),
        recap.rules,
        f"T{recap.first} to T{recap.last}{', still open' if recap.open else ''}",
    ]


def _there(recap: Recap) -> str:
    """A sentence about who took part, players with their characters first, and one about who was away."""
    parts = [f"{player} with {listed(map(called, names))}" for player, names in recap.players.items()]
    parts += map(called, recap.others)
    who = f"There: {'; '.join(parts)}." if parts else ""
    absentees = [f"{called(name)}{f' ({player})' if player else ''}" for name, player in recap.absent.items()]
    away = f"Not there: {listed(absentees)}." if absentees else ""
    partly = [f"{called(name)} ({listed(map(_span, spans))})" for name, spans in recap.away.items()]
    for_a_while = f"Away for a while: {listed(partly)}." if partly else ""
    return " ".join(part for part in (who, away, for_a_while) if part)


def _span(turns: tuple[int, int | None]) -> str:
    """From which turn to which somebody was away."""
    first, last = turns
    return f"from T{first} on" if last is None else f"T{first} to T{last}"


def blocks_of(recap: Recap, *, full: bool = False) -> Iterator[Block]:
    """What the recap says; `full` adds every turn of the session."""
    yield HeadingBlock(heading(recap), 1)
    yield ParagraphBlock((" · ".join(_circumstances(recap)),), faint=True)
    if who := _there(recap):
        yield ParagraphBlock((who,))
    if recap.summary:
        yield ProseBlock(recap.summary, quoted=True)
    if recap.story:
        yield HeadingBlock("What happened", 2)
        order = {line.turn: place for place, line in enumerate(recap.chronicle)}
        for passage in recap.story:
            yield from _passage(passage, order)
    moments = [
        ListItem((point.what, *((f" ({point.cause})",) if point.cause else ()), ". ", _at(point.turn)))
        for point in recap.moments
    ]
    yield from _section("Turning points", moments)
    overridden = (ListItem((*override.parts, " ", _at(override.turn))) for override in recap.overrides)
    rulings = (_ruling(decision, recap.rules) for decision in recap.rulings)
    yield from _section("Rulings and decisions", [*rulings, *overridden])
    yield from _section("Still open", [ListItem((sentence,)) for sentence in recap.still_open])
    if any(curve.points for curve in recap.curves):
        yield HeadingBlock(f"{recap.measure.capitalize()} over the evening", 2)
        yield FigureBlock("curves", list(text_plot(recap)))
    yield from _sheets(recap)
    if recap.corrections:
        late = any(correction.is_late_entry for correction in recap.corrections)
        yield HeadingBlock("Corrections and late entries" if late else "Corrections", 2)
        yield ListBlock([ListItem((correction.line,)) for correction in recap.corrections], _mistakes(recap))
    if full:
        yield HeadingBlock("The whole chronicle", 2)
        yield ListBlock(
            [ListItem(_line(line), line.turn) for line in recap.chronicle], f"All {len(recap.chronicle)} turns"
        )
    if recap.seal is not None:
        yield ParagraphBlock((f"Seal: {recap.seal}",), faint=True)


def _at(turn: int) -> Reference:
    return Reference(f"T{turn}", turn)


def _passage(passage: Passage, order: Mapping[int, int]) -> Iterator[Block]:
    """A passage; `order`: turn -> its place in the evening."""
    if passage.title is not None:
        yield HeadingBlock(passage.title, 3)
    run: list[str | Reference] = []
    turns: list[int] = []
    sentences = 0
    for line, after in zip_longest(passage.lines, passage.lines[1:]):
        if line.kind == "note":
            yield ProseBlock(_as_sentence(line.parts[0]), _note_reference(line))
            continue
        run += [*([" "] if run else []), *line.parts]
        sentences += 1
        turns = sorted({*turns, *line.turns}, key=order.__getitem__)
        # sentences about the same stretch of the evening have one reference, behind the last of them
        goes_on = after is not None and after.kind != "note" and order[after.turns[0]] <= order[turns[-1]]
        if not goes_on:
            run += [" ", _reference(turns)]
            turns = []
        if after is None or after.kind == "note" or (sentences >= MOST_SENTENCES and not goes_on):
            yield ParagraphBlock(run)
            run, sentences = [], 0


def _as_sentence(note: str) -> str:
    """A note with a capital and a full stop, as notes are typed in a hurry."""
    return f"{capitalised(note).rstrip()}{'.' if note.rstrip()[-1:].isalnum() else ''}"


def _reference(turns: Sequence[int]) -> Reference:
    first, last = min(turns), max(turns)
    if len(turns) < 3 or last - first < len(turns):
        return Reference(turns_in_words(turns), first)
    # what was entered late stands where it happened, with a later number
    late = [turn for turn, after in pairwise(turns) if turn > after]
    if late:
        return Reference(listed((_between(sorted({*turns} - {*late})), *(f"T{turn}" for turn in late))), first)
    return Reference(_between(turns), first)


def _between(turns: Sequence[int]) -> str:
    """From the first to the last turn of a sum; the turns between them may tell other things."""
    return turns_in_words(turns) if len(turns) < 3 else f"T{turns[0]} to T{turns[-1]}"


def _note_reference(line: StoryLine) -> Reference:
    number = line.turns[0]
    words = [f"T{number}", *([line.by] if line.by else []), *([f"on {line.about}"] if line.about else [])]
    return Reference(", ".join(words), number)


def _section(title: str, items: Sequence[ListItem]) -> Iterator[Block]:
    if items:
        yield HeadingBlock(title, 2)
        yield ListBlock(items)


def _ruling(decision: RuleDecision, rules: str) -> ListItem:
    what, why, sets = ruling_words(decision, rules)
    reason = (" Why: ", why) if why else ()
    return ListItem((what, *reason, *((f" ({sets})",) if sets else ()), " ", _at(decision.turn)))


def _sheets(recap: Recap) -> Iterator[Block]:
    sheets = [sheet for sheet in recap.sheets if not sheet.is_foe and any(row.changed for row in sheet.fields)]
    tracked_rows = [row for row in recap.tracked if row.before != row.after]
    if not sheets and not tracked_rows and not recap.fates:
        return
    yield HeadingBlock("What changed on the sheets", 2)
    if recap.fates:
        yield ParagraphBlock((" ".join(recap.fates),))
    for sheet in sheets:
        yield HeadingBlock(f"{called(sheet.character)}{f' ({sheet.player})' if sheet.player else ''}", 3)
        first = "joined with" if any(row.joined_with is not None for row in sheet.fields) else "before"
        yield _rows(first, [row for row in sheet.fields if row.changed])
    if tracked_rows:
        yield HeadingBlock("The table", 3)
        yield _rows("before", tracked_rows)


def _rows(first: str, rows: Sequence[SheetRow]) -> DataTable:
    """What changed, with the heading of the column of first values."""
    return DataTable(
        ("", first, "after"),
        [_cells(row) for row in rows],
    )


def _cells(row: SheetRow) -> tuple[str, ...]:
    """The cells of one row; of a list only what came and left, where some of it stayed."""
    first, after = row.in_short or (row.first, row.after)
    return row.name.replace("_", " "), "–" if first is None else first, Strong(after or "–")


def _line(line: TurnInWords) -> Pieces:
    number = (Strong(f"T{line.turn}"), " ")
    if line.undone_by is not None:
        return (*number, Struck("".join(line.parts).strip()), f" undone by T{line.undone_by}")
    return (*number, *line.parts)


def _mistakes(recap: Recap) -> str:
    late = sum(correction.is_late_entry for correction in recap.corrections)
    count = len(recap.corrections) - late
    mistakes = "One mistake that was set right" if count == 1 else f"{count} mistakes that were set right"
    entries = "one late entry" if late == 1 else f"{late} late entries"
    return mistakes if not late else f"{mistakes}, {entries}" if count else entries.capitalize()


def ruling_words(decision: RuleDecision, rules: str) -> tuple[str, str, str]:
    """What was decided under the rules of this key, why, and which options hold."""
    if decision.sentence is not None:
        return decision.sentence, "", ""
    if decision.ended:
        what = f"R{decision.ruling} ends."
    else:
        on_trial = " (on trial)" if decision.trial else ""
        what = f"R{decision.ruling} on {with_title(rules, decision.rule or '')}{on_trial}: {ended(decision.text or '')}"
    sets = settings_in_words(system_of(rules).options, decision.sets) if decision.sets else ""
    return what, ended(decision.why) if decision.why else "", sets
