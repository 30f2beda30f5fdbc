"""The answers of recording commands on the terminal: sentences of a turn, its effects, previews, pending decisions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from cli.terminal.screen import AT_ONCE, Screen, Span, spans
from cli.terminal.spelling import command_line_of, hints_of
from domain.choice import Choice
from domain.common.revisions import Amend
from domain.common.rulings import RulingEnd, RulingKeep, RulingMade, trials_due
from domain.common.sessions import SessionClose, SessionClosed, SessionOpened
from domain.common.tracking import ask_for_values_of_others
from domain.log.effective_history import EffectiveTurn, keeps_results
from domain.log.hash_chain import seal_of
from domain.log.port import Log
from domain.log.revising import ChangedTurn, Outcome
from domain.naming import called, listed
from domain.refusal import Conflict, Invalid, LaterTurn, Refusal
from domain.system.field_schema import NEW, fields_of
from domain.system.options import options_of
from domain.system.pending import PendingDecision
from domain.system.rulesystem import RuleSystem
from domain.turn import Event, Sentence, Turn
from domain.values import in_words
from projections.chronicle import (
    answer_parts,
    by_person,
    characters_in,
    citation,
    parts_of,
    plain,
    readable,
)

if TYPE_CHECKING:  # most turns revise no earlier one and need none of these
    from domain.log.adopting import Adoption
    from projections.difference import Difference
    from projections.preview import ActionPreview, SheetChange
    from projections.revision_targets import RevisionTarget

#: The turns that come out differently of which a terminal shows both sentences; a pipe or a file gets all of them.
MOST_ON_A_TERMINAL = 1_000
#: Words for a turn whose result differs while its sentence does not: other totals, or another order of a deck.
TOLD_THE_SAME = "the same words, with other dice, cards or counts behind them"


def answer_json(system: RuleSystem, turn: Turn) -> dict[str, Any]:
    """An appended action as a JSON result."""
    return {"turn": turn.number, "events": [readable(system, event) for event in turn.events]}


def refusal_json(error: Refusal | Conflict | Invalid) -> dict[str, Any]:
    """An action that was not appended as a JSON result."""
    if isinstance(error, Refusal):
        return {"refused": {"rule": error.rule, "reason": error.reason}}
    if isinstance(error, Conflict):
        return {"conflicts": [msgspec.to_builtins(later) for later in error.turns]}
    return {"invalid": {"reason": error.reason}}


def afterword(system: RuleSystem, log: Log, outcomes: Sequence[Outcome]) -> str:
    """The sentence behind turns that were just recorded: the seal of a session, or what a ruling left as it was."""
    actions = [outcome.turn.action for outcome in outcomes]
    if any(isinstance(action, SessionClose) for action in actions):
        last = log.last()
        return f"Seal: {seal_of(last, log.link(last))}"
    hints = (
        words_alone(system, event.rule)
        for outcome in outcomes
        for event in outcome.turn.facts
        if isinstance(event, RulingMade) and not event.set
    )
    return next(filter(None, hints), "")


def words_alone(system: RuleSystem, number: str) -> str:
    """A hint about a ruling in words alone on a paragraph whose options could change what the log decides; else ""."""
    options = [option for option in options_of(system.options).values() if option.rule == number]
    ways = listed(f"{option.name}=…" for option in options)
    return f"It sets nothing: the log decides {number} as before. You can set: {ways}" if options else ""


def print_answer(
    system: RuleSystem,
    outcome: Outcome,
    state: Any,
    screen: Screen,
    *,
    table_before: Sequence[PendingDecision] = (),
    next_decisions: Sequence[PendingDecision] = (),
    shown_before: bool = False,
    hints: bool = True,
    spell: Callable[[Choice], str] = command_line_of,
    viewer: str | None = None,
) -> None:
    """Print a turn with its number and sentences, its effects on earlier turns, and the pending decisions.

    Decisions of the table that were pending before (`table_before`), or are asked next (`next_decisions`), are not
    printed; without `hints` none are. With `shown_before` a preview has already shown the effects. `viewer` limits what
    is shown to one player's knowledge (None: the keeper).
    """
    turn = outcome.turn
    session = state.campaign.session or 0
    before = {change.turn: change.before or () for change in outcome.changed} if keeps_results(turn.action) else {}
    effective = EffectiveTurn(turn, turn.action, turn.facts, session, restored=outcome.restored, facts_before=before)
    parts = answer_parts(system, effective, state, viewer)
    if turn.place is not None and not isinstance(turn.action, Amend) and not shown_before:
        parts = (*parts, f" Late entry: it happened directly after T{turn.place}.")
    print_sentence(screen, turn.number, parts)
    if not shown_before and (outcome.moved or outcome.changed):
        _print_changes(screen, outcome)
    if not hints:
        return
    if isinstance(turn.action, SessionClose):  # every open decision is listed, even if it was before
        decisions = [*system.pending_now(state), *system.loose_ends(state)]
    else:
        decisions = system.pending_for_anyone(state, sorted(characters_in(effective) & state.characters.keys()))
        decisions += [
            decision
            for decision in system.pending_for_table(state)
            if decision not in decisions and decision not in table_before
        ]
    decisions = [*system.follow_ups(state, turn.facts), *decisions, *trials_to_weigh(system, turn, state)]
    decisions += [
        reminder for name in joined_by(turn) if (reminder := ask_for_values_of_others(system, state, name)) is not None
    ]
    for hint in hints_of([decision for decision in decisions if decision not in next_decisions], spell):
        screen.line(Span(f"    {hint}", "yellow"), indent=None)


def _print_changes(screen: Screen, outcome: Outcome) -> None:
    """Print what a turn changed of earlier ones: which fold elsewhere, and which come out differently."""
    if not isinstance(outcome.turn.action, Amend):  # the sentence of an amendment says it
        print_moves(screen, outcome.moved)
    unshown = 0
    for count, change in enumerate(outcome.changed, 1):
        if not count % AT_ONCE:
            screen.flush()
        if change.before is not None and change.after is not None:
            if screen.interactive and count > MOST_ON_A_TERMINAL:
                unshown += 1
            else:
                print_change(screen, change)
    _print_unshown(screen, unshown)


def print_moves(screen: Screen, places: Mapping[int, int | None]) -> None:
    """Print which earlier turns now fold at another place."""
    for turn, place in places.items():
        where = " back to its own number" if place is None else f": it happened directly after T{place}"
        screen.line(Span(f"T{turn}", "bold cyan"), f"  moved{where}.")


def joined_by(turn: Turn) -> tuple[str, ...]:
    """The names of the characters that a turn enrols."""
    names = (getattr(turn.action, field.name) for field in fields_of(type(turn.action)) if field.names == NEW)
    return tuple(name for name in names if name is not None)


def trials_to_weigh(system: RuleSystem, turn: Turn, state: Any) -> list[PendingDecision]:
    """The trials due for review, as decisions, if a turn opens or closes a session."""
    session = next((event.number for event in turn.facts if isinstance(event, SessionOpened | SessionClosed)), None)
    if session is None:
        return []
    return [
        PendingDecision(
            (Choice(RulingKeep, {"ruling": f"R{ruling.number}"}), Choice(RulingEnd, {"ruling": f"R{ruling.number}"})),
            f"R{ruling.number} on {citation(system, ruling.rule)} is on trial and due to be looked at again.",
        )
        for ruling in trials_due(state, session, turn.moment.date())
    ]


def print_sentence(screen: Screen, turn: int, sentence: Sentence) -> None:
    """Print one turn of the log."""
    number = f"T{turn}"
    line: list[Span | str] = [Span(number, "bold cyan"), "  "]
    for parts in by_person(sentence):  # a line for each character that does something
        screen.line(*line, *spans(parts), indent=len(number) + 2)
        line = [" " * (len(number) + 2)]


def print_preview(system: RuleSystem, preview: "ActionPreview", screen: Screen, *, as_json: bool) -> None:
    """Print a preview: the sentence of each action, the turns and sheets that would change, and the conflicts."""
    if as_json:
        from projections.preview import preview_json

        screen.json(preview_json(system, preview))
        return
    for turn, own in zip(preview.turns, preview.own, strict=True):
        if own.after or own.draws:
            late = "" if turn.place is None else f"late entry, after T{turn.place}: "
            result = spans(parts_of(own.after or ())) if not own.open else (Span(_open_words(system, own), "yellow"),)
            number = f"T{own.turn}"
            screen.line(Span(number, "bold cyan"), f"  {late}", *result, indent=len(number) + 2)
    standing = {later.turn: later for later in preview.conflicts}
    print_moves(screen, preview.moved)
    numbers, unshown = {change.turn for change in preview.changed} if preview.conflicts else (), 0
    for later in preview.conflicts:
        if later.turn not in numbers:
            _print_illegal(screen, later)
    for count, change in enumerate(preview.changed, 1):
        if not count % AT_ONCE:
            screen.flush()
        number_of = Span(f"T{change.turn}", "bold cyan")
        if change.turn in standing:
            _print_illegal(screen, standing[change.turn])
        elif change.after is None and not change.open:
            screen.line(number_of, "  undone: ", Span(plain(parts_of(change.before or ())), "strike"))
        elif change.before is None and not change.open:
            screen.line(number_of, "  restored: ", *spans(parts_of(change.after or ())))
        elif screen.interactive and count > MOST_ON_A_TERMINAL:
            unshown += 1
        else:
            print_change(screen, change, _open_words(system, change) if change.open else None)
    _print_unshown(screen, unshown)
    print_sheets(preview.sheets, screen)
    for sentence in preview.unmoved:
        screen.line(f"    {sentence}", indent=6)
    for turn_in_doubt in preview.doubtful:
        screen.line(Span(f"T{turn_in_doubt}", "bold cyan"), "  may no longer be legal, depending on what is drawn.")
    if preview.conflicts:
        screen.line("Settle it with --drop (those turns are undone too) or --keep (they stay as they were).")
    elif not preview.sheets and not preview.reaches_back and not any(own.after or own.draws for own in preview.own):
        screen.line("Nothing would change.")
    if preview.open:
        screen.line(Span("Dice and cards that you leave open are drawn when you record it.", "yellow"))


def _print_unshown(screen: Screen, turns: int) -> None:
    """Print how many more turns come out differently."""
    if turns:
        come = "turn comes" if turns == 1 else "turns come"
        screen.line(f"{turns:,} more {come} out differently; write them to a file (> FILE) to see them all.")


def _print_illegal(screen: Screen, later: LaterTurn) -> None:
    screen.line(Span(f"T{later.turn}", "bold cyan"), Span("  no longer legal: ", "bold red"), str(later.refusal))


def print_adoption(
    system: RuleSystem,
    name: str,
    outcome: "Adoption",
    own: Sequence[ChangedTurn],
    sheets: "Sequence[SheetChange]",
    screen: Screen,
) -> None:
    """Print the preview of adopting a branch: its turns, those that are not legal here, and the sheets."""
    for later in outcome.left_out:
        how = "Would be kept as it was" if later.turn in outcome.pinned_turns else "Would be left out"
        screen.line(Span(f"{how}: T{later.turn} of {name}: {later.refusal}", "yellow"))
    count = len(outcome.new_turns)
    screen.line(f"{count} {'turn' if count == 1 else 'turns'} of {name} would be appended:")
    for change in own:
        number = f"T{change.turn}"
        result = (Span(_open_words(system, change), "yellow"),) if change.open else spans(parts_of(change.after or ()))
        screen.line(Span(number, "bold cyan"), "  ", *result, indent=len(number) + 2)
    print_sheets(sheets, screen)


def _open_words(system: RuleSystem, change: ChangedTurn) -> str:
    from projections.preview import draws_in_words

    return (
        f"{draws_in_words(change.draws, system.draw_words)}."
        if change.draws
        else "depends on what nobody has seen yet."
    )


def _target_json(target: "RevisionTarget") -> dict[str, Any]:
    into = {} if target.action is None else {"action": target.action}
    return {"turn": target.turn, "how": target.how, "events": list(target.events), **into}


#: Stands for what an amendment changes where only other players may see that.
SECRET_CHANGE = "what only its player may see"
#: The last line about a revision that one player looks at beforehand, on the shell and at the table.
MAY_DEPEND = "What comes of it may depend on what other players hold; leave --as out to see it."
MAY_DEPEND_AT_THE_TABLE = "What comes of it may depend on cards that you cannot see; you see it once it is recorded."


def print_revision_targets(
    targets: "Sequence[RevisionTarget]", screen: Screen, *, as_json: bool, last: str = MAY_DEPEND
) -> None:
    """Print what a player may know of a revision before it is made: its targets, not its effects."""
    if as_json:
        screen.json({"asked": [_target_json(target) for target in targets]})
        return
    for target in targets:
        screen.line(Span(f"T{target.turn}", "bold cyan"), f"  {target.how}: ", *spans(target.parts), indent=4)
        if target.action is not None:
            screen.line(f"    becomes: {target.change or SECRET_CHANGE}", indent=None)
    screen.line(last)


def print_change(screen: Screen, change: ChangedTurn, now: str | None = None) -> None:
    """Print the old and the new sentence of an earlier turn, a pair for each character for whom they differ.

    `now` replaces the new sentence.
    """
    number, margin = f"T{change.turn}", " " * len(f"T{change.turn}")
    rows = [(plain(parts_of(change.before or ())), now)] if now is not None else _differing(change)
    for at, (before, after) in enumerate(rows):
        first = Span(number, "bold cyan") if not at else margin
        if before == after:
            screen.line(first, f"  {TOLD_THE_SAME}: ", after, indent=len(margin) + 2)
            continue
        was, is_now = _mark_changes(before, after) if screen.paints else ((before,), (after,))
        screen.line(first, "  was: ", *was, indent=len(margin) + 7)
        screen.line(margin, "  now: ", *is_now, indent=len(margin) + 7)


def _differing(change: ChangedTurn) -> list[tuple[str, str]]:
    """Pairs of the old and the new sentence, by character where they differ; of the whole turn if that cannot be."""
    events_before, events_after = change.before or (), change.after or ()
    if len(events_before) > 1 or len(events_after) > 1:  # of a single event there is only one character
        old, new = _by_character(events_before), _by_character(events_after)
        rows = [(plain(parts_of(old.get(name, ()))), plain(parts_of(new.get(name, ())))) for name in {**old, **new}]
        differing = [row for row in rows if row[0] != row[1]]
        if differing and all(before and after for before, after in differing):
            return differing
        # the turn is about other characters now
    return [(plain(parts_of(events_before)), plain(parts_of(events_after)))]


def _by_character(events: Sequence[Event]) -> dict[str, list[Event]]:
    events_of: dict[str, list[Event]] = {}
    for event in events:
        events_of.setdefault(str(getattr(event, "character", "")), []).append(event)
    return events_of


def _mark_changes(before: str, after: str) -> tuple[list[Span], list[Span]]:
    """Two texts, in which what is between their common words at the beginning and at the end is marked."""
    old, new = before.split(" "), after.split(" ")
    most = min(len(old), len(new))
    first = last = 0
    while first < most and old[first] == new[first]:
        first += 1
    while last < most - first and old[-1 - last] == new[-1 - last]:
        last += 1
    return _mark(old, first, last, "dim"), _mark(new, first, last, "")


def _mark(words: Sequence[str], first: int, last: int, style: str) -> list[Span]:
    """These words, with all marked but the first `first` and the last `last`."""
    end = len(words) - last
    head, middle, tail = " ".join(words[:first]), " ".join(words[first:end]), " ".join(words[end:])
    if head and (middle or tail):
        head += " "
    if middle and tail:
        tail = f" {tail}"
    parts = (head, style), (middle, f"{style} bold underline".strip()), (tail, style)
    return [Span(text, face) for text, face in parts if text]


def print_sheets(sheets: "Iterable[SheetChange]", screen: Screen) -> None:
    """Print a line for each sheet that differs, with the differing fields."""
    for sheet in sheets:
        if sheet.change == "changed":
            pairs = list(zip(sheet.fields, sheet.in_words, strict=True))
            parts = [_field_change(difference) for field, difference in pairs if field.field not in sheet.open]
            if open_fields := [difference.field for field, difference in pairs if field.field in sheet.open]:
                parts.append(
                    f"{listed(open_fields)} {'depends' if len(open_fields) == 1 else 'depend'} on what is drawn"
                )
            what = ", ".join(parts)
        else:
            what = sheet.change
        screen.line(Span(f"    {called(sheet.name)}: ", "bold"), Span(what, "yellow"), indent=6)


def _field_change(field: "Difference") -> str:
    from projections.difference import change_of_members  # for previews alone, and recording must be instant

    if field.change == "gone":
        return f"{field.field} gone"
    if field.change == "new":
        return f"{field.field}: {in_words(field.new)}"
    if (members := change_of_members(field.old, field.new)) is not None:
        return f"{field.field} {members}"
    return f"{field.field} {in_words(field.old)} → {in_words(field.new)}"
