"""The lines about a step of a conversation: the turns that were recorded, and the preview before a question."""

from functools import partial

from cli.line.spelling import line_of_choice
from cli.recording.audience import Audience
from cli.recording.steps import Ask, TurnsRecorded
from cli.table.surface import Surface
from cli.terminal.answers import print_answer
from cli.terminal.previews import may_tell_results, print_sheets, revision_lines
from cli.terminal.screen import Screen
from domain.log.command_handler import CommandHandler
from projections.preview import ActionPreview
from projections.sheet_changes import new_sheet_changes


class StepLines:
    """Makes the lines, and remembers which preview was shown last with its results, as they are not shown twice.

    With `hints` the pending decisions are listed behind a turn.
    """

    def __init__(self, surface: Surface, audience: Audience, handler: CommandHandler, *, hints: bool) -> None:
        self._surface, self._audience, self._handler, self._hints = surface, audience, handler, hints
        self._preview_on_screen: ActionPreview | None = None

    def about_turns(self, step: TurnsRecorded) -> list[str]:
        """The lines about recorded turns, without what their preview has already shown."""
        page = self._surface.page()
        screen = Screen("auto", page)
        system, state, eyes = self._audience.system, self._handler.state(), self._audience.eyes
        preview = step.preview
        was_shown = preview is not None and (eyes is None or preview is self._preview_on_screen)
        for outcome in step.outcomes:
            print_answer(
                system,
                outcome,
                state,
                screen,
                table_before=system.pending_for_table(step.before),
                hints=self._hints,
                spell=partial(line_of_choice, self._audience.context),
                viewer=eyes,
                shown_before=was_shown,
            )
        if step.revises:
            shown_sheets = preview.sheets if preview is not None and was_shown else ()
            changes = new_sheet_changes(shown_sheets, system, step.before, state, viewer=eyes)
            print_sheets(changes, screen)
        screen.flush()
        return page.getvalue().splitlines()

    def before(self, ask: Ask) -> list[str]:
        """The lines before a question: its preview, or the later turns in conflict."""
        if ask.conflicts:
            return [f"T{later.turn}: {later.refusal}" for later in ask.conflicts]
        if ask.preview is None:
            return []
        self._preview_on_screen = (
            ask.preview if may_tell_results(self._handler, ask.preview, self._audience.eyes) else None
        )
        return self.of_revision(ask.preview, ask.keeping)

    def of_revision(self, preview: ActionPreview, keeping: ActionPreview | None = None) -> list[str]:
        """The lines of a change of earlier turns; `keeping`: the same with the later results kept, if they can be."""
        return revision_lines(self._handler, preview, self._audience.eyes, self._surface.page(), keeping)
