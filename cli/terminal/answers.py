"""What a verb answers: what happened in one or two sentences, and what is open now."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from cli.terminal.screen import Screen, Span, spans
from cli.terminal.spelling import hints_of, spelled
from domain.choice import Choice
from domain.common.revisions import Amend
from domain.common.rulings import RulingEnd, RulingKeep, trials_due
from domain.common.sessions import SessionClose, SessionClosed, SessionOpened
from domain.common.tracking import ask_for_values_of_others
from domain.log.deciding import names_in
from domain.log.effective_history import EffectiveTurn
from domain.log.hash_chain import sealed
from domain.log.port import Log
from domain.log.revising import Changed, Outcome
from domain.naming import called
from domain.refusal import Conflict, Invalid, LaterTurn, Refusal
from domain.system.field_schema import NEW, fields_of
from domain.system.pending import PendingDecision, besides
from domain.system.rulesystem import RuleSystem
from domain.turn import Event, Turn
from domain.values import as_json as as_json_text
from domain.values import in_words
from projections.chronicle import Entry, by_person, citation, entry_for, parts_of, plain, readable

if TYPE_CHECKING:  # most of what is told changes nothing told before
    from domain.log.adopting import Adoption
    from projections.difference import Difference
    from projections.preview import ActionPreview, Expected, OnSheet
    from projections.revision_targets import RevisionTarget

#: Of a turn that comes out differently, and reads as it did: its totals are others, or a deck lies in another order.
TOLD_THE_SAME = "told the same, with something else behind it"


def answer_json(system: RuleSystem, turn: Turn) -> dict[str, Any]:
    """The result line of one appended action."""
    return {"turn": turn.number, "events": [readable(system, event) for event in turn.events]}


def refusal_json(error: Refusal | Conflict | Invalid) -> dict[str, Any]:
    """The result line of one action that was not appended."""
    if isinstance(error, Refusal):
        return {"refused": {"rule": error.rule, "reason": error.reason}}
    if isinstance(error, Conflict):
        return {"conflicts": [msgspec.to_builtins(later) for later in error.turns]}
    return {"invalid": {"reason": error.reason}}


def print_seal(log: Log, outcomes: Iterable[Outcome], screen: Screen) -> None:
    """The seal of the log to write down, where a session was closed."""
    if any(isinstance(outcome.turn.action, SessionClose) for outcome in outcomes):
        last = log.last()
        screen.line(f"    Seal: {sealed(last, log.link(last))}", indent=None)


def print_answer(
    system: RuleSystem,
    outcome: Outcome,
    state: Any,
    screen: Screen,
    *,
    table_before: Sequence[PendingDecision] = (),
    asked: Sequence[PendingDecision] = (),
    shown_before: bool = False,
    hints: bool = True,
    spell: Callable[[Choice], str] = spelled,
    viewer: str | None = None,
) -> None:
    """The turn's number, its sentences, which earlier turns came out differently, and what is open now.

    `table_before` is what the table was waiting for before it, which is not said again, nor what is `asked` now;
    without `hints` nothing of what is open is: another answer follows, or it is in sight. `viewer` is who looks on
    (None: the keeper).
    """
    turn = outcome.turn
    told = EffectiveTurn(turn, turn.action, turn.facts, state.campaign.session or 0)
    entry = entry_for(system, told, None, state, viewer)
    if turn.place is not None and not isinstance(turn.action, Amend) and not shown_before:
        entry = replace(entry, parts=(*entry.parts, f" Late entry: it happened directly after T{turn.place}."))
    print_entry(screen, entry)
    if not shown_before:
        if not isinstance(turn.action, Amend):  # which says so itself
            print_moves(screen, outcome.moved)
        for change in outcome.changed:
            if change.before is not None and change.after is not None:
                print_change(screen, change)
    if not hints:
        return
    if isinstance(turn.action, SessionClose):  # whatever the evening leaves open is said, though it was said before
        matters = system.pending_for_anyone(state)
        matters += besides(matters, system.pending_for_table(state))
    else:
        matters = pending_for(system, state, entry.characters | frozenset(names_in(turn.action)))
        matters += [
            each for each in system.pending_for_table(state) if each not in matters and each not in table_before
        ]
    matters += trials_to_weigh(system, turn, state)
    matters += [kept for name in joined_by(turn) if (kept := ask_for_values_of_others(system, state, name)) is not None]
    for hint in hints_of([each for each in matters if each not in asked], spell):
        screen.line(Span(f"    {hint}", "yellow"), indent=None)


def print_moves(screen: Screen, moved: Mapping[int, int | None]) -> None:
    """Which earlier turns fold elsewhere now."""
    for turn, place in moved.items():
        where = " back to its own number" if place is None else f": it happened directly after T{place}"
        screen.line(Span(f"T{turn}", "bold cyan"), f"  moved{where}.")


def joined_by(turn: Turn) -> tuple[str, ...]:
    """Whom a turn enrols."""
    names = (getattr(turn.action, field.name) for field in fields_of(type(turn.action)) if field.names == NEW)
    return tuple(name for name in names if name is not None)


def trials_to_weigh(system: RuleSystem, turn: Turn, state: Any) -> list[PendingDecision]:
    """The trials that are to be looked at again, where a turn opens or closes a session."""
    session = next((each.number for each in turn.facts if isinstance(each, SessionOpened | SessionClosed)), None)
    if session is None:
        return []
    return [
        PendingDecision(
            (Choice(RulingKeep, {"ruling": f"R{each.number}"}), Choice(RulingEnd, {"ruling": f"R{each.number}"})),
            f"R{each.number} on {citation(system, each.rule)} is on trial and due to be weighed.",
        )
        for each in trials_due(state, session, turn.moment.date())
    ]


def print_entry(screen: Screen, entry: Entry) -> None:
    """One turn of the log, as it answers a command."""
    number = f"T{entry.turn}"
    line: list[Span | str] = [Span(number, "bold cyan"), "  "]
    for parts in by_person(entry.parts):  # one person a line where several do something
        screen.lines(screen.wrap([*line, *spans(parts)], indent=len(number) + 2))
        line = [" " * (len(number) + 2)]


def pending_for(system: RuleSystem, state: Any, characters: frozenset[str]) -> list[PendingDecision]:
    """What these characters are waiting for, each once."""
    found: list[PendingDecision] = []
    for name in sorted(characters):
        if name in state.characters:
            found += [matter for matter in system.pending_for(state, name) if matter not in found]
    return found


def print_preview(system: RuleSystem, told: "ActionPreview", screen: Screen, *, as_json: bool) -> None:
    """What something would do: its sentence, turn by turn what it would change, the sheets, and what is in its way."""
    if as_json:
        from projections.preview import preview_json

        screen.json(preview_json(system, told))
        return
    for turn, own in zip(told.turns, told.own, strict=True):
        if own.after or own.draws:
            late = "" if turn.place is None else f"late entry, after T{turn.place}: "
            shown = spans(parts_of(own.after or ())) if not own.open else (Span(_left_open(system, own), "yellow"),)
            number = f"T{own.turn}"
            screen.lines(screen.wrap((Span(number, "bold cyan"), f"  {late}", *shown), indent=len(number) + 2))
    standing = {later.turn: later for later in told.conflicts}
    print_moves(screen, told.moved)
    for later in told.conflicts:
        if later.turn not in [change.turn for change in told.changed]:
            _print_illegal(screen, later)
    for change in told.changed:
        number_of = Span(f"T{change.turn}", "bold cyan")
        if change.turn in standing:
            _print_illegal(screen, standing[change.turn])
        elif change.open:
            print_change(screen, Changed(change.turn, change.before, None), _left_open(system, change))
        elif change.after is None:
            screen.line(number_of, "  undone: ", Span(plain(parts_of(change.before or ())), "strike"))
        elif change.before is None:
            screen.line(number_of, "  stands again: ", *spans(parts_of(change.after)))
        else:
            print_change(screen, Changed(change.turn, change.before, change.after))
    print_sheets(system, told.sheets, screen)
    for turn_in_doubt in told.doubtful:
        screen.line(Span(f"T{turn_in_doubt}", "bold cyan"), "  may be no longer legal: that rests on what is drawn.")
    if told.conflicts:
        screen.line("Settle it with --drop (those turns are undone too) or --keep (they stay as they were).")
    elif not told.sheets and not told.reaches_back and not any(own.after or own.draws for own in told.own):
        screen.line("Nothing would change.")
    if told.open:
        screen.line(Span("What is open is drawn when it is done, and shown then.", "yellow"))


def _print_illegal(screen: Screen, later: LaterTurn) -> None:
    refused = str(Refusal(later.rule, later.reason))
    screen.line(Span(f"T{later.turn}", "bold cyan"), Span("  no longer legal: ", "bold red"), refused)


def print_adoption(
    system: RuleSystem,
    name: str,
    told: "Adoption",
    own: "Sequence[Expected]",
    sheets: "Sequence[OnSheet]",
    screen: Screen,
) -> None:
    """What adopting a branch would do: its turns, what becomes of those that are not legal here, and the sheets."""
    for later in told.left_out:
        how = "Would be kept as it was" if later.turn in told.kept else "Would be left out"
        screen.line(Span(f"{how}: T{later.turn} of {name}: {Refusal(later.rule, later.reason)}", "yellow"))
    count = len(told.played)
    screen.line(f"{count} {'turn' if count == 1 else 'turns'} of {name} would be appended:")
    for each in own:
        number = f"T{each.turn}"
        shown = (Span(_left_open(system, each), "yellow"),) if each.open else spans(parts_of(each.after or ()))
        screen.lines(screen.wrap((Span(number, "bold cyan"), "  ", *shown), indent=len(number) + 2))
    print_sheets(system, sheets, screen)


def _left_open(system: RuleSystem, told: "Expected") -> str:
    from projections.preview import draws_in_words

    return f"{draws_in_words(told.draws, system.draw_words)}." if told.draws else "rests on what nobody has seen yet."


def _foreseen_json(each: "RevisionTarget") -> dict[str, Any]:
    into = {} if each.action is None else {"action": each.action}
    return {"turn": each.turn, "how": each.how, "events": each.events, **into}


def print_revision_targets(told: "Sequence[RevisionTarget]", screen: Screen, *, as_json: bool) -> None:
    """What a player may know of a revision beforehand."""
    if as_json:
        screen.json({"asked": [_foreseen_json(each) for each in told]})
        return
    for each in told:
        screen.lines(screen.wrap((Span(f"T{each.turn}", "bold cyan"), f"  {each.how}: ", *spans(each.parts)), indent=4))
        if each.action is not None:
            screen.line("    into ", as_json_text(each.action), indent=None)
    screen.line("What comes of it may rest on what other players hold; only the keeper sees that, without --as.")


def print_change(screen: Screen, change: Changed, now: str | None = None) -> None:
    """What an earlier turn came to, and below it what it comes to now: where they differ, a line for each character.

    `now` stands in the place of what it comes to.
    """
    number, margin = f"T{change.turn}", " " * len(f"T{change.turn}")
    rows = [(plain(parts_of(change.before or ())), now)] if now is not None else list(_differing(change))
    for at, (before, after) in enumerate(rows):
        first, common = (Span(number, "bold cyan") if not at else margin), _common(before, after)
        if before == after:
            screen.lines(screen.wrap((first, f"  {TOLD_THE_SAME}: ", after), indent=len(margin) + 2))
            continue
        for head, text, style in (("was", before, "dim"), ("now", after, "")):
            told = (first if head == "was" else margin, f"  {head}: ", *_marked(text, *common, style))
            screen.lines(screen.wrap(told, indent=len(margin) + 7))


def _differing(change: Changed) -> Iterator[tuple[str, str]]:
    """What a turn was and is, for each character that it comes out differently for; all of it if it does for nobody."""
    told = [_by_character(events or ()) for events in (change.before, change.after)]
    texts = [{name: plain(parts_of(events)) for name, events in each.items()} for each in told]
    names = dict.fromkeys(name for each in texts for name in each)
    rows = [(texts[0].get(name, ""), texts[1].get(name, "")) for name in names]
    differing = [row for row in rows if row[0] != row[1]]
    if not all(before and after for before, after in differing):
        differing = []  # it speaks of somebody else now
    yield from differing or [(plain(parts_of(change.before or ())), plain(parts_of(change.after or ())))]


def _by_character(events: Sequence[Event]) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = {}
    for event in events:
        found.setdefault(str(getattr(event, "character", "")), []).append(event)
    return found


def _common(before: str, after: str) -> tuple[int, int]:
    """How many words two texts have in common at their beginning, and at their end."""
    one, other = before.split(" "), after.split(" ")
    most = min(len(one), len(other))
    first = next((at for at in range(most) if one[at] != other[at]), most)
    last = next((at for at in range(most - first) if one[-1 - at] != other[-1 - at]), most - first)
    return first, last


def _marked(text: str, first: int, last: int, style: str) -> tuple[Span, ...]:
    """A text with everything marked but so many words at its beginning and end."""
    words = text.split(" ")
    end = len(words) - last
    parts = (
        (" ".join(words[:first]), style),
        (" ".join(words[first:end]), f"{style} bold underline".strip()),
        (" ".join(words[end:]), style),
    )
    told = [Span(part, how) for part, how in parts if part]
    return tuple(piece for at, each in enumerate(told) for piece in ((Span(" ", style), each) if at else (each,)))


def print_sheets(system: RuleSystem, sheets: "Iterable[OnSheet]", screen: Screen) -> None:
    """What becomes of the sheets: a line for each that differs, with what differs alone."""
    for sheet in sheets:
        if sheet.change == "changed":
            what = ", ".join(
                _field_change(system, told, open_=field.field in sheet.open)
                for field, told in zip(sheet.fields, sheet.told, strict=True)
            )
        else:
            what = "now there" if sheet.change == "new" else "no longer there"
        screen.lines(screen.wrap((Span(f"    {called(sheet.name)}: ", "bold"), Span(what, "yellow")), indent=6))


def _field_change(system: RuleSystem, field: "Difference", *, open_: bool) -> str:
    from projections.values import field_in_words

    name = field_in_words(system, field.field)
    if open_:
        return f"{name} {in_words(field.old)} → ?"
    if field.change == "gone":
        return f"{name} gone"
    if field.change == "new":
        return f"{name}: {in_words(field.new)}"
    return f"{name} {in_words(field.old)} → {in_words(field.new)}"
