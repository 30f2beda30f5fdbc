"""The preview of a revision as lines, limited to what those who look on may know."""

from msgspec.structs import replace

from cli.terminal.answers import MAY_DEPEND_AT_THE_TABLE, print_preview, print_revision_targets
from cli.terminal.screen import Page, Screen
from domain.log.command_handler import CommandHandler
from domain.log.revising import ChangedTurn
from domain.naming import listed
from domain.system.rulesystem import RuleSystem
from domain.system.secrets import secrets_of
from projections.chronicle import read_alike
from projections.preview import ActionPreview
from projections.revision_targets import revision_targets
from projections.secrecy import TABLE, face_down

#: Before what comes of each answer where later results may stay as they were announced, or be decided again.
HEADING_KEEP, HEADING_DECIDE_AGAIN = "If the later results are kept:", "If they are decided again:"


def revision_lines(
    handler: CommandHandler, preview: ActionPreview, eyes: str | None, page: Page, keeping: ActionPreview | None = None
) -> list[str]:
    """Print a preview on `page` and return its lines. `eyes` limits it to one seat's knowledge (None: no limit).

    `keeping` is the preview of keeping the later results, where that can be chosen.
    """
    screen = Screen("auto", page)
    if eyes is not None and not tells_results(handler, preview, eyes):
        targets = revision_targets(handler, preview.turns[0].action, eyes)
        print_revision_targets(targets, screen, as_json=False, last=MAY_DEPEND_AT_THE_TABLE)
    else:
        print_choices(handler.system, preview, keeping, screen)
    screen.flush()
    return page.getvalue().splitlines()


def tells_results(handler: CommandHandler, preview: ActionPreview, eyes: str | None) -> bool:
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


def print_choices(system: RuleSystem, preview: ActionPreview, keeping: ActionPreview | None, screen: Screen) -> None:
    """Print a preview; where the later results may be kept, what both answers have in common and then each of them."""
    if keeping is None:
        print_preview(system, preview, screen, as_json=False)
        return
    same = [(change.turn, change.before, change.after) for change in keeping.changed]
    common = [change for change in preview.changed if (change.turn, change.before, change.after) in same]
    alike = [change.turn for change in common]
    print_preview(system, replace(preview, changed=common, sheets=(), open=False), screen, as_json=False)
    for heading, result in ((HEADING_KEEP, keeping), (HEADING_DECIDE_AGAIN, preview)):
        screen.line(heading)
        own = [change for change in result.changed if change.turn not in alike]
        stays = [f"T{change.turn}" for change in own if result is keeping and _reads_as_before(change)]
        own = [change for change in own if f"T{change.turn}" not in stays]
        if stays:
            screen.line(f"{listed(stays)} {'stays as it was' if len(stays) == 1 else 'stay as they were'} announced.")
        print_preview(system, replace(result, outcomes=(), own=(), changed=own, moved={}), screen, as_json=False)


def _reads_as_before(change: ChangedTurn) -> bool:
    return change.before is not None and change.after is not None and read_alike(change.before, change.after)
