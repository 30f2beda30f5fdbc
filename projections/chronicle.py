"""One turn of the chronicle: its sentence and its JSON, as one viewer may see it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from domain.common.revisions import REVISIONS
from domain.common.rulings import turn_on_record
from domain.log.deciding import names_in
from domain.log.effective_history import EffectiveTurn
from domain.registry.uninstalled import UnreadableAction
from domain.system.paragraphs import cited_by
from domain.system.rulesystem import RuleSystem
from domain.turn import REVISION_EVENTS, Event, Sentence
from projections.dealt_cards import source_of_cards
from projections.revision_sentences import consequences, revision_parts
from projections.secrecy import Onlooker, readable
from projections.sentences import join_sentences, parts_of, plain


class TurnText(Struct, frozen=True, kw_only=True):
    """The sentence of a turn in parts, and its time. `sentence_then`: its sentence when it was recorded."""

    at: datetime
    parts: Sentence
    redecided_by: int | None = None
    sentence_then: str | None = None

    @property
    def sentence(self) -> str:
        return plain(self.parts)

    @property
    def first_read(self) -> str | None:
        """The sentence when it was recorded, if this viewer sees another one now; else None."""
        return self.sentence_then if self.sentence_then != self.sentence else None


class Entry(TurnText, frozen=True, kw_only=True):
    """One turn as a viewer sees it, with its action, events and metadata."""

    turn: int
    session: int
    by: str | None
    action: dict[str, Any]
    events: Sequence[dict[str, Any]]
    characters: frozenset[str]
    rules: tuple[str, ...]
    undone_by: int | None = None
    kept: bool = False
    #: the turn directly after which it folds, if that is not at its number
    place: int | None = None
    together: int | None = None
    #: who dealt the cards turned up: "dealt" by the log, "reported" by the table, or "dealt and reported"
    cards: str | None = None
    #: "assistant" if an assistant recorded it
    via: str | None = None

    @property
    def recorded_by(self) -> str:
        """Who recorded it, and whether an assistant did it for them; "" if neither is known."""
        return ", ".join(filter(None, (self.by, self.via and f"by an {self.via}")))

    @property
    def standing(self) -> bool:
        return self.undone_by is None

    @property
    def kind(self) -> str:
        """The action's tag."""
        return str(self.action["type"])

    @property
    def counts_from_earlier(self) -> bool:
        """Whether it is a ruling with `since`: made at its number, folded at an earlier point."""
        return "since" in self.action

    @property
    def named_place(self) -> int | None:
        """The turn after which it was entered to count; `place` differs if that is itself a ruling with `since`."""
        return turn_on_record(self.action["since"]) if self.counts_from_earlier else self.place

    @property
    def mark(self) -> str:
        """The suffix of the number of a late entry; empty for any other turn."""
        return "" if self.place is None or self.counts_from_earlier else ", late entry"

    def as_json(self) -> dict[str, Any]:
        """The keys of `campaign log -O ndjson`; they are stable."""
        value = {
            "turn": self.turn,
            "session": self.session,
            "at": self.at.isoformat(),
            "by": self.by,
            "action": self.action,
            "events": self.events,
            "sentence": self.sentence,
            "standing": self.standing,
            "undone_by": self.undone_by,
        }
        if self.redecided_by is not None:
            value |= {"redecided_by": self.redecided_by, "kept": self.kept, "sentence_then": self.sentence_then}
        if self.place is not None:
            value["since" if self.counts_from_earlier else "place"] = self.named_place
        if self.together is not None:
            value["together"] = self.together
        if self.cards is not None:
            value["cards"] = self.cards
        if self.via is not None:
            value["via"] = self.via
        return value


def turn_text(system: RuleSystem, current: EffectiveTurn, sentences: Sequence[Sentence] | None = None) -> TurnText:
    """The sentence of a turn without secrecy. `sentences`: those of its events, if known already."""
    turn, action = current.turn, current.action
    if isinstance(action, UnreadableAction):
        parts = action.sentence()
    else:
        parts = join_sentences(sentences, current.facts) if sentences is not None else parts_of(current.facts)
    if isinstance(turn.action, REVISIONS):
        parts = revision_parts(system, current)
    elif current.facts is not turn.events:  # in most turns there is nothing but facts
        parts = (*parts, *consequences(current))
    sentence_then = plain(parts_of(turn.facts)) if current.redecided_by is not None else None
    return TurnText(at=turn.moment, parts=parts, redecided_by=current.redecided_by, sentence_then=sentence_then)


def involved_in(current: EffectiveTurn) -> frozenset[str]:
    """The characters that a turn's action names or its facts are about."""
    happened_to = [getattr(event, "character", None) for event in current.facts]
    return frozenset((*names_in(current.action), *[name for name in happened_to if isinstance(name, str)]))


def entry_of(system: RuleSystem, current: EffectiveTurn) -> Entry:
    """One turn without secrecy."""
    turn, action, text = current.turn, current.action, turn_text(system, current)
    rules = dict.fromkeys((*turn.cites, *(rule for event in current.facts for rule in cited_by(system, event))))
    return Entry(
        turn=turn.number,
        session=current.session,
        at=text.at,
        by=turn.by,
        action=readable(system, action),
        events=tuple(readable(system, event) for event in current.events),
        parts=text.parts,
        characters=involved_in(current),
        rules=tuple(rules),
        undone_by=current.undone_by,
        redecided_by=text.redecided_by,
        sentence_then=text.sentence_then,
        kept=current.kept,
        place=current.place,
        together=turn.together,
        cards=source_of_cards(system, current),
        via=turn.via,
    )


def entry_for(system: RuleSystem, current: EffectiveTurn, after: Any, now: Any, viewer: str | None) -> Entry:
    """One turn as `viewer` may see it. `now`: the state at the point of reading; `after`: the state after the turn.

    `after` None: the turn in this form has no place in that reading, so that nothing of it was revealed.
    """
    entry = entry_of(system, current)
    if viewer is None or not system.keeps_secrets:
        return entry
    sees = Onlooker(system, now, viewer)

    def visible_facts(facts: Sequence[Event]) -> list[tuple[dict[str, Any], Sentence]]:
        return [sees.event(fact, readable(system, fact), after) for fact in facts]

    facts = visible_facts(current.facts)
    # the outcome of an earlier turn is shown at that turn, as far as the viewer may see it
    revision_events = (
        {name: value for name, value in msgspec.to_builtins(event).items() if name not in ("events", "chance")}
        for event in current.turn.events
        if isinstance(event, REVISION_EVENTS)
    )
    parts = join_sentences([sentence for _, sentence in facts], current.facts)
    sentence_then = (
        plain(join_sentences([sentence for _, sentence in visible_facts(current.turn.facts)]))
        if current.redecided_by is not None
        else None
    )
    return msgspec.structs.replace(
        entry,
        action=sees.action(current.action, entry.action, current.facts, after),
        events=(*(json for json, _ in facts), *revision_events),
        parts=revision_parts(system, current, sees)
        if isinstance(current.turn.action, REVISIONS)
        else (*parts, *consequences(current)),
        sentence_then=sentence_then,
    )
