"""What a change of earlier turns comes to, as lines for those who look on."""

from cli.terminal.answers import print_preview, print_revision_targets
from cli.terminal.screen import Page, Screen
from domain.log.command_handler import CommandHandler
from projections.preview import ActionPreview
from projections.revision_targets import revision_targets


def revision_lines(handler: CommandHandler, preview: ActionPreview, eyes: str | None, page: Page) -> list[str]:
    """The lines of a preview, printed on `page`. `eyes` are those who look on (None: nothing is kept from them)."""
    screen = Screen("auto", page)
    if eyes is None:
        print_preview(handler.system, preview, screen, as_json=False)
    else:
        print_revision_targets(revision_targets(handler, preview.turns[0].action, eyes), screen, as_json=False)
    screen.flush()
    return page.getvalue().splitlines()
