"""The audience of a user interface: one seat, everybody at a shared screen, or the keeper; it limits what is shown."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from cli.line.context import Context
from cli.recording.steps import sign_of
from domain.choice import Choice
from domain.common.notes import Note
from domain.common.revisions import REVISIONS
from domain.common.sheets import Override
from domain.log.deciding import names_in
from domain.log.effective_history import EffectiveTurn, effective_history, effective_turns
from domain.log.port import Log
from domain.naming import called, listed
from domain.system.drafts import about
from domain.system.field_schema import fields_of
from domain.system.pending import PendingDecision, choices_in
from domain.system.rows import CardView
from domain.system.rulesystem import RuleSystem
from domain.system.secrets import lies_face_down
from domain.system.state import Game
from domain.turn import Action, Event, Sentence, Turn
from projections.chronicle import Entry, entry_for
from projections.secrecy import (
    ANYBODY,
    TABLE,
    Onlooker,
    as_known_to,
    face_down,
    keeps_turn,
    must_be_own,
    owns,
    played_by,
    readable,
    sheet_for,
)
from projections.sentences import join_sentences, parts_of, plain


class Audience:
    """Those who look on at one log, and what they may know.

    `current` returns the present state; `viewer` is the one seat, `keeper` the keeper's; `reads` opens a file that a
    line names; `narrows` limits the context of lines to what the audience may do; `says` is how a sentence in its
    parts is read there.
    """

    def __init__(
        self,
        log: Log,
        system: RuleSystem,
        current: Callable[[], Game],
        *,
        viewer: str | None = None,
        keeper: bool = False,
        reads: Callable[[str], Any] | None = None,
        narrows: Callable[[Context], Context] = lambda context: context,
        says: Callable[[Sentence], str] = plain,
    ) -> None:
        self.log, self.system, self.current = log, system, current
        self.viewer, self.keeper, self.reads, self.narrows, self.says = viewer, keeper, reads, narrows, says
        #: whether a shared screen shows hands of cards
        self.hands = False

    @property
    def eyes(self) -> str | None:
        """Whose knowledge limits what is shown: a seat's, or everybody's at the table; None: no limit."""
        if self.keeper or not self.system.keeps_secrets:
            return None
        if self.viewer is not None:
            return self.viewer
        return TABLE if self.several_play else None

    @property
    def several_play(self) -> bool:
        """Whether the characters are known to belong to more than one player, or may."""
        sheets = self.current().characters.values()
        players = {getattr(sheet, "player", None) for sheet in sheets}
        return len(sheets) > 1 and (len(players) > 1 or None in players)

    def known(self, state: Game | None = None) -> Game:
        """A state as the audience may know it; None: the present one."""
        state, eyes = self.current() if state is None else state, self.eyes
        return state if eyes is None else as_known_to(self.system, state, eyes)

    @property
    def context(self) -> Context:
        """The context in which lines are understood."""
        eyes = self.eyes
        keeps = None if eyes is None else partial(self._keeps, eyes)
        return self.narrows(Context(self.system, self.known(), self.log, self.reads, keeps, known=self.known))

    def _keeps(self, eyes: str, turn: Turn) -> bool:
        return keeps_turn(self.system, self.log, turn, eyes)

    def must_be_own(self, action: Action) -> None:
        """Raise Refusal for an action of one seat about another player's secrets."""
        if self.viewer is not None and self.eyes is not None:
            must_be_own(self.system, self.current(), action, self.viewer)

    def may_record(self, action: Action) -> bool:
        """Whether one seat may do an action by itself: a note, what its own characters do, what the table waits for.

        Whatever revises earlier turns or the sheet against the rules is for whoever keeps the log.
        """
        if self.viewer is None or action.for_everybody:
            return True
        if isinstance(action, (*REVISIONS, Override)):
            return False
        first = next((field for field in fields_of(type(action)) if field.names), None)
        if first is None:
            return self.waits_for(type(action))
        people = getattr(action, first.name)
        people = (people,) if isinstance(people, str) else tuple(people or ())
        return bool(people) and all(owns(self.current(), name, self.viewer) for name in people)

    def waits_for(self, kind: type[Action]) -> bool:
        """Whether the table as a whole waits for such an action, and anybody may do it."""
        choices = choices_in(self.system.pending_for_table(self.current()))
        return any(choice.action is kind and about(choice) is None for choice in choices)

    def may_see_preview_of(self, action: Action) -> bool:
        """Whether the preview of an action may be shown: at one seat not that of another player's characters.

        The effect of an action that names nobody may depend on everybody's cards, so only notes are previewed then; at
        the whole table no step of the rules while cards lie face down, which whoever looks could still change.
        """
        if not self.system.keeps_secrets:
            return True
        if self.viewer is None:
            is_step = type(action) in self.system.actions and not names_in(action)
            return not (is_step and self.eyes is not None and self.has_chosen())
        state, names = self.current(), names_in(action)
        return isinstance(action, Note) or (bool(names) and all(owns(state, name, self.viewer) for name in names))

    def sentences(self, events: Sequence[Event]) -> str:
        """The sentences of events, as the audience may know them."""
        eyes = self.eyes
        if eyes is None:
            return self.says(parts_of(events))
        onlooker = Onlooker(self.system, self.current(), eyes)
        return self.says(
            join_sentences([onlooker.event(event, readable(self.system, event), None)[1] for event in events])
        )

    def sheets(self, state: Game) -> dict[str, dict[str, Any]]:
        """The sheets in a state, as the audience may know them."""
        eyes = self.eyes
        return {name: sheet_for(self.system, state, name, eyes) for name in state.characters}

    def cards(self) -> dict[str, CardView]:
        """The cards that the audience may look at now, by their names."""
        return self.system.cards_by_name(self.current(), self.sheets(self.current()))

    def party_sheets(self, state: Game) -> dict[str, dict[str, Any]]:
        """The sheets for the screen: on a shared one without hands of cards, unless `hands` is set."""
        if self.eyes != TABLE or self.hands:
            return self.sheets(state)
        return {name: sheet_for(self.system, state, name, ANYBODY) for name in state.characters}

    def chronicle(self, after: int, upto: int | None = None) -> Iterator[Entry]:
        """The turns after one, as the audience may know them, in fold order.

        With `upto` the log is read no further; a later turn that folds earlier may be among them.
        """
        history = effective_history(self.log, after=after) if upto is not None else None
        return self.entries(effective_turns(self.log, upto, history, after=after))

    def recent(self, after: int, last: int) -> Iterator[Entry]:
        """The same up to `last`, the last turn by now, without what any later one changes."""
        return self.entries(effective_turns(self.log, last, after=after))

    def entries(self, turns: Iterable[EffectiveTurn]) -> Iterator[Entry]:
        """These turns as the audience may know them."""
        now, eyes = self.current(), self.eyes
        return (entry_for(self.system, effective, None, now, eyes) for effective in turns)

    def own_characters(self) -> list[str]:
        """Whom this audience plays, or everybody of our side; whose turn it is first."""
        state, names = self.current(), played_by(self.current(), self.viewer)
        ours = [name for name in names or state.characters if not self.system.is_foe(state, name)]
        acting = self.system.whose_turn(state)
        return sorted(ours, key=lambda name: name != acting)

    def pending(self) -> list[PendingDecision]:
        """The pending decisions that this audience can settle."""
        return [own for own in map(self.asked_here, self.system.pending_now(self.current())) if own.choices]

    def choices(self) -> list[Choice]:
        """Their choices."""
        return choices_in(self.pending())

    def choice_of(self, sign: str) -> Choice | None:
        """Of these the one with this sign; None: it can be chosen no more."""
        return next((choice for choice in self.choices() if sign_of(choice) == sign), None)

    def asked_here(self, decision: PendingDecision) -> PendingDecision:
        """The decision with the choices that this audience can make: those for the own characters, or for nobody's."""
        if self.viewer is None:
            return decision
        state, viewer = self.current(), self.viewer
        choices = ((choice, about(choice)) for choice in decision.choices)
        own = tuple(choice for choice, who in choices if who is None or owns(state, who, viewer))
        return replace(decision, choices=own)

    def has_chosen(self, *, whole: bool = True) -> str:
        """Who has made a face-down choice: "Bea has chosen, 2 of 3"; without `whole` the count alone; "" for none."""
        state = self.current()
        choosers = face_down(self.system, state) if self.eyes is not None else []
        if not choosers:
            return ""
        choices = choices_in(self.system.pending_for_anyone(state))
        of = len({*choosers, *(about(choice) for choice in choices if lies_face_down(choice.action))} - {None})
        if not whole:
            return f"{len(choosers)} of {of} have chosen"
        who = [str(getattr(state.characters[name], "player", None) or called(name)) for name in choosers]
        return f"{listed(who)} {'has' if len(who) == 1 else 'have'} chosen, {len(choosers)} of {of}"
