"""What one seat sees of the campaign: sheets, the party, what the table waits for, turns, and the way things went.

What may be seen is decided where `--as` decides it: everything here is asked of a sitting, or of a projection that
takes a viewer.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cli.serving.doing import OfferedChoice, Tap, TapHandler, card_of, label_of, sign_of
from cli.serving.forms import Forms
from cli.serving.invitations import Invitations, Seat
from cli.store.streams import StoredLog
from cli.table.sitting import Sitting
from domain.log.command_handler import CommandHandler
from domain.log.folding import state_at
from domain.log.points import sessions_of
from domain.naming import called, name_meant
from domain.system.drafts import narrowed
from domain.system.pending import Choice, PendingDecision, besides
from domain.system.rows import Bit, Pile, Row
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from projections.chronicle import Entry
from projections.secrecy import ANYBODY

#: Turns that are in sight on the first page, and on a page of the log.
LATEST, ON_A_PAGE = 12, 50
#: So many buttons stand for one way that leaves something open, rather than a question behind it.
MOST_SPREAD = 16


class SheetView(Struct, frozen=True):
    """One sheet as one looks at it."""

    name: str
    player: str
    rows: Sequence[Row]
    piles: Sequence[Pile] = ()
    #: what keeps the character from acting
    fallen: str = ""


class PartyLine(Struct, frozen=True):
    """One character in a line or a few; none: out of it."""

    name: str
    lines: Sequence[Sequence[Bit]]
    fallen: str = ""


class PendingView(Struct, frozen=True):
    """Something that the table waits for, with what this seat may do about it."""

    why: str
    choices: tuple[OfferedChoice, ...] = ()


class TableView(Struct, frozen=True):
    """The table as one seat sees it now, or as it was at turn `point`."""

    campaign: str
    session: int | None
    #: the last turn there is, and the one that is looked at
    last: int
    point: int
    table: Sequence[Row]
    own: Sequence[SheetView]
    party: Sequence[PartyLine]
    open: Sequence[PendingView] = ()
    chosen: str = ""
    latest: Sequence[Entry] = ()
    own_last: int | None = None


class RecentTurns:
    """The turns after one as they are told, worked out once for all who may know the same of them."""

    def __init__(self) -> None:
        #: up to which turn, and for whose eyes after which turn
        self._told: tuple[int, dict[tuple[str | None, int], Sequence[Entry]]] = (0, {})

    def after(self, sitting: Sitting, number: int) -> Sequence[Entry]:
        """The turns after this one."""
        last = sitting.log.last()
        if last != self._told[0]:
            self._told = (last, {})
        told, key = self._told[1], (sitting.eyes, number)
        if key not in told:
            told[key] = tuple(sitting.chronicle(number))
        return told[key]

    def known(self, sitting: Sitting, number: int, last: int) -> Sequence[Entry] | None:
        """The same up to turn `last` if it was worked out already; nothing of the log is asked."""
        upto, told = self._told
        return told.get((sitting.eyes, number)) if upto == last else None


class SeatView:
    """One seat, open: what it sees and what it does."""

    def __init__(
        self,
        log: StoredLog,
        system: RuleSystem,
        handler: CommandHandler,
        seat: Seat,
        invitations: Invitations,
        recent: RecentTurns,
        *,
        by: str | None = None,
        readonly: bool = False,
    ) -> None:
        self.log, self.system, self.seat = log, system, seat
        #: whom the readings ask for: None, everything
        self.viewer = {"referee": None, "table": ANYBODY}.get(seat.role, seat.name)
        self.sitting = Sitting(
            log,
            system,
            handler,
            by=by if seat.role == "referee" else seat.name,
            viewer=self.viewer,
            keeper=seat.role == "referee",
            reads=None,
            hints=False,
        )
        self.doing = TapHandler(self.sitting, seat, invitations, readonly=readonly)
        self.forms = Forms(self.sitting, None if seat.role == "referee" else seat.name)
        self.recent = recent
        self._now: TableView | None = None

    def now(self) -> TableView:
        """The table now; worked out once a turn."""
        last = self.log.last()
        if self._now is None or self._now.last != last:
            self._now = self._seen(self.sitting.handler.state(), last, last)
        return self._now

    def at(self, point: int) -> TableView:
        """The table as it was after a turn."""
        last = self.log.last()
        return self.now() if point == last else self._seen(state_at(self.system, self.log, point), point, last)

    def _seen(self, state: Game, point: int, last: int) -> TableView:
        sheets = self.sitting.sheets(state)
        owned = self.forms.plays() if self.seat.role == "player" else tuple(state.characters)
        is_now = point == last
        return TableView(
            campaign=state.campaign.name,
            session=state.campaign.session,
            last=last,
            point=point,
            table=self.system.table_rows(state),
            own=[self._picture(state, name, sheets[name]) for name in owned if name in sheets],
            party=[self._in_brief(state, name, sheet) for name, sheet in sheets.items()],
            open=list(self._open(last)) if is_now else (),
            chosen=self.sitting.has_chosen() if is_now else "",
            latest=self.recent.after(self.sitting, max(0, last - LATEST))[::-1] if is_now else (),
            own_last=self.doing.own_last() if is_now and not self.doing.reads else None,
        )

    def _picture(self, state: Game, name: str, sheet: dict[str, Any]) -> SheetView:
        player = sheet.get("player")
        return SheetView(
            name,
            player if isinstance(player, str) else "",
            self.system.rows(state, name, sheet),
            self.system.laid_out(state, name, sheet),
            self.system.fallen(state, name) or "",
        )

    def _in_brief(self, state: Game, name: str, sheet: dict[str, Any]) -> PartyLine:
        return PartyLine(name, self.system.brief(state, name, sheet), self.system.fallen(state, name) or "")

    def _open(self, last: int) -> Iterator[PendingView]:
        state = self.sitting.handler.state()
        matters = self.system.pending_for_anyone(state)
        matters += besides(matters, self.system.pending_for_table(state))
        mine = [] if self.doing.reads else self.sitting.matters()
        for matter in matters:
            choices = tuple(self._choices(matter, last)) if matter in mine else ()
            if matter.why or choices:
                yield PendingView(matter.why, choices)

    def _choices(self, matter: PendingDecision, last: int) -> Iterator[OfferedChoice]:
        several, cards = len(self.forms.plays()) > 1, self.doing.cards()
        for way in matter.choices:
            tap = Tap(last, way=sign_of(way))
            for says, answers, meant in self._spread(way, MOST_SPREAD // len(matter.choices)):
                told = label_of(way, says, whose=several)
                yield OfferedChoice(told, replace(tap, answers=answers), self.doing.would(meant), card_of(meant, cards))

    def _spread(self, way: Choice, most: int) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], Choice]]:
        """A way that leaves something open, as one for each thing that it may be: (what is said, its signs, the way).

        Where that were more than `most`, it is asked once the way is chosen.
        """
        matter = narrowed(self.system, self.sitting.known(), way)
        if matter is None or len(matter.choices) > most:
            yield (), (), way
            return
        for each in matter.choices:
            for says, signs, meant in self._spread(each, most // len(matter.choices)):
                yield (each.says, *says), (sign_of(each), *signs), meant

    def picture(self, name: str) -> SheetView:
        """One sheet now. Raises Unknown."""
        state = self.sitting.handler.state()
        meant = name_meant(name, state.characters)
        return self._picture(state, meant, self.sitting.sheets(state)[meant])

    def heard(self, after: int, upto: int) -> list[Entry]:
        """The turns after one that have just come, as this seat may know them."""
        return [entry for entry in self.recent.after(self.sitting, after) if entry.turn <= upto]

    def turns(self, after: int, upto: int) -> list[Entry]:
        """Any turns, as this seat may know them; only these are read."""
        return [entry for entry in self.sitting.chronicle(after, upto) if entry.turn <= upto]

    def sessions(self) -> list[tuple[int, int, int]]:
        """Every session: its number, its first turn and its last."""
        return [(number, first, last) for number, (first, last) in sessions_of(self.log).items()]


def titled(name: str) -> str:
    """A name as it begins a line."""
    shown = called(name)
    return f"{shown[:1].upper()}{shown[1:]}"
