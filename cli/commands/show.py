"""Show everything about one turn.

What was asked, what happened, by which rules, with which dice and cards.

Examples:
  campaign show
  campaign show T5
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, groupby
from typing import Annotated, Any

import msgspec
import typer
from msgspec.structs import replace

from cli.pages.formats import Format
from cli.pages.rows import write_rows
from cli.shell import options
from cli.shell.command_context import open_chosen, point_in, read_up_to, seen_by
from cli.shell.reading import ReadOptions, reads
from cli.shell.references import turn_name
from cli.shell.viewing import viewing
from cli.terminal.screen import Screen, Span, spans
from cli.terminal.spelling import command_line_of
from cli.terminal.turn_context import chance_lines, ruling_line
from domain.choice import Choice
from domain.log.effective_history import effective_history
from domain.log.folding import state_at
from domain.log.port import AsOf, Log
from domain.naming import called
from domain.refusal import Invalid, Refusal
from domain.registry import action_from
from domain.registry.uninstalled import Uninstalled
from domain.system.paragraphs import bare_number, paragraphs_of
from domain.system.rulesystem import RuleSystem
from domain.times import to_the_minute
from domain.turn import REVISION_EVENTS
from domain.values import in_words
from projections.chronicle import Entry
from projections.chronicle_range import chronicle
from projections.difference import change_of_members
from projections.filters import Filters, matching_entries
from projections.sentences import plain
from projections.turn_status import AGREED_THEN, SHEET_CHECK, TurnStatus, may_be_outdated, statuses_of
from projections.views.chronicle_queries import entries
from projections.views.turn_context import AlteredField, TurnContext, altered_in_words, context_of

COLUMNS = ("turn", "session", "at", "by", "sentence", "standing", "undone_by")


@reads()
def show(
    request: ReadOptions,
    point: Annotated[str, typer.Argument(help="The turn: T4, @, @-3.", autocompletion=options.known("turns"))] = "@",
) -> None:
    form, screen = request.form, request.screen
    with open_chosen(request.campaign, needs_rules=request.as_ is not None) as (store, system):
        upto = read_up_to(store, request.at)
        number = options.or_not_found(lambda: point_in(AsOf(store, upto), turn_name(point)))
        only = Filters(first=number, last=number)
        if isinstance(system, Uninstalled):
            (entry,), context = matching_entries(chronicle(system, store, upto), only), TurnContext((), (), ())
        else:
            viewer = seen_by(store, system, request.as_)
            with viewing(store, system, upto) as view:
                (entry,) = entries(view, only)
                context = context_of(view, system, number, entry.rules)
            if viewer is not None and system.keeps_secrets:
                from projections.views.seen_turn import seen_turn  # hardly any reading is for a player

                entry, context = seen_turn(system, store, number, upto, viewer, context)
        if form is Format.text:
            log = AsOf(store, upto)
            if context.changes:  # in the rule system's words, as names for numbers
                state = state_at(system, log)
                parts = (part for change in context.changes for part in altered_in_words(system, state, change))
                context = replace(context, changes=tuple(parts))
            # the events themselves may hold what this viewer must not know
            is_open = not isinstance(system, Uninstalled) and not (system.keeps_secrets and viewer is not None)
            sentences = _event_sentences(entry, log) if is_open else None
            command = _command_of(log.rules, entry) if is_open else None
            _print_whole(screen, system, entry, context, _later_changes(entry, log), command, sentences)
        else:
            write_rows(screen, [entry.as_json() | {"rules": entry.rules} | msgspec.to_builtins(context)], form, COLUMNS)
    screen.flush(pager=True)


#: Events of a turn that are printed between two writes.
AT_ONCE = 500


def _command_of(rules: str, entry: Entry) -> str | None:
    """What was asked as a command to type; None if it is no action of today's rules."""
    try:
        action = action_from(rules, entry.action)
    except (Invalid, Refusal):
        return None
    return command_line_of(Choice(type(action), {key: value for key, value in entry.action.items() if key != "type"}))


def _event_sentences(entry: Entry, log: Log) -> Iterator[str]:
    """The sentence of each event of a turn, as it is effective."""
    (turn,) = log.read(entry.turn - 1, entry.turn)
    facts = turn.facts
    if entry.redecided_by is not None:
        facts = effective_history(log, log.last(), after=entry.turn - 1).facts(turn)
    revision_events = (event for event in turn.events if isinstance(event, REVISION_EVENTS))
    for event in chain(facts, revision_events):
        yield plain(event.sentence())


def _later_changes(entry: Entry, log: Log) -> list[str]:
    """Sentences about what later turns did to a turn, and about its place if it is not its number."""
    sentences: list[str] = []
    is_check = entry.standing and entry.kind == SHEET_CHECK
    if entry.redecided_by is None and entry.place is None and not is_check:
        return sentences
    # only turns from this one on can say anything of it
    effective = effective_history(log, log.last(), after=entry.turn - 1)
    mark = statuses_of(effective, (entry.turn,)).get(entry.turn, TurnStatus())
    if entry.redecided_by is not None:
        how = (
            "Kept as it was" if entry.kept else "Amended" if mark.amended_by == entry.redecided_by else "Decided again"
        )
        if mark.amended_by not in (None, entry.redecided_by):
            how = f"Amended by T{mark.amended_by}, then {how[:1].lower()}{how[1:]}"
        then = f"; when it was logged: {first}" if (first := entry.first_read) else "."
        sentences.append(f"{how} by T{entry.redecided_by}{then}")
    if is_check and may_be_outdated(effective, entry.turn):
        sentences.append(f"It {AGREED_THEN}.")
    if entry.place is not None:
        late = f"{'Moved' if mark.moved else 'Late entry'}: it happened"
        verb = "It counts from" if entry.counts_from_earlier else late
        sentences.append(f"{verb} directly after T{entry.named_place}.")
    return sentences


def _print_whole(
    screen: Screen,
    system: RuleSystem,
    entry: Entry,
    context: TurnContext,
    became: Iterable[str],
    command: str | None,
    event_sentences: Iterable[str] | None,
) -> None:
    """Print a turn. What was asked and its events are printed field by field if command and sentences are not given."""
    when = to_the_minute(entry.at)
    session = f", session {entry.session}" if entry.session else ""
    who = f", logged by {entry.recorded_by}" if entry.recorded_by else ""
    screen.line(Span(f"T{entry.turn}", "bold cyan"), f"{session}, {when}{who}")
    if not entry.standing:
        screen.line(Span(f"Undone by T{entry.undone_by}.", "yellow"))
    screen.line(*spans(entry.parts), indent=0)
    for sentence in became:
        screen.line(Span(sentence, "yellow"))
    screen.line()
    titles = {} if isinstance(system, Uninstalled) else paragraphs_of(system.key)
    wordings = {wording.rule: wording for wording in context.wordings}
    for rule in entry.rules:
        paragraph, wording = titles.get(bare_number(system, rule)), wordings.get(rule)
        title = (wording.title if wording else None) or (paragraph.title if paragraph else "")
        since = f" (in the words of T{wording.turn})" if wording is not None and wording.turn is not None else ""
        screen.line(Span(f"{rule:<7} ", "cyan"), title, Span(since, "dim"))
    for ruling in context.rulings:
        screen.line(Span(ruling_line(system, ruling), "yellow"), indent=8)
    for name, of_character in groupby(context.changes, lambda change: change.character):
        steps = ", ".join(
            _change_text(change)
            for change in of_character
            if change.old is not None or change.new not in (None, [], {})
        )
        screen.line(Span("changed ", "dim"), Span(called(name), "bold"), f": {steps}", indent=8)
    for line in chance_lines(context.chance):
        screen.line(Span("chance  ", "dim"), line)
    events = map(_record_text, entry.events) if event_sentences is None else event_sentences
    for at, text in enumerate(chain([_record_text(entry.action) if command is None else command], events)):
        label = f"T{entry.turn}.{at}" if at else "asked" if command is None else "command"
        screen.line(Span(f"{label:<7} ", "dim"), text, indent=8)
        if at and not at % AT_ONCE:  # a revision may have as many events as the log has turns
            screen.pour()


def _record_text(record: Mapping[str, Any]) -> str:
    """An action or an event in words, field by field; -O json shows it exactly."""
    name, words = str(record["type"]), record.get("words")
    if isinstance(words, Mapping):
        record = {**record, "set": {**record["set"], **words}, "words": None}
    text = in_words({key.replace("_", " "): value for key, value in record.items() if key != "type"})
    return f"{(name.partition('.')[2] or name).replace('_', ' ')}{'' if text == 'none' else f': {text}'}"


def _change_text(change: AlteredField) -> str:
    if (members := change_of_members(change.old, change.new)) is not None:
        return f"{change.field} {members}"
    new = _inside(change.new)
    return f"{change.field} {new if change.old is None else f'{_inside(change.old)} → {new}'}"


def _inside(value: Any) -> str:
    """A value in words, in parentheses if it holds a comma."""
    text = in_words(value)
    return f"({text})" if isinstance(value, list | dict) and "," in text else text
