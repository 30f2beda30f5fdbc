"""Who looks at what is shown: one seat, all who share a screen, or the keeper of the log, who knows everything."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from cli.line.errors import Misread
from cli.line.tracking import verb_in
from cli.line.understanding import example_line
from cli.line.values import Context, people_at
from cli.line.words import typed
from domain.common.notes import Note
from domain.log.deciding import names_in
from domain.log.effective_history import effective_history, effective_turns
from domain.log.port import Log
from domain.naming import called, listed
from domain.system.drafts import about
from domain.system.pending import PendingDecision, besides
from domain.system.rulesystem import RuleSystem
from domain.system.secrets import secrets_of
from domain.system.state import Game
from domain.turn import Action, Event, Turn
from projections.chronicle import Entry, entry_for, joined, parts_of, plain, readable
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
    sheet_for,
)

if TYPE_CHECKING:
    from cli.line.completing import Completions


def lies_face_down(kind: type[Action]) -> bool:
    """Whether an action chooses something that is kept until it is revealed."""
    return any(each.until_revealed for each in secrets_of(kind).values())


class Audience:
    """Those who look on, at one log.

    `current` gives the state now; `reads` opens a file that a line may name; `narrows` takes out of what a line is
    understood against what is not theirs to speak of.
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
    ) -> None:
        self.log, self.system, self.current = log, system, current
        self.viewer, self.keeper, self.reads, self.narrows = viewer, keeper, reads, narrows
        #: whether a screen that all share shows hands
        self.hands = False

    @property
    def eyes(self) -> str | None:
        """For whom it is shown: one seat, or all who look on together; None: nothing is kept from anybody."""
        if self.keeper or not self.system.keeps_secrets:
            return None
        if self.viewer is not None:
            return self.viewer
        sheets = self.current().characters.values()
        players = {getattr(sheet, "player", None) for sheet in sheets}
        return None if len(sheets) < 2 or (len(players) == 1 and None not in players) else TABLE

    def known(self) -> Game:
        """The state now, as the audience may know it."""
        state, eyes = self.current(), self.eyes
        return state if eyes is None else as_known_to(self.system, state, eyes)

    @property
    def context(self) -> Context:
        """What a line is understood against."""
        eyes = self.eyes
        keeps = None if eyes is None else partial(self._keeps, eyes)
        return self.narrows(Context(self.system, self.known(), self.log, self.reads, keeps))

    def _keeps(self, eyes: str, turn: Turn) -> bool:
        return keeps_turn(self.system, self.log, turn, eyes)

    def must_be_own(self, action: Action) -> None:
        """Raise Refusal where one seat speaks of what another player keeps."""
        if self.viewer is not None and self.eyes is not None:
            must_be_own(self.system, self.current(), action, self.viewer)

    def may_see_preview_of(self, action: Action) -> bool:
        """Whether what an action would come to may be shown: not at one seat, of another player's cards.

        What names nobody may rest on what everybody holds (who acts first, once all is revealed), but for mere words.
        """
        if self.viewer is None or not self.system.keeps_secrets:
            return True
        state, names = self.current(), names_in(action)
        return isinstance(action, Note) or (bool(names) and all(owns(state, name, self.viewer) for name in names))

    def sentences(self, events: Sequence[Event]) -> str:
        """What a turn says, as the audience may know it."""
        eyes = self.eyes
        if eyes is None:
            return plain(parts_of(events))
        onlooker = Onlooker(self.system, self.current(), eyes)
        return plain(joined([onlooker.event(each, readable(self.system, each), None)[1] for each in events]))

    def sheets(self, state: Game) -> dict[str, dict[str, Any]]:
        """Every sheet at some point, as the audience may know it."""
        eyes = self.eyes
        return {name: sheet_for(self.system, state, name, eyes) for name in state.characters}

    def party_sheets(self, state: Game) -> dict[str, dict[str, Any]]:
        """Every sheet as it stands on the screen: where all share it, no hand lies open unless that is asked for."""
        if self.eyes != TABLE or self.hands:
            return self.sheets(state)
        return {name: sheet_for(self.system, state, name, ANYBODY) for name in state.characters}

    def chronicle(self, after: int, upto: int | None = None) -> Iterator[Entry]:
        """The turns after one, as the audience may know them: what lay face down stays so.

        With `upto` the log is read no further; a later turn that happened earlier may be among them.
        """
        now, eyes = self.current(), self.eyes
        history = effective_history(self.log, after=after) if upto is not None else None
        turns = effective_turns(self.log, upto, history, after=after)
        return (entry_for(self.system, each, None, now, eyes) for each in turns)

    def pending(self) -> list[PendingDecision]:
        """What is open and can be settled here: not what is another seat's."""
        state = self.current()
        found = self.system.pending_for_anyone(state)
        found += besides(found, self.system.pending_for_table(state))
        return [each for each in found if each.choices and self._is_asked_here(each)]

    def _is_asked_here(self, decision: PendingDecision) -> bool:
        who = about(decision.choices[0])
        return self.viewer is None or who is None or owns(self.current(), who, self.viewer)

    def has_chosen(self, *, whole: bool = True) -> str:
        """Who has chosen what lies face down: "Bea has chosen, 2 of 3"; nothing while nobody chooses.

        Not as a `whole` only how many have.
        """
        state = self.current()
        chosen = face_down(self.system, state) if self.eyes is not None else []
        if not chosen:
            return ""
        choices = [choice for each in self.system.pending_for_anyone(state) for choice in each.choices]
        of = len({*chosen, *(about(each) for each in choices if lies_face_down(each.action))} - {None})
        if not whole:
            return f"{len(chosen)} of {of} have chosen"
        who = [str(getattr(state.characters[name], "player", None) or called(name)) for name in chosen]
        return f"{listed(who)} {'has' if len(who) == 1 else 'have'} chosen, {len(chosen)} of {of}"

    def unseen_from(self, text: str, questions: Sequence[str]) -> int | None:
        """From which sign on a line is typed unseen: what it chooses lies face down. None: nobody need look away."""
        if self.eyes != TABLE:
            return None
        line = typed(text)
        try:
            verb, at = verb_in(self.context, line, 0, questions)
            if isinstance(verb, str) or not lies_face_down(verb.kind):
                return None
            who = people_at(line.words, at, self.context)
        except Misread:
            return None
        place = who[1] if who is not None else at
        return line.words[place].start if place < len(line.words) else len(text)

    def completions(self, text: str, cursor: int, questions: Sequence[str]) -> "Completions":
        """How a line may go on. What is typed unseen goes on in no way that could be read."""
        from cli.line.completing import Completions, completions  # a command that records needs none of it

        if self.unseen_from(text[:cursor], questions) is not None:
            return Completions(cursor, cursor, ())
        return completions(text, cursor, self.context, questions)

    def example(self) -> str:
        """A line that can be typed now, where there is one."""
        return example_line(replace(self.context, acts_for=played_by(self.current(), self.viewer)))
