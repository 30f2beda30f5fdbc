"""Which actions one seat can do now, in which order they are offered, and about which characters each may be."""

import inspect
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal

from msgspec import Struct

from cli.line.trials import why_not
from cli.line.verbs import verbs_of
from cli.recording.audience import Audience
from cli.serving.permissions import is_for_players
from cli.terminal.sheet import ends_of_those_out
from domain.common import ACTIONS as COMMON
from domain.common.revisions import REVISIONS, Amend, Redo, Undo
from domain.refusal import Unknown
from domain.registry import tag_of, verb_name
from domain.system.drafts import about as about_whom
from domain.system.field_schema import fields_of
from domain.turn import Action
from projections.secrecy import played_by

#: Turns among which an undo is looked for, for a redo to be at hand.
LATELY = 12
#: Where an action stands in the list of all: what the table waits for, what is done all evening, what is about the
#: evening and the rules, and the rest.
Group = Literal["Now", "Often", "For the table", "More"]


class FormEntry(Struct, frozen=True):
    """One action in a list of them."""

    name: str
    help: str


class SeatActions:
    """The actions of one seat: `player` is whose it is; None: the referee's, who acts for everybody."""

    def __init__(self, audience: Audience, player: str | None, late: str = "") -> None:
        """`late`: the turn directly after which they happened, of which the audience knows the state."""
        self.audience, self.player, self.late = audience, player, late
        #: up to which turn it is known which actions are possible, and which
        self._possible: tuple[int, frozenset[str]] = (-1, frozenset())

    def plays(self) -> tuple[str, ...]:
        """The characters that this seat acts for."""
        return played_by(self.audience.current(), self.player)

    def kind(self, verb: str) -> type[Action]:
        asked_for = (choice.action for choice in self.audience.choices())
        kind = self._kinds.get(verb) or next((action for action in asked_for if verb_name(action) == verb), None)
        if kind is None:
            raise Unknown(
                "action", verb, f"There is no form for {verb[:60]!r} here", "What can be done is listed under Do."
            )
        return kind

    @cached_property
    def _kinds(self) -> Mapping[str, type[Action]]:
        return {
            verb_name(verb.kind): verb.kind
            for verb in verbs_of(self.audience.system.key)
            if not (self.late and issubclass(verb.kind, REVISIONS))
            and (self.player is None or verb.kind is Amend or is_for_players(verb.kind))
        }

    def entries(self) -> Mapping[Group, Sequence[FormEntry]]:
        """The actions that this seat can fill in now, by their groups."""
        possible, awaited = self._possible_now(), {choice.action for choice in self.audience.choices()}
        groups: dict[Group, list[FormEntry]] = {"Now": [], "Often": [], "For the table": [], "More": []}
        for name, kind in self._kinds.items():
            if name in possible:
                is_common = kind in COMMON and not kind.shorts
                group: Group = (
                    "Now" if kind in awaited else "For the table" if is_common else "Often" if kind.shorts else "More"
                )
                groups[group].append(_entry(name, kind))
        return {group: entries for group, entries in groups.items() if entries}

    def _possible_now(self) -> frozenset[str]:
        """The verbs that are not refused whatever is filled in; worked out once a turn."""
        last = self.audience.log.last()
        if self._possible[0] != last:
            self._possible = (last, frozenset(name for name, kind in self._kinds.items() if self._is_possible(kind)))
        return self._possible[1]

    def _is_possible(self, kind: type[Action]) -> bool:
        asked_for = {choice.action for choice in self.audience.choices()}
        if kind in COMMON or kind in asked_for:
            return True
        return why_not(self.audience.context, kind, self.plays()) is None

    def at_hand(self) -> tuple[FormEntry, ...]:
        """Those with a short name that are no answer to what the rules ask: a list for the first page."""
        acts = self._acts_now()
        return tuple(
            _entry(name, kind)
            for name, kind in self._kinds.items()
            if kind.shorts and not kind.only_when_pending and self._has_something_to_act_on(kind, acts)
        )

    def _has_something_to_act_on(self, kind: type[Action], acts: bool) -> bool:
        """Whether there is a character for what needs one, a turn to undo, an undo of late to redo; a quick check."""
        log, last = self.audience.log, self.audience.log.last()
        if kind is Undo:
            return last > 1
        if kind is Redo:
            return any(True for _ in log.read(max(0, last - LATELY), last, (tag_of(Undo),)))
        needed = [field for field in fields_of(kind) if field.required]
        if any(field.names == "character" for field in needed) and not acts:
            return False
        # as an item, of those who have none
        system, state, names = self.audience.system, self.audience.known(), self.plays()
        return not names or not any(
            field.added_by is None and all(system.proposals(state, kind, field.key, name) == () for name in names)
            for field in needed
        )

    def _acts_now(self) -> bool:
        """Whether this seat has a character who is not out of play, as the dead and the retired are."""
        system, state, names = self.audience.system, self.audience.current(), self.plays()
        if any(system.fallen(state, name) is None and state.characters[name].away is None for name in names):
            return True
        sheets = self.audience.sheets(state)
        return len(ends_of_those_out(system, state, {name: sheets[name] for name in names})) < len(names)

    def able(self, kind: type[Action]) -> tuple[str, ...]:
        """The characters of this seat, without those for whom such an action can only be refused; all if it is so."""
        names, choices = self.plays(), self.audience.choices()
        if kind in COMMON or not names:
            return names
        # whoever has nothing to settle first is asked about nothing
        fallen = {name for name in names if self.audience.system.fallen(self.audience.known(), name)}
        awaited = {about_whom(choice) for choice in choices if choice.action is kind}
        if kind.only_when_pending and awaited & set(names):
            return tuple(name for name in names if name in awaited)
        doubtful = (fallen | {about_whom(choice) for choice in choices}) - awaited
        context = self.audience.context
        ruled_out = {name for name in names if name in doubtful and why_not(context, kind, (name,))}
        return tuple(name for name in names if name not in ruled_out) or names

    def first_for_whom(self, kind: type[Action], able: Sequence[str]) -> str:
        """The first of these for whom an action is not refused whatever is filled in, as the wounded to be treated."""
        if kind in COMMON or len(able) == 1:
            return able[0]
        context = self.audience.context
        possible = (name for name in able if why_not(context, kind, (name,)) is None)
        return next(possible, able[0])

    def why_awaited(self, kind: type[Action], whose: str) -> str:
        """Why the table waits for such an action of somebody; "" if it does not."""
        whys = (
            decision.why or decision.prompt
            for decision in self.audience.pending()
            if any(choice.action is kind and about_whom(choice) == whose for choice in decision.choices)
        )
        return next(whys, "")


def _entry(name: str, kind: type[Action]) -> FormEntry:
    return FormEntry(name, (inspect.getdoc(kind) or "").partition("\n")[0])
