"""Show what differs between two places in the log.

The sheets side by side, field by field. Without a range, show what the last turn changed.

Examples:
  campaign diff
  campaign diff T5..T20
  campaign diff S1
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import zip_longest
from typing import Annotated, Any

import typer
from msgspec.structs import replace

from cli.pages.formats import Format
from cli.pages.rows import write_rows
from cli.shell import options
from cli.shell.command_context import open_chosen, point_in, points_between, read_up_to, seen_by
from cli.shell.ending import Ended
from cli.shell.reading import ReadOptions, reads
from cli.store.layout import MAIN
from cli.store.stored_log import StoredLog
from cli.terminal.screen import Screen, Span, columns_of, pad, safe, width, wrap
from cli.terminal.table import NARROWEST
from domain.log.folding import state_at
from domain.log.port import AsOf, Log
from domain.naming import called, name_meant, reads_as_point
from domain.refusal import Invalid
from domain.values import in_words
from projections.difference import Comparison, Difference, Person, compare, comparison_in_words
from projections.sheets import state_as_now

COLUMNS = ("part", "character", "field", "change", "old", "new")
HEADINGS = {"new": " joined in between", "gone": " is gone", "changed": ""}
#: The values of a field that hold nothing.
NOTHING = (None, False, ())
#: Columns of the old value if the output is not laid out for a terminal.
OLD_VALUE = 48


@reads()
def diff(
    request: ReadOptions,
    range_: Annotated[
        str | None,
        typer.Argument(
            metavar="[A..B]",
            help="From a point or branch to another; one point alone: from there to now.",
            autocompletion=options.known("points"),
        ),
    ] = None,
    character: options.Character = None,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 if anything differs.")] = False,
    as_now: Annotated[bool, typer.Option("--as-now", help="Read both places with everything corrected since.")] = False,
) -> None:
    form, screen = request.form, request.screen
    with open_chosen(request.campaign) as (store, system):
        viewer = seen_by(store, system, request.as_)
        if (sides := between_branches(range_, store)) and request.at is not None:
            raise Invalid("--at reads one line of play; leave it out, or name the points: main@T40..plan.")
        with ExitStack() as stack:
            if sides:
                lines = [stack.enter_context(store.on(branch)) for branch, _ in sides]
                log: Log = lines[0]
                other: Log = lines[1]
                first, last = options.or_not_found(
                    lambda: (point_in(lines[0], sides[0][1] or None), point_in(lines[1], sides[1][1] or None))
                )
            else:
                other = log = AsOf(store, read_up_to(store, request.at))
                first, last = options.or_not_found(lambda: points_between(range_, log))
            read = state_as_now if as_now else state_at
            before, after = read(system, log, first), read(system, other, last)
            name = None
            if character:
                words = " ".join(character)
                if reads_as_point(words):
                    raise Invalid(f"Write both places as one word: campaign diff {range_}..{words}")
                names = {**before.characters, **after.characters}
                name = options.or_not_found(lambda: name_meant(words, names))
            comparison = compare(system, before, after, first, last, character=name, viewer=viewer)
            if sides:
                comparison = replace(comparison, branches=(sides[0][0], sides[1][0]))
            if form is Format.text and comparison:
                comparison = comparison_in_words(system, comparison, before, after)
    match form:
        case Format.text:
            _print(screen, comparison)
        case Format.json:
            screen.json(comparison.as_json())
        case _:
            write_rows(screen, comparison.rows(), form, COLUMNS)
    screen.flush(pager=True)
    if exit_code and comparison:
        raise Ended(1)


def between_branches(text: str | None, store: StoredLog) -> list[tuple[str, str]] | None:
    """`main..plan`, `plan@T40..main`: each side's branch and point; None if neither side names a branch."""
    start, dots, end = (text or "").partition("..")
    branches = {MAIN, *(branch.name for branch in store.branches())}
    sides = [side.strip().partition("@") for side in (start, end)]
    if not dots or not any(branch in branches for branch, _, _ in sides):
        return None
    return [
        (branch, point) if branch in branches else (store.branch, side.strip())
        for (branch, _, point), side in zip(sides, (start, end), strict=True)
    ]


def _print(screen: Screen, comparison: Comparison) -> None:
    if not comparison:
        screen.line(f"Nothing differs between {comparison.heads[0]} and {comparison.heads[1]}.")
        return
    heads = comparison.heads
    blocks: list[tuple[str, str, Sequence[Difference]]] = [
        *((called(name), HEADINGS[person.change], _to_tell(person)) for name, person in comparison.characters.items()),
        ("Table", "", comparison.table),
        ("Options", "", comparison.options),
    ]
    differing = [block for block in blocks if block[2]]
    label = max(width(safe(field.field)) for _, _, fields in differing for field in fields)
    longest = max(len(heads[0]), *(width(safe(in_words(field.old))) for _, _, fields in differing for field in fields))
    old_width = min(longest, OLD_VALUE)
    if screen.laid_out:
        label = min(label, max(screen.columns // 4, NARROWEST))
        old_width = max(min(longest, (screen.columns - label - 6) // 2), 6)
    for number, (title, heading, fields) in enumerate(differing):
        if number:
            screen.line()
        screen.line(Span(title, "bold cyan"), Span(heading, "dim"))
        # only the first block has headings, as the columns of all blocks are the same
        if not number:
            screen.lines([(Span(f"  {'':{label}}  {heads[0]:<{old_width}}  {heads[1]}".rstrip(), "dim"),)])
        for field in fields:
            _print_field(screen, field, label, old_width)


def _to_tell(person: Person) -> Sequence[Difference]:
    """The fields that differ; of a sheet that one of both places lacks, those that hold something."""
    if person.change == "changed":
        return person.fields
    return [
        field for field in person.fields if {in_words(field.old), in_words(field.new)} - set(map(in_words, NOTHING))
    ]


def _print_field(screen: Screen, field: Difference, label: int, old_width: int) -> None:
    old, new = _words(field.old, field.new, "red"), _words(field.new, field.old, "green")
    if field.change == "new":
        old = [Span("–", "dim")]
    if field.change == "gone":
        new = [Span("–", "dim")]
    right = screen.columns - label - old_width - 6 if screen.laid_out else 0
    olds = list(_rows(old, old_width if screen.laid_out else 0))
    news = list(_rows(new, max(right, 10) if screen.laid_out else 0))
    names = ["".join(part.text for part in row) for row in wrap((field.field,), label, 1)]
    for name, one, other in zip_longest(names, olds, news):
        gap = " " * max(0, old_width - columns_of(one or ()))
        screen.lines([(Span(f"  {pad(name or '', label)}  "), *(one or ()), f"{gap}  ", *(other or ()))])


def _words(value: Any, other: Any, style: str) -> list[Span]:
    """A value as words; items of a list that the other list has too are dimmed."""
    if isinstance(value, list | tuple) and isinstance(other, list | tuple) and value:
        last = len(value) - 1
        return [
            Span(safe(in_words(item)) + (", " if at < last else ""), "dim" if item in other else style)
            for at, item in enumerate(value)
        ]
    return [Span(word, style) for word in _words_with_spaces(safe(in_words(value)))]


def _words_with_spaces(text: str) -> list[str]:
    words = text.split(" ")
    return [f"{word} " for word in words[:-1]] + words[-1:]


def _rows(words: Sequence[Span], columns: int) -> Iterator[list[Span]]:
    """Words broken into rows of so many columns (0: not broken); a name wider than a row is broken too."""
    row: list[Span] = []
    used = 0
    is_wide = [bool(columns) and width(word.text.rstrip()) > columns for word in words]
    pieces = (
        replace(word, text=part)
        for word, wide in zip(words, is_wide, strict=True)
        for part in (_words_with_spaces(word.text) if wide else (word.text,))
    )
    for word in pieces:
        if columns and row and used + width(word.text.rstrip()) > columns:
            yield [*row[:-1], replace(row[-1], text=row[-1].text.rstrip())]
            row, used = [], 0
        row.append(word)
        used += width(word.text)
    yield row
