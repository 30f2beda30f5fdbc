"""What one seat sees of the campaign: sheets, the party, what the table waits for, turns, and the curves of figures.

What may be seen is decided where `--as` decides it: everything here is asked of an audience, or of a projection that
takes a viewer.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cli.recording.audience import Audience
from cli.recording.steps import sign_of
from cli.serving.buttons import card_of, is_grave, label_of
from cli.serving.controls import label_of_sheet_field
from cli.serving.forms import Forms
from cli.serving.invitations import Invitations, Seat
from cli.serving.permissions import SeatPermissions
from cli.serving.recent_turns import RecentTurns
from cli.serving.tap import ConfirmationNeeded, OfferedChoice, RulesQuestion, Tap
from cli.serving.tap_handler import TapHandler
from cli.serving.touching import Direction, Touch, adjustment_of, figures_of, touch_of, tracked_figures
from cli.serving.turned_over import OpenQuestion, OpenQuestions
from cli.serving.wording import plain_for_page, sentence_in_words
from cli.shell.references import turn_name
from cli.store.stored_log import StoredLog
from cli.terminal.sheet import ends_of_those_out
from domain.choice import Choice
from domain.common.sheets import Override
from domain.common.tracking import Track
from domain.log.command_handler import CommandHandler
from domain.log.deciding import names_in
from domain.log.folding import state_at, state_before
from domain.log.points import sessions_of, turn_at
from domain.naming import called, capitalised, key_of, listed, name_meant, singular
from domain.refusal import Invalid, Refusal
from domain.registry import action_from, tag_of, verb_name
from domain.system.drafts import about, narrow
from domain.system.field_schema import fields_of
from domain.system.pending import PendingDecision
from domain.system.rows import Bar, Bit, CardView, PileView, Row, tracked_rows
from domain.system.rulesystem import RuleSystem
from domain.system.secrets import lies_face_down
from domain.system.state import Game
from domain.times import local_now
from domain.turn import Action
from projections.chronicle import Entry
from projections.difference import field_title
from projections.secrecy import ANYBODY, face_down

#: Turns that are in sight on the first page, and on a page of the log.
LATEST, ON_A_PAGE = 12, 50
#: Up to this many buttons stand for one choice that leaves something open, rather than a question behind it.
MOST_SPREAD = 16


class FigureView(Struct, frozen=True):
    """A number of a sheet that can be touched: what making it less or more is called; nothing: this seat may not."""

    label: str
    now: int
    full: int | None = None
    less: str = ""
    more: str = ""
    vital: bool = False

    @property
    def bar(self) -> Bar | None:
        """The figure as a bar; None without a maximum."""
        return Bar(self.now, self.full) if self.full else None


class SheetView(Struct, frozen=True):
    """One sheet as this seat sees it."""

    name: str
    player: str
    rows: Sequence[Row]
    piles: Sequence[PileView] = ()
    #: what keeps the character from acting, and what they are if that is for good (dead, retired)
    fallen: str = ""
    out: str = ""
    figures: Sequence[FigureView] = ()
    #: whether the cards in hand stand on the page already, to be chosen
    chooses: bool = False
    #: verbs by which this seat writes on it what no rule does, each with the words of its link
    by_hand: Sequence[tuple[str, str]] = ()
    #: where the values of rows come from is asked like this, by the labels of the rows
    reasons: Mapping[str, str] = {}

    def reason(self, label: str) -> str:
        """How it is asked where a row comes from, by its label or its last word that is a field; "" if none is."""
        found = (self.reasons.get(name) for name in (label, *reversed(label.split())))
        return next(filter(None, found), "")

    def figure(self, label: str) -> FigureView | None:
        """The figure of a row."""
        return next((figure for figure in self.figures if figure.label == label), None)

    def is_vital(self, label: str) -> bool:
        """Whether the figure of a row stands above the sheet already."""
        figure = self.figure(label)
        return figure is not None and figure.vital


class PartyLine(Struct, frozen=True):
    """One character in a line or a few; none: out of it."""

    name: str
    lines: Sequence[Sequence[Bit]]
    fallen: str = ""
    is_foe: bool = False
    player: str = ""
    #: how it is asked where the bar comes from
    reason: str = ""
    #: what is watched all evening
    vital: FigureView | None = None
    #: whether it is their turn
    acts: bool = False


class PendingView(Struct, frozen=True):
    """Something that the table waits for, or a question of the rules, with what this seat may do about it."""

    why: str
    #: plain buttons
    choices: tuple[OfferedChoice, ...] = ()
    #: cards to choose, each with its buttons; none: it cannot be chosen now
    cards: Sequence[tuple[CardView, tuple[OfferedChoice, ...]]] = ()
    #: how to choose
    hint: str = ""
    #: cards that were chosen first
    leading: Sequence[str] = ()
    #: the same for as long as it is open
    key: str = ""
    #: whether it is asked about something that was tapped, and the mark of the question that leaving it takes from a
    #: player's phone too
    is_question: bool = False
    withdraws: str = ""

    @property
    def is_halved(self) -> bool:
        """Whether a card has more than one button."""
        return any(len(choices) > 1 for _, choices in self.cards)


class TableView(Struct, frozen=True):
    """The table as one seat sees it now, or as it was at turn `point`."""

    campaign: str
    session: int | None
    #: the last turn there is, and the one that is looked at
    last: int
    point: int
    table: Sequence[Row]
    #: the table's own numbers that this seat may touch
    table_figures: Sequence[FigureView]
    own: Sequence[SheetView]
    party: Sequence[PartyLine]
    pending: Sequence[PendingView] = ()
    choice_status: str = ""
    #: what this player has chosen face down, in a sentence
    own_choice: str = ""
    latest: Sequence[Entry] = ()
    #: the turns of the last line of this seat
    own_line: tuple[int, ...] = ()
    own_line_in_words: str = ""
    #: the newest of them, as whoever looks over a shoulder may know it
    told: str = ""
    #: the undo that can be taken back, as nothing has followed it from this seat, and the turns that it took back
    own_undo: int | None = None
    undone_in_words: str = ""

    def table_figure(self, label: str) -> FigureView | None:
        """The table's own number that stands in a row."""
        return next((figure for figure in self.table_figures if figure.label == label), None)


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
        pending = list(self._pending(last)) if is_now else []
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

    def _pending(self, last: int) -> Iterator[PendingView]:
        if self._open is not None and (self._open.binds or self.seat.role == "player"):
            question = self.taps.about_open(self._open)
            # what was turned over has been seen by all; what the referee told of is for whom it is about
            if self._open.binds or question.choices:
                yield self.laid_out(question.why, question.choices, key="open question")
        for decision in self.system.pending_now(self.audience.current()):
            choices = (
                () if self.permissions.only_reads else tuple(self._choices(self.audience.asked_here(decision), last))
            )
            why = decision.why or decision.prompt
            if why or choices:
                first = decision.choices[0] if decision.choices else None
                key = f"{about(first) or 'table'} {tag_of(first.action)}" if first is not None else why
                yield self.laid_out(why, choices, key=key, hint=_hint(decision) if choices else "")

    def laid_out(
        self,
        why: str,
        choices: Sequence[OfferedChoice],
        *,
        key: str = "",
        hint: str = "",
        leading: Sequence[str] = (),
        is_question: bool = False,
    ) -> PendingView:
        """Choices as they are shown: several cards as cards, in the order in which they lie, the rest as buttons."""
        cards = self.audience.cards()
        names_on_offer = list(dict.fromkeys(choice.card.name for choice in choices if choice.card is not None))
        if len(names_on_offer) + len(leading) < 2:
            return PendingView(why, tuple(choices), hint=hint, key=key, is_question=is_question)
        names = sorted({*names_on_offer, *leading}, key=list(cards).index)
        faces = [(cards[name], tuple(choice for choice in choices if choice.card == cards[name])) for name in names]
        plain = tuple(choice for choice in choices if choice.card is None)
        return PendingView(why, plain, faces, hint, leading, key, is_question)

    def question(self, question: RulesQuestion) -> PendingView:
        """What the rules ask about a tap, with the cards that were chosen before in their places."""
        leading = self._chosen_first(question.choices[0].tap) if question.choices else []
        why = question.why
        if leading:
            cards = self.audience.cards()
            figures = [f"{name} leads with {cards[name].figure}." for name in leading if cards[name].figure]
            # whose card it is stands above already
            why = " ".join((*figures, f"Now {why.rpartition(': ')[2]}."))
        view = self.laid_out(why, question.choices, leading=leading, is_question=not question.is_turned_over)
        return replace(view, withdraws=question.mark)

    def _chosen_first(self, tap: Tap) -> list[str]:
        """The card that a tap chose to lead, where its choice asks for one."""
        choice = self.audience.choice_of(tap.choice) if len(tap.answers) > 1 else None
        if choice is None or choice.asks[:1] != ("lead",):
            return []
        decision = narrow(self.system, self.audience.known(), choice)
        choices = decision.choices if decision is not None else ()
        first = [lead.says for lead in choices if sign_of(lead) == tap.answers[0]]
        return [name for name in first if name in self.audience.cards()]

    def confirmation_of(self, tap: Tap) -> ConfirmationNeeded | None:
        """What is asked before a tap that nobody takes lightly, or that ends something for everybody.

        The latter names who has not done yet what it ends.
        """
        if tap.sure or self.permissions.only_reads:
            return None
        choice = self._choice_of(tap)
        if choice is None:
            return None
        kind, sure = choice.action, replace(tap, sure=True)
        if is_grave(choice):
            label = label_of(choice).capitalize()
            return ConfirmationNeeded((self.taps.outcome_of(choice) or label,), sure, why=f"{label}?", label=label)
        if not kind.ends_for_everybody:
            return None
        label = verb_name(kind).replace("-", " ")
        waiting = tuple(self._still_waiting(kind))
        if not waiting and kind.confirm_only_if_unready:
            return None
        label = capitalised(label)
        return ConfirmationNeeded((*waiting, kind.ends_for_everybody), sure, why=f"{label}?", label=label)

    def _choice_of(self, tap: Tap) -> Choice | None:
        """The choice that a tap makes, or its action as one; None of a line."""
        if tap.choice:
            return self.audience.choice_of(tap.choice)
        if tap.action:
            with suppress(msgspec.DecodeError, RecursionError, Invalid):
                fields = msgspec.json.decode(tap.action, type=dict[str, Any])
                kind = type(action_from(self.log.rules, fields))
                return Choice(kind, {name: value for name, value in fields.items() if name != "type"})
        return None

    def _still_waiting(self, kind: type[Action]) -> Iterator[str]:
        """Who could still do something now, a sentence each."""
        for decision in self.system.pending_now(self.audience.current()):
            others = dict.fromkeys(
                about(choice) for choice in decision.choices if choice.action is not kind and about(choice)
            )
            if others:
                yield (
                    decision.why or decision.prompt or f"{listed(map(called, filter(None, others)))} can still choose."
                )

    def _choices(self, decision: PendingDecision, last: int) -> Iterator[OfferedChoice]:
        several, cards = len(self.actions.plays()) > 1, self.audience.cards()
        for choice in decision.choices:
            tap = Tap(last, choice=sign_of(choice))
            for says, answers, option in self._spread(choice, MOST_SPREAD // len(decision.choices)):
                outcome = self.taps.outcome_of(option)
                if outcome is None:
                    continue
                card = card_of(option, cards)
                short = ", ".join(word for word in says if card is None or word != card.name)
                full_tap = replace(tap, answers=answers, fingerprint=self.taps.fingerprint(outcome))
                label = label_of(choice, says, whose=several)
                yield OfferedChoice(label, full_tap, outcome, card, short, is_grave(option))

    def _spread(self, choice: Choice, most: int) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], Choice]]:
        """A choice that leaves something open, as one for each value of it: (the words, their signs, the choice).

        If these were more than `most`, the choice alone: the value is asked once it is made.
        """
        decision = narrow(self.system, self.audience.known(), choice)
        if decision is None or len(decision.choices) > most:
            yield (), (), choice
            return
        for value in decision.choices:
            for says, signs, option in self._spread(value, most // len(decision.choices)):
                yield (value.says, *says), (sign_of(value), *signs), option

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


def _hint(decision: PendingDecision) -> str:
    """How to choose, where two things are chosen one after the other: which comes first, and what that means."""
    choice = next((choice for choice in decision.choices if choice.asks[:1] == ("lead",)), None)
    if choice is None:
        return ""
    words = {field.key: field.description or field.key for field in fields_of(choice.action)}
    return f"Tap {words[choice.asks[0]]} first, then {words[choice.asks[1]]}."


def as_title(name: str) -> str:
    """A name as it begins a line."""
    return capitalised(called(name))
