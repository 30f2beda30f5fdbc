"""What one seat sees of the campaign, now and after an earlier turn: its sheets, the party and the turns.

What may be seen is decided where `--as` decides it: everything here is asked of an audience, or of a projection that
takes a viewer.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from cli.recording.audience import Audience
from cli.serving.controls import label_of_sheet_field
from cli.serving.forms import Forms
from cli.serving.invitations import Invitations, Seat
from cli.serving.offers import Offers, PendingView
from cli.serving.permissions import SeatPermissions
from cli.serving.recent_turns import RecentTurns
from cli.serving.table_view import FigureView, PartyLine, SheetView, TableView
from cli.serving.tap_handler import TapHandler
from cli.serving.touching import Direction, Touch, adjustment_of, figures_of, touch_of, tracked_figures
from cli.serving.turned_over import OpenQuestion, OpenQuestions
from cli.serving.wording import plain_for_page, sentence_in_words
from cli.shell.references import turn_name
from cli.store.stored_log import StoredLog
from cli.terminal.sheet import ends_of_those_out
from domain.common.sheets import Override
from domain.common.tracking import Track
from domain.log.command_handler import CommandHandler
from domain.log.deciding import names_in
from domain.log.folding import state_at, state_before
from domain.log.points import sessions_of, turn_at
from domain.naming import key_of, name_meant, singular
from domain.refusal import Refusal
from domain.registry import verb_name
from domain.system.rows import tracked_rows
from domain.system.rulesystem import RuleSystem
from domain.system.secrets import lies_face_down
from domain.system.state import Game
from domain.times import local_now
from projections.chronicle import Entry
from projections.difference import field_title
from projections.secrecy import ANYBODY, face_down

#: Turns that are in sight on the first page, and on a page of the log.
LATEST, ON_A_PAGE = 12, 50


class SeatView:
    """What one seat sees of an open campaign, and what it does there."""

    def __init__(
        self,
        log: StoredLog,
        system: RuleSystem,
        handler: CommandHandler,
        seat: Seat,
        invitations: Invitations,
        recent: RecentTurns,
        open_questions: OpenQuestions,
        *,
        by: str | None = None,
        readonly: bool = False,
    ) -> None:
        self.log, self.system, self.seat = log, system, seat
        #: whom the readings ask for: None, everything
        self.viewer = {"referee": None, "table": ANYBODY}.get(seat.role, seat.name)
        is_referee = seat.role == "referee"
        self.audience = Audience(log, system, handler.state, viewer=self.viewer, keeper=is_referee, says=plain_for_page)
        # a player who is called as the referee signs takes back nothing of the referee's
        is_namesake = by is not None and key_of(seat.address) == key_of(by)
        author = by if is_referee else seat.key if is_namesake else seat.address
        self.permissions = SeatPermissions(handler, self.audience, seat, recent, by=author, readonly=readonly)
        if not is_referee:
            self.audience.narrows = self.permissions.narrow
        self.taps = TapHandler(handler, self.audience, self.permissions, invitations, recent, open_questions)
        player = None if is_referee else seat.name
        self.forms = Forms(self.audience, player, self.audience.cards, self.permissions.amendable)
        self.actions = self.forms.actions
        self.offers = Offers(self.audience, self.permissions, self.taps, self.actions)
        self.recent, self._open_questions = recent, open_questions
        self._now: TableView | None = None
        self._open: OpenQuestion | None = None

    def forms_at(self, place: str) -> Forms:
        """The forms of what happened directly after this place in the log; "": of what happens now.

        Raises Refusal for a player, Unknown and Invalid for no place.
        """
        if not place:
            return self.forms
        if not self.permissions.is_referee:
            raise Refusal(None, "Whoever keeps the log can tell what happened earlier.")
        last = self.log.last()
        point = turn_at(turn_name(place), self.log, last, now=local_now())
        then = state_before(self.system, self.log, point + 1, last)
        audience = Audience(self.log, self.system, lambda: then, keeper=True, says=plain_for_page)
        return Forms(audience, None, audience.cards, self.permissions.amendable, late=f"T{point}")

    def now(self) -> TableView:
        """The table now; worked out once a turn, and for each question that stands on it."""
        last, question = self.log.last(), self._open_questions.known()
        if self._now is None or self._now.last != last or self._open is not question:
            self._open = question
            self._now = self._view_of(self.audience.current(), last, last)
        return self._now

    def at(self, point: int) -> TableView:
        """The table as it was after a turn."""
        last = self.log.last()
        return self.now() if point == last else self._view_of(state_at(self.system, self.log, point), point, last)

    def _view_of(self, state: Game, point: int, last: int) -> TableView:
        sheets = self.audience.sheets(state)
        is_player = self.seat.role == "player"
        is_now = point == last
        # a display has one card for each character, and no sheets
        own = self.actions.plays() if is_player else () if self.seat.role == "table" and is_now else state.characters
        pending = list(self.offers.pending(last, self._open, to_player=is_player)) if is_now else []
        latest = self.recent.after(self.audience, max(0, last - LATEST), last)[::-1] if is_now else ()
        return TableView(
            campaign=state.campaign.name,
            session=state.campaign.session,
            last=last,
            point=point,
            table=self.system.whole_table_rows(state),
            table_figures=[
                FigureView(figure.label, figure.now, less="Less", more="More")
                for figure in (tracked_figures(state.table.tracked) if self.seat.role == "referee" and is_now else ())
            ],
            own=[self._sheet(state, name, sheets[name], pending, is_now=is_now) for name in own if name in sheets],
            party=[
                self._in_brief(state, name, sheet)
                for name, sheet in sheets.items()
                if not (is_player and is_now and name in own)
            ],
            pending=pending,
            choice_status=self.audience.has_chosen() if is_now else "",
            own_choice=self._own_choice(state, own) if is_player and is_now else "",
            latest=latest,
            told=self._told(last) if is_now else "",
            own_line=self.permissions.own_line.offered_to_undo() if is_now else (),
            own_line_in_words=self.permissions.own_line.numbers_in_words() if is_now else "",
            own_undo=self.permissions.own_line.offered_to_redo() if is_now else None,
            undone_in_words=self.permissions.own_line.undone_in_words() if is_now else "",
        )

    def _told(self, last: int) -> str:
        """The newest turn, as those know it who play nobody."""
        onlookers = Audience(self.log, self.system, self.audience.current, viewer=ANYBODY)
        return " ".join(map(sentence_in_words, self.recent.after(onlookers, last - 1, last)))

    def _own_choice(self, state: Game, own: Collection[str]) -> str:
        """What the own characters have chosen that still lies face down, a sentence each; "" for nothing."""
        chosen: dict[str, int] = {}
        for turn in self.recent.standing(self.log):
            if lies_face_down(type(turn.action)):
                chosen |= dict.fromkeys(names_in(turn.action), turn.number)
        numbers = [chosen[name] for name in face_down(self.system, state) if name in own and name in chosen]
        return " ".join(sentence_in_words(entry) for number in numbers for entry in self.turns(number - 1, number))

    def _sheet(
        self, state: Game, name: str, sheet: dict[str, Any], pending: Sequence[PendingView] = (), *, is_now: bool = True
    ) -> SheetView:
        """A sheet as this seat may know it. Nothing of an earlier one is touched."""
        names_on_offer = {card.name for decision in pending for card, _ in decision.cards}
        piles = self.system.laid_out(state, name, sheet)
        # the hand that is chosen from stands on the page once
        visible = [pile for pile in piles if not (pile.cards and {card.name for card in pile.cards} <= names_on_offer)]
        return SheetView(
            name,
            sheet.get("player") or "",
            (
                *self.system.rows(state, name, sheet),
                *tracked_rows(state.characters[name].tracked),
                *self.system.away_rows(sheet),
            ),
            visible,
            self.system.fallen(state, name) or "",
            ends_of_those_out(self.system, state, {name: sheet}).get(name, ""),
            tuple(self._figures(state, name, sheet)) if is_now else (),
            chooses=len(visible) < len(piles),
            by_hand=self._by_hand(name) if is_now else (),
            reasons=self._reasons(name, sheet) if is_now else {},
        )

    def _reasons(self, name: str, sheet: dict[str, Any]) -> dict[str, str]:
        """How it is asked where the fields of a sheet and its tracked values come from, by what they are called."""
        fields = {
            label: f"{name}.{field}"
            for field in sheet
            for label in (
                singular(field),
                field_title(self.system, field),
                label_of_sheet_field(self.system, field).casefold(),
            )
        }
        return {**fields, **{tracked: f"{name}.{tracked}" for tracked in sheet["tracked"]}}

    def _by_hand(self, name: str) -> Sequence[tuple[str, str]]:
        if self.permissions.only_reads or name not in self.actions.plays():
            return ()
        tracks = (verb_name(Track), "Track something")
        return (tracks, (verb_name(Override), "Set by hand")) if self.permissions.is_referee else (tracks,)

    def _figures(self, state: Game, name: str, sheet: dict[str, Any]) -> Iterator[FigureView]:
        """The figures of a sheet, with the ways that this seat may touch them."""
        acts = not self.permissions.only_reads and (self.seat.role == "referee" or name in self.actions.plays())
        for figure in figures_of(self.system, state, name, sheet):
            less, more = (figure.less, figure.more) if acts else (None, None)
            yield FigureView(
                figure.label,
                figure.now,
                figure.full,
                less.says if less else "",
                more.says if more else "",
                figure.vital,
            )

    def _in_brief(self, state: Game, name: str, sheet: dict[str, Any]) -> PartyLine:
        lines = self.system.brief_rows(state, name, sheet)
        # where the whole sheet stands on the page too, its cards are looked at there
        visible = lines[:1] if self.seat.role != "player" else lines
        endings = ends_of_those_out(self.system, state, {name: sheet})
        is_foe = self.system.is_foe(state, name)
        return PartyLine(
            name,
            () if endings else visible,
            endings.get(name, ""),
            is_foe,
            player=sheet.get("player") or "",
            reason=f"{name}.{self.system.vital[0]}",
            vital=next((figure for figure in self._figures(state, name, sheet) if figure.vital), None),
            acts=self.system.whose_turn(state) == name,
        )

    def touch(self, names: Sequence[str], label: str, direction: Direction) -> Touch:
        """A figure that is touched, of one character or of several. Raises Unknown, Refusal."""
        state = self.audience.current()
        able = self.actions.plays()
        people = list(dict.fromkeys(name_meant(name, state.characters) for name in names))
        if (
            self.permissions.only_reads
            or any(name not in able for name in people)
            or not (people or self.seat.role == "referee")
        ):
            raise Refusal(None, "This seat cannot change that.")
        sheets = self.audience.sheets(state)
        figures = (
            figures_of(self.system, state, people[0], sheets[people[0]])
            if people
            else tracked_figures(state.table.tracked)
        )
        adjustment = adjustment_of(figures, label, direction)
        here = [n for n in self.actions.able(adjustment.action) if state.characters[n].away is None or n in people]
        return touch_of(self.taps, adjustment, people, here, label, direction)

    def picture(self, name: str) -> SheetView:
        """One sheet now. Raises Unknown."""
        state = self.audience.current()
        character = name_meant(name, state.characters)
        return self._sheet(state, character, self.audience.sheets(state)[character])

    def new_entries(self, after: int, upto: int) -> list[Entry]:
        """The turns after one that have just come, as this seat may know them."""
        return list(self.recent.after(self.audience, after, upto))

    def turns(self, after: int, upto: int) -> list[Entry]:
        """Any turns, as this seat may know them; only these are read."""
        return [entry for entry in self.audience.chronicle(after, upto) if entry.turn <= upto]

    def sessions(self) -> list[tuple[int, int, int]]:
        """Every session: its number, its first turn and its last."""
        return [(number, first, last) for number, (first, last) in sessions_of(self.log).items()]
