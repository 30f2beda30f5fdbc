"""Whether a tap is in the log already: sent twice, or a question that somebody has answered on another phone."""

from collections.abc import Iterable, Sequence

import msgspec

from cli.line.understanding import Understood
from cli.recording.audience import Audience
from cli.serving.invitations import Invitations
from cli.serving.permissions import SeatPermissions
from cli.serving.recent_turns import RecentTurns
from cli.serving.tap import Recorded, Tap
from domain.common.revisions import REVISIONS
from domain.log.command_handler import CommandHandler
from projections.chronicle import Entry


class EarlierTaps:
    """The taps of one seat that have made their turns."""

    def __init__(
        self,
        handler: CommandHandler,
        audience: Audience,
        permissions: SeatPermissions,
        invitations: Invitations,
        recent: RecentTurns,
    ) -> None:
        self._handler, self._audience, self._permissions = handler, audience, permissions
        self._invitations, self._recent = invitations, recent

    def turn_id(self, tap: Tap, nth: int) -> str:
        """The id of the turn that the nth action of a tap makes, whenever it is sent."""
        return self._invitations.tap_id(self._permissions.seat, nth, *tap.identity)

    def recorded(self, tap: Tap) -> Recorded | None:
        """The turns of a tap that was sent before; None: it was not."""
        numbers: list[int] = []
        while (turn := self._handler.log.find(self.turn_id(tap, len(numbers)))) is not None:
            numbers.append(turn.number)
        if not numbers:
            return None
        return _repeated(self._audience.chronicle(min(numbers) - 1, max(numbers)), numbers)

    def answer_since(self, at: int, understood: Understood, *, by_another: bool = False) -> Recorded | None:
        """The turn since turn `at` that says what one action does, and more: what the rules asked about it.

        None: there is none, or with `by_another` it is this seat's own.
        """
        if not at or len(understood.actions) != 1 or isinstance(understood.actions[0], REVISIONS):
            return None
        tapped = msgspec.to_builtins(understood.actions[0])
        since = (turn for turn in self._recent.standing(self._handler.log) if turn.number > at)
        answer = next((turn for turn in since if tapped.items() <= msgspec.to_builtins(turn.action).items()), None)
        if answer is None or (by_another and answer.by == self._permissions.by):
            return None
        entries = self._recent.after(self._audience, answer.number - 1, self._handler.last())
        return _repeated(entries, [answer.number])


def _repeated(entries: Iterable[Entry], numbers: Sequence[int]) -> Recorded:
    return Recorded(tuple(entry for entry in entries if entry.turn in numbers), repeated=True)
