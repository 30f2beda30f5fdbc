"""The preview of a revision as lines, limited to what those who look on may know."""

from cli.terminal.answers import MAY_DEPEND_AT_THE_TABLE, print_preview, print_revision_targets
from cli.terminal.screen import Page, Screen
from domain.log.command_handler import CommandHandler
from projections.preview import ActionPreview
from projections.revision_targets import revision_targets


def revision_lines(handler: CommandHandler, preview: ActionPreview, eyes: str | None, page: Page) -> list[str]:
    """Print a preview on `page` and return its lines. `eyes` limits it to one seat's knowledge (None: no limit)."""
    screen = Screen("auto", page)
    if eyes is None:
        print_preview(handler.system, preview, screen, as_json=False)
    else:
        targets = revision_targets(handler, preview.turns[0].action, eyes)
        print_revision_targets(targets, screen, as_json=False, last=MAY_DEPEND_AT_THE_TABLE)
    screen.flush()
    return page.getvalue().splitlines()
