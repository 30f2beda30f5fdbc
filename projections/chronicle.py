"""The chronicle: every turn as a sentence that can be read aloud, and as JSON."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from domain.common.revisions import REVISIONS, Adopt, Amend, Redo, Undo
from domain.common.rulings import turn_on_record
from domain.common.sessions import SessionOpened
from domain.log.deciding import names_in
from domain.log.effective_history import EffectiveTurn, effective_turns, since_of
from domain.log.folding import state_at, steps
from domain.log.port import Log
from domain.naming import ended, listed
from domain.registry.uninstalled import Uninstalled, Untold
from domain.system.chance import UNSEEN
from domain.system.rulesystem import RuleSystem
from domain.turn import REVISION_EVENTS, Action, Event, Sentence, Struck, TurnRedecided, TurnUndone, same
from domain.values import as_json, in_words
from projections.dealing import who_dealt
from projections.secrecy import Onlooker


class TurnText(Struct, frozen=True, kw_only=True):
    """The sentence of a turn in pieces, and when it happened. `outcome_then`: what it read when it was recorded."""

    at: datetime
    parts: Sentence
    retold_by: int | None = None
    outcome_then: str | None = None

    @property
    def sentence(self) -> str:
        return plain(self.parts)

    @property
    def first_read(self) -> str | None:
        """What it read when it was recorded, if that differs from what it reads now, to this reader."""
        return self.outcome_then if self.outcome_then != self.sentence else None


class Entry(TurnText, frozen=True, kw_only=True):
    """One turn as readers see it, with everything that belongs to it."""

    turn: int
    session: int
    by: str | None
    action: dict[str, Any]
    events: tuple[dict[str, Any], ...]
    characters: frozenset[str]
    rules: tuple[str, ...]
    undone_by: int | None = None
    kept: bool = False
    #: the turn directly after which it folds, if that is not at its number
    place: int | None = None
    together: int | None = None
    #: who dealt the cards that were turned up: "dealt" by the log, "reported" by the table, "dealt and reported"
    cards: str | None = None

    @property
    def standing(self) -> bool:
        return self.undone_by is None

    @property
    def kind(self) -> str:
        """The action's tag."""
        return str(self.action["type"])

    @property
    def counts_from_earlier(self) -> bool:
        """Whether it is a ruling that counts from an earlier point: it was made at its number, and folds there."""
        return "since" in self.action

    @property
    def named_place(self) -> int | None:
        """The turn after which it was told to count. What counts since a ruling that does so itself folds before that
        ruling's number."""
        return turn_on_record(self.action["since"]) if self.counts_from_earlier else self.place

    @property
    def mark(self) -> str:
        """What follows the number of a turn that folds elsewhere than at its number; empty for any other."""
        return "" if self.place is None or self.counts_from_earlier else ", late entry"

    def as_json(self) -> dict[str, Any]:
        """The keys of `campaign log -O ndjson`; they are stable."""
        shown = {
            "turn": self.turn,
            "session": self.session,
            "at": self.at.isoformat(),
            "by": self.by,
            "action": self.action,
            "events": list(self.events),
            "sentence": self.sentence,
            "standing": self.standing,
            "undone_by": self.undone_by,
        }
        if self.retold_by is not None:
            shown |= {"redecided_by": self.retold_by, "kept": self.kept, "sentence_then": self.outcome_then}
        if self.place is not None:
            shown["since" if self.counts_from_earlier else "place"] = self.named_place
        if self.together is not None:
            shown["together"] = self.together
        if self.cards is not None:
            shown["cards"] = self.cards
        return shown


#: What does not count, between the blanks around it.
STRUCK = r"^(\s*)(.*?)(\s*)$"


def plain(parts: Sequence[str]) -> str:
    """A sentence without type face: what does not count stands in parentheses."""
    if len(parts) == 1 and type(parts[0]) is str:  # as most events tell it
        text = parts[0]
    else:
        text = "".join([part if type(part) is str else _unstruck(part) for part in parts])
    return (re.sub("  +", " ", text) if "  " in text else text).strip()


def _unstruck(part: str) -> str:
    if not isinstance(part, Struck):
        return part
    # nearly always the face of one die
    return f"({part})" if part.isalnum() else re.sub(STRUCK, r"\1(\2)\3", part)


class NextPerson(str):
    """The blank between two sentences of a turn where the second is about somebody else: a line can begin there."""


NEXT_PERSON = NextPerson(" ")


def joined(sentences: Sequence[Sentence], about: Sequence[str | None] = ()) -> Sentence:
    """Several sentences as one. `about`: whom each is about, so that each person can have a line."""
    if len(sentences) == 1:
        return sentences[0]
    several = len({who for who in about if who is not None}) > 1
    parts: list[str] = []
    last: str | None = None
    for number, told in enumerate(sentences):
        if told:
            who = about[number] if several else None
            parts += [NEXT_PERSON if who != last else " "] if parts else []
            parts += told
            last = who
    return tuple(parts)


def parts_of(events: Sequence[Event]) -> Sentence:
    """The sentences of several events as one."""
    return joined([event.told() for event in events], _about(events))


def _about(events: Sequence[Event]) -> Sequence[str | None]:
    """Whom each of these events is about."""
    return [getattr(event, "character", None) for event in events] if len(events) > 1 else ()


def by_person(parts: Sentence) -> list[Sentence]:
    """The lines of a turn in which several people do something, one of each; else the one line that it has."""
    lines: list[list[str]] = [[]]
    for part in parts:
        if isinstance(part, NextPerson):
            lines.append([])
        else:
            lines[-1].append(part)
    return [tuple(line) for line in lines]


def revision_parts(told: EffectiveTurn, changes: Mapping[int, str] | None = None) -> Sentence:
    """The sentence of an undo, redo or amendment. `changes`: what became what in each amended turn."""
    action = told.turn.action
    undone = [word.turn for word in told.turn.events if isinstance(word, TurnUndone)]
    parts: list[str] = []
    asked: list[int] = []
    if isinstance(action, Undo):
        asked = undone[: len(action.turns or ())]
        parts.append(f"Undoes {_named(asked)}.")
    elif isinstance(action, Redo):
        asked = undone[: action.last or 1]
        what = _named(told.restored) if told.restored else f"what {_named(asked)} undid"
        parts.append(f"Restores {what}.")
    elif isinstance(action, Amend):
        asked = list(action.amended)
        parts.append(_amends(asked, changes or {}))
        if told.turn.place is not None:
            parts.append(f" T{action.turn} happened directly after T{told.turn.place}.")
    elif isinstance(action, Adopt):
        parts.append(f"Adopts {listed(f'T{turn}' for turn in action.turns)} from the branch {action.branch}.")
    why = getattr(action, "why", None)
    if why and isinstance(action, Undo | Amend):
        parts.append(f" Why: {ended(why)}")
    return (*parts, *consequences(asked, told))


def _named(turns: Sequence[int]) -> str:
    return listed(f"T{turn}" for turn in turns)


def _amends(turns: Sequence[int], changes: Mapping[int, str]) -> str:
    """ "Amends T80: strength 12 -> 28." """
    changed = {turn: change for turn in turns if (change := changes.get(turn))}
    if not changed:
        return f"Amends {_named(turns)}."
    if len(turns) == 1:
        return f"Amends T{turns[0]}: {changed[turns[0]]}."
    return f"Amends {listed(f'T{turn} ({changed[turn]})' if turn in changed else f'T{turn}' for turn in turns)}."


def what_became(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """What an amendment changed of an action: "strength 12 -> 28"; empty where nothing that anybody reads."""
    if old.get("type") != new.get("type"):
        return f"{_kind(old)} -> {_kind(new)}"
    keys = [key for key in (*old, *(key for key in new if key not in old)) if not same(old.get(key), new.get(key))]
    return ", ".join(f"{key.replace('_', ' ')} {_value(old.get(key))} -> {_value(new.get(key))}" for key in keys)


def _kind(action: Mapping[str, Any]) -> str:
    return str(action.get("type", "")).rpartition(".")[2].replace("_", " ")


def _value(value: Any) -> str:
    return "none" if value is None else in_words(value)


def consequences(asked: Sequence[int], told: EffectiveTurn) -> Sentence:
    """What a turn that revises earlier ones made of those that it was not asked about.

    Nothing of one that came out otherwise when it was decided again: what that made of them is told by the turn that
    did so.
    """
    if told.retold_by is not None and not is_unchanged(told):
        return ()
    words = [event for event in told.turn.events if isinstance(event, REVISION_EVENTS)]
    dropped = [word.turn for word in words if isinstance(word, TurnUndone) and word.turn not in asked]
    kept = [word.turn for word in words if isinstance(word, TurnRedecided) and word.kept]
    changed = [
        word.turn for word in words if isinstance(word, TurnRedecided) and not word.kept and word.turn not in asked
    ]
    parts: list[str] = []
    for turns, one, many in (
        (changed, "comes out differently", "come out differently"),
        (dropped, "is dropped", "are dropped"),
        (kept, "is kept as it was", "are kept as they were"),
    ):
        if turns:
            parts.append(f" {listed(f'T{turn}' for turn in turns)} {one if len(turns) == 1 else many}.")
    return tuple(parts)


def is_unchanged(told: EffectiveTurn) -> bool:
    """Whether a turn asks what it asked first, where it did, and comes to the same."""
    turn = told.turn
    return (
        told.action == turn.action
        and told.facts == turn.facts
        and (told.place == turn.place or since_of(turn.action) is not None)
    )


def readable(system: RuleSystem, what: Action | Event) -> dict[str, Any]:
    """An action or event as JSON, without the fields that nobody is to read (the order of a deck)."""
    told: dict[str, Any] = msgspec.to_builtins(what)
    if not system.unread:
        return told
    if isinstance(what, TurnRedecided):
        told["chance"] = {key: each for key, each in told["chance"].items() if not key.endswith(UNSEEN)}
        told["events"] = [readable(system, event) for event in what.events]
    if isinstance(what, Amend):
        for amended in (told, *told.get("also", ())):
            amended["action"] = {name: each for name, each in amended["action"].items() if name not in system.unread}
    return {name: each for name, each in told.items() if name not in system.unread}


def readable_json(system: RuleSystem, what: Action | Event) -> str:
    """The same as text."""
    return as_json(readable(system, what) if _may_hold_unread(system, type(what)) else what)


@cache
def _may_hold_unread(system: RuleSystem, kind: type[Action | Event]) -> bool:
    """Whether an action or event of this type may hold a field that nobody is to read, or another that does."""
    return bool(system.unread) and (
        issubclass(kind, TurnRedecided | Amend) or not system.unread.isdisjoint(kind.__struct_fields__)
    )


def citation(system: RuleSystem, rule: str) -> str:
    """A paragraph as it is cited, "OSR 6.4", where the log has its number or the citation already."""
    return _cited(system.cite, (rule,))[0]


def cited_by(system: RuleSystem, event: Event) -> tuple[str, ...]:
    """The paragraphs that an event rests on, as cited, each once."""
    always = _always_cited(system.cite, type(event))
    if always is not None:
        return always
    own = getattr(event, "rule", None)
    return _cited(system.cite, (*event.cites, own) if isinstance(own, str) else event.cites)


@cache
def _always_cited(cite: str, kind: type[Event]) -> tuple[str, ...] | None:
    """The paragraphs that every event of a type rests on; None: each may name one of its own."""
    return None if hasattr(kind, "rule") else _cited(cite, kind.cites)


@cache
def _cited(cite: str, rules: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{cite} {rule.removeprefix(f'{cite} ')}" for rule in rules))


def turn_text(system: RuleSystem, told: EffectiveTurn, facts: Sequence[Sentence] | None = None) -> TurnText:
    """The sentence of a turn for whoever may see all of it; `facts`: the sentences of its events, if they are known."""
    turn, action = told.turn, told.action
    if isinstance(action, Untold):
        parts = action.told()
    else:
        parts = joined(facts, _about(told.facts)) if facts is not None else parts_of(told.facts)
    if isinstance(turn.action, REVISIONS):
        parts = revision_parts(told, _changes(system, turn.action, told.amended_from))
    elif told.facts is not turn.events and any(isinstance(event, REVISION_EVENTS) for event in turn.events):
        parts = (*parts, *consequences((), told))
    then = plain(parts_of(turn.facts)) if told.retold_by is not None else None
    return TurnText(at=turn.moment, parts=parts, retold_by=told.retold_by, outcome_then=then)


def _changes(system: RuleSystem, action: Action, before: Mapping[int, Mapping[str, Any]]) -> dict[int, str]:
    """What an amendment made of each action that it names, without the fields that nobody is to read."""
    if not isinstance(action, Amend) or isinstance(system, Uninstalled):
        return {}

    def read(asked: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in asked.items() if name not in system.unread and value is not None}

    return {turn: what_became(read(before[turn]), read(new)) for turn, new in action.amended.items() if turn in before}


def characters_in(told: EffectiveTurn) -> frozenset[str]:
    """Everybody whom a turn names or to whom something happens in it."""
    happened_to = [getattr(event, "character", None) for event in told.facts]
    return frozenset((*names_in(told.action), *[name for name in happened_to if isinstance(name, str)]))


def entry_of(system: RuleSystem, told: EffectiveTurn) -> Entry:
    """One turn for whoever may see all of it."""
    turn, action, said = told.turn, told.action, turn_text(system, told)
    rules = dict.fromkeys((*turn.cites, *(rule for event in told.facts for rule in cited_by(system, event))))
    return Entry(
        turn=turn.number,
        session=told.session,
        at=said.at,
        by=turn.by,
        action=readable(system, action),
        events=tuple(readable(system, event) for event in told.events),
        parts=said.parts,
        characters=characters_in(told),
        rules=tuple(rules),
        undone_by=told.undone_by,
        retold_by=said.retold_by,
        outcome_then=said.outcome_then,
        kept=told.kept,
        place=told.place,
        together=turn.together,
        cards=who_dealt(system, told),
    )


def chronicle(
    system: RuleSystem, log: Log, upto: int | None = None, viewer: str | None = None, *, after: int = 0
) -> Iterator[Entry]:
    """Every turn up to a point in the order of the numbers, as `viewer` may see it (None: the keeper, all).

    `after`: only those after this turn; whoever leaves out the beginning is not told of sessions that it opened.
    """
    if viewer is None or not system.keeps_secrets:
        for told in effective_turns(log, upto, after=after):
            yield entry_of(system, told)
        return
    now = state_at(system, log, upto)
    seen = {}
    for told, state in steps(system, log, upto):
        seen[told.turn.number] = entry_for(system, told, state, now, viewer)
    yield from (seen[number] for number in sorted(seen) if number > after)


def entry_for(system: RuleSystem, told: EffectiveTurn, after: Any, now: Any, viewer: str | None) -> Entry:
    """One turn as `viewer` may see it, given the state at the point that is read and the one after the turn there.

    `after` None: the turn has no place in that reading as it is told here.
    """
    entry = entry_of(system, told)
    if viewer is None or not system.keeps_secrets:
        return entry
    sees = Onlooker(system, now, viewer)

    def seen(facts: Sequence[Event]) -> list[tuple[dict[str, Any], Sentence]]:
        return [sees.event(fact, readable(system, fact), after) for fact in facts]

    facts = seen(told.facts)
    # what an earlier turn came to stands at that turn, as far as it may
    words = [_named_only(event) for event in told.turn.events if isinstance(event, REVISION_EVENTS)]
    parts = joined([sentence for _, sentence in facts], _about(told.facts))
    then = plain(joined([sentence for _, sentence in seen(told.turn.facts)])) if told.retold_by is not None else None
    return msgspec.structs.replace(
        entry,
        action=sees.action(told.action, entry.action, told.facts, after),
        events=(*(json for json, _ in facts), *words),
        # an amendment says what became what to those alone who may know it all
        parts=revision_parts(told) if isinstance(told.turn.action, REVISIONS) else (*parts, *consequences((), told)),
        outcome_then=then,
    )


def _named_only(word: Event) -> dict[str, Any]:
    """A word about an earlier turn without what that turn came to."""
    whole: dict[str, Any] = msgspec.to_builtins(word)
    return {name: value for name, value in whole.items() if name not in ("events", "chance")}


def session_titles(log: Log, upto: int | None = None) -> dict[int, str]:
    """What each session that stands is called, as its opening says, wherever that folds."""
    return {
        event.number: event.title
        for told in effective_turns(log, upto)
        for event in (told.facts if told.standing else ())
        if isinstance(event, SessionOpened) and event.title is not None
    }
