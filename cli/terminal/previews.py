"""Previews on the terminal: what an action, a revision or an adoption would change, as far as one may know it."""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from cli.terminal.answers import MOST_ON_A_TERMINAL, print_at_turn, print_change, print_moves, print_unshown
from cli.terminal.screen import AT_ONCE, Page, Screen, Span, spans
from domain.log.adopting import Adoption
from domain.log.command_handler import CommandHandler
from domain.log.revising import ChangedTurn
from domain.naming import called, listed
from domain.refusal import LaterTurn
from domain.system.rulesystem import RuleSystem
from domain.system.secrets import secrets_of
from domain.values import in_words
from projections.difference import Difference, change_of_members
from projections.preview import ActionPreview, draws_in_words
from projections.revision_targets import RevisionTarget, revision_targets
from projections.secrecy import TABLE, face_down
from projections.sentences import parts_of, plain, read_alike
from projections.sheet_changes import SheetChange


def print_preview(system: RuleSystem, preview: ActionPreview, screen: Screen) -> None:
    """Print a preview: the sentence of each action, the turns and sheets that would change, and the conflicts."""
    for turn, own in zip(preview.turns, preview.own, strict=True):
        if own.after or own.draws:
            late = "" if turn.place is None else f"late entry, after T{turn.place}: "
            print_at_turn(screen, own.turn, late, *_result(system, own))
    standing = {later.turn: later for later in preview.conflicts}
    print_moves(screen, preview.moved)
    numbers, unshown = {change.turn for change in preview.changed} if preview.conflicts else (), 0
    for later in preview.conflicts:
        if later.turn not in numbers:
            _print_illegal(screen, later)
    for count, change in enumerate(preview.changed, 1):
        if not count % AT_ONCE:
            screen.flush()
        if change.turn in preview.doubtful:
            continue  # it is listed by itself
        if change.turn in standing:
            _print_illegal(screen, standing[change.turn])
        elif change.after is None and not change.open:
            print_at_turn(screen, change.turn, "undone: ", Span(plain(parts_of(change.before or ())), "strike"))
        elif change.before is None and not change.open:
            print_at_turn(screen, change.turn, "restored: ", *spans(parts_of(change.after or ())))
        elif screen.interactive and count > MOST_ON_A_TERMINAL:
            unshown += 1
        else:
            print_change(screen, change, _open_words(system, change) if change.open else None)
    print_unshown(screen, unshown)
    print_sheets(preview.sheets, screen)
    for sentence in preview.unmoved:
        screen.line(f"    {sentence}", indent=6)
    for turn_in_doubt in preview.doubtful:
        print_at_turn(screen, turn_in_doubt, "may no longer be legal, depending on what is drawn.")
    if preview.conflicts:
        screen.line("Settle it with --drop (those turns are undone too) or --keep (they stay as they were).")
    elif not preview.sheets and not preview.reaches_back and not any(own.after or own.draws for own in preview.own):
        screen.line("Nothing would change.")
    if preview.open:
        screen.line(Span("Dice and cards that you leave open are drawn when you record it.", "yellow"))


def _print_illegal(screen: Screen, later: LaterTurn) -> None:
    print_at_turn(screen, later.turn, Span("no longer legal: ", "bold red"), str(later.refusal))


def print_adoption(
    system: RuleSystem,
    name: str,
    outcome: Adoption,
    own: Sequence[ChangedTurn],
    sheets: Sequence[SheetChange],
    screen: Screen,
) -> None:
    """Print the preview of adopting a branch: its turns, those that are not legal here, and the sheets."""
    for later in outcome.left_out:
        how = "Would be kept as it was" if later.turn in outcome.pinned_turns else "Would be left out"
        screen.line(Span(f"{how}: T{later.turn} of {name}: {later.refusal}", "yellow"))
    count = len(outcome.new_turns)
    screen.line(f"{count} {'turn' if count == 1 else 'turns'} of {name} would be appended:")
    for change in own:
        print_at_turn(screen, change.turn, *_result(system, change))
    print_sheets(sheets, screen)


def _result(system: RuleSystem, change: ChangedTurn) -> Sequence[Span]:
    """What comes of a turn, or what it waits for."""
    return (Span(_open_words(system, change), "yellow"),) if change.open else spans(parts_of(change.after or ()))


def _open_words(system: RuleSystem, change: ChangedTurn) -> str:
    return (
        f"{draws_in_words(change.draws, system.draw_words)}."
        if change.draws
        else "depends on what nobody has seen yet."
    )


def targets_json(targets: Iterable[RevisionTarget]) -> dict[str, Any]:
    """What a player may know of a revision before it is made, as JSON."""
    return {"asked": list(map(_target_json, targets))}


def _target_json(target: RevisionTarget) -> dict[str, Any]:
    into = {} if target.action is None else {"action": target.action}
    return {"turn": target.turn, "how": target.how, "events": list(target.events), **into}


#: Stands for what an amendment changes where only other players may see that.
SECRET_CHANGE = "what only its player may see"
#: The last line about a revision that one player looks at beforehand, on the shell and at the table.
MAY_DEPEND = "What comes of it may depend on what other players hold; leave --as out to see it."
MAY_DEPEND_AT_THE_TABLE = "What comes of it may depend on cards that you cannot see; you see it once it is recorded."


def print_revision_targets(targets: Iterable[RevisionTarget], screen: Screen, *, last: str = MAY_DEPEND) -> None:
    """Print what a player may know of a revision before it is made: its targets, not its effects."""
    for target in targets:
        print_at_turn(screen, target.turn, f"{target.how}: ", *spans(target.parts))
        if target.action is not None:
            screen.line(f"    becomes: {target.change or SECRET_CHANGE}", indent=None)
    screen.line(last)


def print_sheets(sheets: Iterable[SheetChange], screen: Screen) -> None:
    """Print a line for each sheet that differs, with the differing fields."""
    for sheet in sheets:
        if sheet.change == "changed":
            pairs = list(zip(sheet.fields, sheet.fields_in_words, strict=True))
            parts = [_field_change(difference) for field, difference in pairs if field.field not in sheet.open]
            if open_fields := [difference.field for field, difference in pairs if field.field in sheet.open]:
                parts.append(
                    f"{listed(open_fields)} {'depends' if len(open_fields) == 1 else 'depend'} on what is drawn"
                )
            what = ", ".join(parts)
        else:
            what = sheet.change
        screen.line(Span(f"    {called(sheet.name)}: ", "bold"), Span(what, "yellow"), indent=6)


def _field_change(field: Difference) -> str:
    if field.change == "gone":
        return f"{field.field} gone"
    if field.change == "new":
        return f"{field.field}: {in_words(field.new)}"
    if (members := change_of_members(field.old, field.new)) is not None:
        return f"{field.field} {members}"
    return f"{field.field} {in_words(field.old)} → {in_words(field.new)}"


#: Before what comes of each answer where later results may stay as they were announced, or be decided again.
HEADING_KEEP, HEADING_DECIDE_AGAIN = "If the later results are kept:", "If they are decided again:"


def revision_lines(
    handler: CommandHandler, preview: ActionPreview, eyes: str | None, page: Page, keeping: ActionPreview | None = None
) -> list[str]:
    """Print a preview on `page` and return its lines. `eyes` limits it to one seat's knowledge (None: no limit).

    `keeping` is the preview of keeping the later results, where that can be chosen.
    """
    screen = Screen("auto", page)
    if eyes is not None and not may_tell_results(handler, preview, eyes):
        targets = revision_targets(handler, preview.turns[0].action, eyes)
        print_revision_targets(targets, screen, last=MAY_DEPEND_AT_THE_TABLE)
    else:
        print_with_and_without_keeping(handler.system, preview, keeping, screen)
    screen.flush()
    return page.getvalue().splitlines()


def may_tell_results(handler: CommandHandler, preview: ActionPreview, eyes: str | None) -> bool:
    """Whether those who look on may know what comes of a revision before it is done."""
    return eyes is None or (eyes == TABLE and not _concerns_face_down(handler, preview))


def _concerns_face_down(handler: CommandHandler, preview: ActionPreview) -> bool:
    """Whether a choice that nobody at the table may know yet can have to do with a preview, or with what it names.

    A choice that was taken back has never been revealed, so no turn that makes one is shown, whenever it was made.
    """
    turns = (*preview.own, *preview.changed)
    facts = (event for turn in turns for event in (*(turn.before or ()), *(turn.after or ())))
    chooses = any(secret.until_revealed for event in facts for secret in secrets_of(type(event)).values())
    return chooses or bool(preview.conflicts) or bool(face_down(handler.system, handler.state()))


def print_with_and_without_keeping(
    system: RuleSystem, preview: ActionPreview, keeping: ActionPreview | None, screen: Screen
) -> None:
    """Print a preview; where the later results may be kept, what both answers have in common and then each of them."""
    if keeping is None:
        print_preview(system, preview, screen)
        return
    same = [(change.turn, change.before, change.after) for change in keeping.changed]
    common = [change for change in preview.changed if (change.turn, change.before, change.after) in same]
    alike = [change.turn for change in common]
    print_preview(system, replace(preview, changed=common, sheets=(), open=False), screen)
    for heading, result in ((HEADING_KEEP, keeping), (HEADING_DECIDE_AGAIN, preview)):
        screen.line(heading)
        own = [change for change in result.changed if change.turn not in alike]
        stays = [f"T{change.turn}" for change in own if result is keeping and _reads_as_before(change)]
        own = [change for change in own if f"T{change.turn}" not in stays]
        if stays:
            screen.line(f"{listed(stays)} {'stays as it was' if len(stays) == 1 else 'stay as they were'} announced.")
        print_preview(system, replace(result, outcomes=(), own=(), changed=own, moved={}), screen)


def _reads_as_before(change: ChangedTurn) -> bool:
    return change.before is not None and change.after is not None and read_alike(change.before, change.after)
