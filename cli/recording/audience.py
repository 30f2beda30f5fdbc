"""The audience of a face: one seat, everybody at a shared screen, or the keeper; it limits what is shown and read."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from cli.line.errors import Misread, NoVerb, Unclear
from cli.line.grammar import Grammar
from cli.line.spelling import shown
from cli.line.tracking import verb_in
from cli.line.understanding import example_line
from cli.line.values import LEAST_OF_A_NAME, Context, people_at, somebody_meant
from cli.line.verbs import Verb, verb_name
from cli.line.words import Line, typed
from domain.choice import Choice
from domain.common.notes import Note
from domain.log.deciding import names_in
from domain.log.effective_history import EffectiveTurn, effective_history, effective_turns
from domain.log.port import Log
from domain.naming import LITTLE, called, listed, plain_words
from domain.system.drafts import about
from domain.system.field_schema import fields_of
from domain.system.pending import PendingDecision, besides
from domain.system.rulesystem import RuleSystem
from domain.system.secrets import secrets_of
from domain.system.state import Game
from domain.system.type_descriptions import either
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


#: What somebody says who speaks of what they do themselves.
FIRST_PERSON = frozenset(("i", "we"))

#: Said of a line that names what is chosen face down in words that no verb of it has.
UNSEEN = "That is chosen face down."


def lies_face_down(kind: type[Action]) -> bool:
    """Whether an action makes a choice that stays secret until it is revealed."""
    return any(secret.until_revealed for secret in secrets_of(kind).values())


class Audience:
    """Those who look on at one log, and what they may know.

    `current` returns the present state; `viewer` is the one seat, `keeper` the keeper's; `reads` opens a file that a
    line names; `narrows` limits the context of lines to what the audience may do.
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
        #: whether a shared screen shows hands of cards
        self.hands = False

    @property
    def eyes(self) -> str | None:
        """Whose knowledge limits what is shown: a seat's, or everybody's at the table; None: no limit."""
        if self.keeper or not self.system.keeps_secrets:
            return None
        if self.viewer is not None:
            return self.viewer
        sheets = self.current().characters.values()
        players = {getattr(sheet, "player", None) for sheet in sheets}
        return None if len(sheets) < 2 or (len(players) == 1 and None not in players) else TABLE

    def known(self) -> Game:
        """The present state as the audience may know it."""
        state, eyes = self.current(), self.eyes
        return state if eyes is None else as_known_to(self.system, state, eyes)

    @property
    def context(self) -> Context:
        """The context in which lines are understood."""
        eyes = self.eyes
        keeps = None if eyes is None else partial(self._keeps, eyes)
        return self.narrows(Context(self.system, self.known(), self.log, self.reads, keeps))

    def _keeps(self, eyes: str, turn: Turn) -> bool:
        return keeps_turn(self.system, self.log, turn, eyes)

    def must_be_own(self, action: Action) -> None:
        """Raise Refusal for an action of one seat about another player's secrets."""
        if self.viewer is not None and self.eyes is not None:
            must_be_own(self.system, self.current(), action, self.viewer)

    def may_see_preview_of(self, action: Action) -> bool:
        """Whether the preview of an action may be shown: at one seat not that of another player's characters.

        The effect of an action that names nobody may depend on everybody's cards, so only notes are previewed then.
        """
        if self.viewer is None or not self.system.keeps_secrets:
            return True
        state, names = self.current(), names_in(action)
        return isinstance(action, Note) or (bool(names) and all(owns(state, name, self.viewer) for name in names))

    def sentences(self, events: Sequence[Event]) -> str:
        """The sentences of events, as the audience may know them."""
        eyes = self.eyes
        if eyes is None:
            return plain(parts_of(events))
        onlooker = Onlooker(self.system, self.current(), eyes)
        return plain(joined([onlooker.event(event, readable(self.system, event), None)[1] for event in events]))

    def sheets(self, state: Game) -> dict[str, dict[str, Any]]:
        """The sheets in a state, as the audience may know them."""
        eyes = self.eyes
        return {name: sheet_for(self.system, state, name, eyes) for name in state.characters}

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
        return self._entries(effective_turns(self.log, upto, history, after=after))

    def recent(self, after: int, last: int) -> Iterator[Entry]:
        """The same up to `last`, the last turn by now, without what any later one changes."""
        return self._entries(effective_turns(self.log, last, after=after))

    def _entries(self, turns: Iterator[EffectiveTurn]) -> Iterator[Entry]:
        now, eyes = self.current(), self.eyes
        return (entry_for(self.system, effective, None, now, eyes) for effective in turns)

    def pending(self) -> list[PendingDecision]:
        """The pending decisions that this audience can settle."""
        state = self.current()
        decisions = self.system.pending_for_anyone(state)
        decisions += besides(decisions, self.system.pending_for_table(state))
        return [decision for decision in decisions if decision.choices and self._is_asked_here(decision)]

    def _is_asked_here(self, decision: PendingDecision) -> bool:
        who = about(decision.choices[0])
        return self.viewer is None or who is None or owns(self.current(), who, self.viewer)

    def has_chosen(self, *, whole: bool = True) -> str:
        """Who has made a face-down choice: "Bea has chosen, 2 of 3"; without `whole` the count alone; "" for none."""
        state = self.current()
        chosen = face_down(self.system, state) if self.eyes is not None else []
        if not chosen:
            return ""
        choices = [choice for decision in self.system.pending_for_anyone(state) for choice in decision.choices]
        of = len({*chosen, *(about(choice) for choice in choices if lies_face_down(choice.action))} - {None})
        if not whole:
            return f"{len(chosen)} of {of} have chosen"
        who = [str(getattr(state.characters[name], "player", None) or called(name)) for name in chosen]
        return f"{listed(who)} {'has' if len(who) == 1 else 'have'} chosen, {len(chosen)} of {of}"

    def face_down_choice(self, text: str, questions: Sequence[str]) -> tuple[Choice, int] | None:
        """The face-down choice that a line makes on a shared screen, and the index from which on it is typed unseen.

        The choice holds only what everybody sees of the line: its verb, and the one character whom it names.
        """
        if self.eyes != TABLE:
            return None
        line = typed(text)
        try:
            verb, at = verb_in(self.context, line, 0, questions)
        except NoVerb:
            return self._spoken_face_down(text, line) or self._named_face_down(text, line, LEAST_OF_A_NAME)
        except Unclear:
            return self._spoken_face_down(text, line) or self._named_face_down(text, line)
        except Misread:
            return self._named_face_down(text, line)
        if isinstance(verb, str):
            return None
        if not lies_face_down(verb.kind):
            # "I" is a verb's short name as well: whom it does something to stands behind that
            speaks = line.words[0].text.casefold() in FIRST_PERSON and not somebody_meant(line.words, 1, self.context)
            return self._named_face_down(text, line) if speaks else None
        try:
            people = people_at(line.words, at, self.context)
        except Misread:
            return None
        place = people[1] if people is not None else at
        who = Grammar(self.context, verb).who
        whose = {who.key: people[0][0]} if who is not None and people is not None and len(people[0]) == 1 else {}
        return Choice(verb.kind, whose), line.words[place].start if place < len(line.words) else len(text)

    def _spoken_face_down(self, text: str, line: Line) -> tuple[Choice, int] | None:
        """The same of a line that says first who does it, or not at all: `gorm plays trample, eye`."""
        from cli.line.elliptical import verbs_spoken  # most lines begin with their verb

        state, context = self.current(), self.context
        pending = self.system.pending_for_anyone(state)
        awaited = {choice.action for decision in pending for choice in decision.choices}
        try:
            verbs, last, behind = verbs_spoken(line, context)
            people = people_at(line.words, 0, context) if last else None
        except Misread:
            return None
        kinds = [verb.kind for verb in verbs if lies_face_down(verb.kind)]
        is_open = bool(face_down(self.system, state)) or bool(awaited & set(kinds))
        if not kinds or not (is_open or len(kinds) == len(verbs)):
            return None
        who = Grammar(context, Verb(verb_name(kinds[0]), kinds[0])).who
        whose = {who.key: people[0][0]} if who is not None and people is not None and len(people[0]) == 1 else {}
        return Choice(kinds[0], whose), line.words[behind].start if behind < len(line.words) else len(text)

    def _named_face_down(self, text: str, line: Line, least: int | None = None) -> tuple[Choice, int] | None:
        """The same of a line that names what can be chosen, whatever it says of it: `gorm: trample, then eye`.

        The beginning of one word is enough, and while that is typed its first letter is. The first word of a line,
        which may become a verb, names something from `least` letters on; None: never.
        """
        from cli.line.spoken import people_first  # most lines begin with their verb

        context, kinds, words = self.context, self._open_face_down(), line.words
        if not kinds:
            return None
        parts = self._parts_of_the_hidden(kinds)
        try:
            last = people_first(line, context)
        except Misread:
            last = 1
        typing = len(words) - 1 if words and words[-1].end == len(text) else None
        for at in range(last, len(words)):
            enough = (least if not at else 1 if at == typing else LEAST_OF_A_NAME) or 0
            said = [part for part in plain_words(words[at].text) if part not in LITTLE]
            if enough and any(part in parts or (len(part) >= enough and _begins_any(part, parts)) for part in said):
                break
        else:
            return None
        people = people_at(words, 0, context) if last else None
        kind = next(iter(kinds))
        who = Grammar(context, Verb(verb_name(kind), kind)).who
        whose = {who.key: people[0][0]} if who is not None and people is not None and len(people[0]) == 1 else {}
        return Choice(kind, whose, says=UNSEEN), words[min(at, max(last, 1))].start

    def _open_face_down(self) -> dict[type[Action], list[str]]:
        """The actions by which something can be chosen face down now, each with those who can."""
        state = self.current()
        choices = [choice for decision in self.system.pending_for_anyone(state) for choice in decision.choices]
        chosen = face_down(self.system, state)
        kinds = dict.fromkeys(choice.action for choice in choices if lies_face_down(choice.action))
        if chosen and not kinds:
            kinds = dict.fromkeys(kind for kind in self.system.actions if lies_face_down(kind))
        awaited = {kind: [about(choice) for choice in choices if choice.action is kind] for kind in kinds}
        return {kind: [*chosen, *(name for name in names if name is not None)] for kind, names in awaited.items()}

    def _parts_of_the_hidden(self, kinds: Mapping[type[Action], Sequence[str]]) -> frozenset[str]:
        """The words of the names of all that can be chosen face down, as everybody at the screen may know them."""
        state = self.known()
        names = (
            legal
            for kind, people in kinds.items()
            for field in secrets_of(kind)
            for name in people
            for legal in self.system.proposals(state, kind, field, name) or ()
        )
        return frozenset(part for name in set(names) for part in plain_words(name)) - LITTLE

    def unseen_from(self, text: str, questions: Sequence[str]) -> int | None:
        """The index from which on a line is typed unseen; None if nothing in it is secret."""
        found = self.face_down_choice(text, questions)
        return None if found is None else found[1]

    def face_down_refusal(self, choice: Choice) -> str:
        """The answer to every face-down choice that is refused: who chooses, how much, and what to type.

        It is the same whatever was chosen, as the rules' own reason would show that to everybody. Of `choice` only the
        action and whom it is about are read.
        """
        state, who = self.current(), about(choice)
        offered = (other for decision in self.system.pending_for_anyone(state) for other in decision.choices)
        same_kind = (other for other in offered if other.action is choice.action)
        can_choose = [name for other in same_kind if (name := about(other)) is not None]
        can_choose += [name for name in face_down(self.system, state) if name not in can_choose]
        if not can_choose:
            return "Nobody can choose that now."
        fields = fields_of(choice.action)
        whom = next(field.key for field in fields if field.names == "character")
        hidden = [field for field in fields if field.key in secrets_of(choice.action)]
        whose = who if who is not None and who in can_choose else can_choose[0]
        line = shown(self.context, Choice(choice.action, {whom: whose}, tuple(field.key for field in hidden)))
        meanings = listed([field.description or field.key for field in hidden])
        how = f"{line} ({meanings}), each by number or name"
        if who is None:
            return f"Say who chooses: {how}."
        if who != whose:
            return f"{called(who)} has nothing to choose now. {either(can_choose)} can: {how}."
        return f"{choice.says or f'{called(who)} cannot choose that.'} Type {how}."

    def completions(self, text: str, cursor: int, questions: Sequence[str]) -> "Completions":
        """The completions of a line; none while it is typed unseen."""
        from cli.line.completing import Completions, completions  # not needed by commands that only record

        if self.unseen_from(text[:cursor], questions) is not None:
            return Completions(cursor, cursor, ())
        return completions(text, cursor, self.context, questions)

    def example(self) -> str:
        """A line that can be typed now; "" if there is none."""
        return example_line(replace(self.context, acts_for=played_by(self.current(), self.viewer)))


def _begins_any(part: str, words: Iterable[str]) -> bool:
    """Whether one of these words begins so."""
    return any(word.startswith(part) for word in words)
