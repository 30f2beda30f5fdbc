"""One turn of the chronicle: its sentence and its JSON, as one viewer may see it."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from domain.common.revisions import REVISIONS, Adopt, Amend, Redo, Undo
from domain.common.rulings import turn_on_record
from domain.log.deciding import names_in
from domain.log.effective_history import EffectiveTurn, since_of
from domain.naming import ended, listed
from domain.registry import action_kinds
from domain.registry.uninstalled import Uninstalled, UnreadableAction
from domain.system.chance import COUNTED, UNSEEN
from domain.system.field_schema import fields_of
from domain.system.paragraphs import paragraphs_of
from domain.system.rulesystem import RuleSystem
from domain.turn import REVISION_EVENTS, Action, Event, Sentence, Struck, TurnRedecided, TurnUndone, same
from domain.values import as_json, in_words
from projections.secrecy import Onlooker

#: What an amendment says of dice that are not in the action.
DRAWN_DICE = "drawn dice"


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


#: A struck part, without the spaces around it.
STRUCK_PART = r"^(\s*)(.*?)(\s*)$"


def plain(parts: Sequence[str]) -> str:
    """A sentence as plain text; struck parts are put in parentheses."""
    if len(parts) == 1 and type(parts[0]) is str:  # the most frequent case
        text = parts[0]
    else:
        text = ""
        for part in parts:
            if isinstance(part, Struck):  # nearly always the face of one die
                text += f"({part})" if part.isalnum() else re.sub(STRUCK_PART, r"\1(\2)\3", part)
            else:
                text += part
    return (re.sub("  +", " ", text) if "  " in text else text).strip()


class NextPerson(str):
    """The space between two sentences of a turn about different people, where a view can begin a new line."""


NEXT_PERSON = NextPerson(" ")


def join_sentences(sentences: Sequence[Sentence], events: Sequence[Event] = ()) -> Sentence:
    """Sentences joined, and where they are of `events` about different characters, by `NEXT_PERSON`."""
    if len(sentences) == 1:
        return sentences[0]
    about = [getattr(event, "character", None) for event in events]
    several = len({name for name in about if name is not None}) > 1
    parts: list[str] = []
    last: str | None = None
    for number, sentence in enumerate(sentences):
        if sentence:
            person = about[number] if several else None
            parts += [NEXT_PERSON if person != last else " "] if parts else []
            parts += sentence
            last = person
    return tuple(parts)


def parts_of(events: Sequence[Event]) -> Sentence:
    """The sentences of several events, joined."""
    return join_sentences([event.sentence() for event in events], events)


def by_person(parts: Sentence) -> list[Sentence]:
    """A sentence split into one line per person, at `NEXT_PERSON`."""
    lines: list[list[str]] = [[]]
    for part in parts:
        if isinstance(part, NextPerson):
            lines.append([])
        else:
            lines[-1].append(part)
    return [tuple(line) for line in lines]


def revision_parts(
    current: EffectiveTurn, changes: Mapping[int, str] | None = None, same_turns: Collection[int] = ()
) -> Sentence:
    """The sentence of a revising turn. `changes`: turn -> what an amendment changed of its action, in words.

    `same_turns`: the turns that it decided again and that read as before.
    """
    action = current.turn.action
    undone_turns = [event.turn for event in current.turn.events if isinstance(event, TurnUndone)]
    parts: list[str] = []
    named_turns: list[int] = []
    if isinstance(action, Undo):
        named_turns = undone_turns[: len(action.turns or ())]
        parts.append(f"Undoes {_turn_list(named_turns)}.")
    elif isinstance(action, Redo):
        named_turns = undone_turns[: action.last or 1]
        parts.append(f"Restores {_turn_list(current.restored)}.")
    elif isinstance(action, Amend):
        named_turns = list(action.new_actions)
        change_of = {turn: change for turn in named_turns if (change := (changes or {}).get(turn))}
        if not change_of:
            parts.append(f"Amends {_turn_list(named_turns)}.")
        elif len(named_turns) == 1:
            parts.append(f"Amends T{named_turns[0]}: {change_of[named_turns[0]]}.")
        else:
            amended = (f"T{turn} ({change_of[turn]})" if turn in change_of else f"T{turn}" for turn in named_turns)
            parts.append(f"Amends {listed(amended)}.")
        if current.turn.place is not None:
            parts.append(f" T{action.turn} happened directly after T{current.turn.place}.")
    elif isinstance(action, Adopt):
        parts.append(f"Adopts {listed(f'T{turn}' for turn in action.turns)} from the branch {action.branch}.")
    why = getattr(action, "why", None)
    if why and isinstance(action, Undo | Amend):
        parts.append(f" Why: {ended(why)}")
    return (*parts, *consequences(named_turns, current, same_turns))


def _turn_list(turns: Sequence[int]) -> str:
    return listed(f"T{turn}" for turn in turns)


def what_became(system: RuleSystem, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """What an amendment changed of an action: "strength 12 → 28, Pip instead of Isolde"; empty if nothing visible."""
    if old.get("type") != new.get("type"):
        kinds = (str(action.get("type", "")).rpartition(".")[2].replace("_", " ") for action in (old, new))
        return " → ".join(kinds)
    defaults = _defaults(system, str(new.get("type")))
    keys = [key for key in (*old, *(key for key in new if key not in old)) if not same(old.get(key), new.get(key))]
    return ", ".join(_became(key, old.get(key, defaults.get(key)), new.get(key, defaults.get(key))) for key in keys)


@cache
def _defaults(system: RuleSystem, tag: str) -> Mapping[str, Any]:
    """The values that the fields of an action have where they are left out; {} if the action is unknown."""
    kind = None if isinstance(system, Uninstalled) else action_kinds(system.key).get(tag)
    return {} if kind is None else {field.key: field.default for field in fields_of(kind)}


def _became(key: str, old: Any, new: Any) -> str:
    if key == "character" and old is not None and new is not None:  # that it is about a character shows from the names
        return f"{_value(new)} instead of {_value(old)}"
    title = key.replace("_", " ")
    if key == "rolled" and None in (old, new):  # dice that nobody reports are drawn
        dice = [DRAWN_DICE if value is None else f"{title} {_value(value)}" for value in (new, old)]
        return " instead of ".join(dice)
    return f"{title} {_value(old)} → {_value(new)}"


def _value(value: Any) -> str:
    """A value in words; one that reads like a sentence in quotes."""
    words = "none" if value is None else in_words(value)
    return f'"{words}"' if isinstance(value, str) and re.search(r"[.,:;!?]", words) else words


def _turns_that_read_as_before(current: EffectiveTurn) -> frozenset[int]:
    """The turns that an undo decided again and that read as they did before it."""
    before = current.facts_before
    return frozenset(
        event.turn
        for event in (current.turn.events if before else ())
        if isinstance(event, TurnRedecided) and event.turn in before and read_alike(before[event.turn], event.events)
    )


def read_alike(first: Sequence[Event], second: Sequence[Event]) -> bool:
    """Whether two outcomes have the same sentence, whatever lies behind it (other totals, the order of a deck)."""
    return plain(parts_of(first)) == plain(parts_of(second))


def consequences(
    named_turns: Sequence[int], current: EffectiveTurn, same_turns: Collection[int] = frozenset()
) -> Sentence:
    """The effects of a revising turn on earlier turns that its action did not name.

    `same_turns`: the turns that it decided again and that read as before. Turns that were undone since are left out.

    Empty if the revising turn was undone, or was decided again and came out differently: the turn that caused this
    tells the effects.
    """
    if not current.standing or (current.redecided_by is not None and not is_unchanged(current)):
        return ()
    dropped_turns, kept_turns, redecided_turns = list[int](), list[int](), list[int]()
    for event in current.turn.events:
        if isinstance(event, TurnRedecided) and event.kept:
            kept_turns.append(event.turn)
        elif isinstance(event, REVISION_EVENTS) and event.turn not in named_turns:
            (redecided_turns if isinstance(event, TurnRedecided) else dropped_turns).append(event.turn)
    different_turns = [
        turn for turn in redecided_turns if turn not in same_turns and turn not in current.undone_among_named
    ]
    stays = [turn for turn in redecided_turns if turn in same_turns and turn not in current.undone_among_named]
    parts: list[str] = []
    for turns, singular, plural in (
        (stays, "stays as it was announced", "stay as they were announced"),
        (different_turns, "comes out differently", "come out differently"),
        (dropped_turns, "is dropped", "are dropped"),
        (kept_turns, "is kept as it was", "are kept as they were"),
    ):
        if turns:
            parts.append(f" {_turn_list(turns)} {singular if len(turns) == 1 else plural}.")
    return tuple(parts)


def is_unchanged(current: EffectiveTurn) -> bool:
    """Whether a turn has the same action, place and facts as when it was recorded."""
    turn = current.turn
    return (
        current.action == turn.action
        and current.facts == turn.facts
        and (current.place == turn.place or since_of(turn.action) is not None)
    )


def readable(system: RuleSystem, record: Action | Event) -> dict[str, Any]:
    """An action or event as JSON, without the fields that no reader may see (the order of a deck)."""
    fields: dict[str, Any] = msgspec.to_builtins(record)
    if not system.fold_only:
        return fields
    if isinstance(record, TurnRedecided):
        fields["chance"] = {key: draw for key, draw in fields["chance"].items() if not key.endswith(UNSEEN)}
        fields["events"] = [readable(system, event) for event in record.events]
    if isinstance(record, Amend):
        for amendment in (fields, *fields.get("also", ())):
            amendment["action"] = {
                name: value for name, value in amendment["action"].items() if name not in system.fold_only
            }
    return {name: value for name, value in fields.items() if name not in system.fold_only}


def readable_json(system: RuleSystem, record: Action | Event) -> str:
    """A record as JSON text, without what no reader may see."""
    return as_json(readable(system, record) if _may_hold_unread(system, type(record)) else record)


@cache
def _may_hold_unread(system: RuleSystem, kind: type[Action | Event]) -> bool:
    """Whether an action or event of this type can contain a field that no reader may see."""
    return bool(system.fold_only) and (
        issubclass(kind, TurnRedecided | Amend) or not system.fold_only.isdisjoint(kind.__struct_fields__)
    )


def citation(system: RuleSystem, rule: str) -> str:
    """The citation of a paragraph, "OSR 6.4", from its number or from the citation itself."""
    return _citations(system.cite, (rule,))[0]


def with_title(key: str, citation: str) -> str:
    """A citation with the title that the rules of this key give the paragraph: "OSR 6.4 “Resting”"."""
    paragraph = paragraphs_of(key).get(citation.rpartition(" ")[2])
    return f"{citation} “{paragraph.title}”" if paragraph is not None else citation


def cited_by(system: RuleSystem, event: Event) -> tuple[str, ...]:
    """The citations of an event, without duplicates."""
    rule = getattr(event, "rule", None)
    return _citations(system.cite, (*event.cites, rule) if isinstance(rule, str) else event.cites)


@cache
def _citations(cite: str, rules: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{cite} {rule.removeprefix(f'{cite} ')}" for rule in rules))


def turn_text(system: RuleSystem, current: EffectiveTurn, facts: Sequence[Sentence] | None = None) -> TurnText:
    """The sentence of a turn without secrecy. `facts`: the sentences of its events, if known already."""
    turn, action = current.turn, current.action
    if isinstance(action, UnreadableAction):
        parts = action.sentence()
    else:
        parts = join_sentences(facts, current.facts) if facts is not None else parts_of(current.facts)
    if isinstance(turn.action, REVISIONS):
        changes = _changes(system, turn.action, current.amended_from)
        parts = revision_parts(current, changes, _turns_that_read_as_before(current))
    elif current.facts is not turn.events and any(isinstance(event, REVISION_EVENTS) for event in turn.events):
        parts = (*parts, *consequences((), current))
    sentence_then = plain(parts_of(turn.facts)) if current.redecided_by is not None else None
    return TurnText(at=turn.moment, parts=parts, redecided_by=current.redecided_by, sentence_then=sentence_then)


def _changes(
    system: RuleSystem,
    action: Action,
    before: Mapping[int, Mapping[str, Any]],
    visible_part: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda action_json: action_json,
) -> dict[int, str]:
    """Turn -> what an amendment changed of its action, in words, without the fields that no reader may see.

    `visible_part` gives an action, before or after, as a player may see it.
    """
    if not isinstance(action, Amend) or isinstance(system, Uninstalled):
        return {}

    def without_unread(action_json: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: value for name, value in action_json.items() if name not in system.fold_only and value is not None
        }

    return {
        turn: what_became(system, without_unread(visible_part(before[turn])), without_unread(visible_part(new)))
        for turn, new in action.new_actions.items()
        if turn in before
    }


def answer_parts(system: RuleSystem, current: EffectiveTurn, now: Any, viewer: str | None) -> Sentence:
    """The sentence of a turn that was recorded just now, as `viewer` may see it; no Entry is made where all is seen."""
    if viewer is None or not system.keeps_secrets:
        return turn_text(system, current).parts
    return entry_for(system, current, None, now, viewer).parts


def characters_in(current: EffectiveTurn) -> frozenset[str]:
    """The characters that a turn's action names or its facts are about."""
    happened_to = [getattr(event, "character", None) for event in current.facts]
    return frozenset((*names_in(current.action), *[name for name in happened_to if isinstance(name, str)]))


def cards_from_the_log(system: RuleSystem, turn: EffectiveTurn) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The cards that the log dealt in a turn, as (owner, cards) per event."""
    if system.piles is None:
        return
    turned_up_cards = [cards_of for fact in turn.facts if (cards_of := system.turned_up(fact))[1]]
    if not turned_up_cards:  # as in most turns
        return
    reported_counts: dict[str, Counter[int | str]] = {}
    for key, draw in turn.chance.items():
        if draw.sides is None and not key.endswith((COUNTED, UNSEEN)):
            reported_counts.setdefault(draw.whose, Counter()).update(draw.values[: draw.reported])
    for owner, cards in turned_up_cards:
        of_table = reported_counts.get(owner, Counter())
        cards_of_log = []
        for card in cards:
            if of_table[card]:
                of_table[card] -= 1
            else:
                cards_of_log.append(card)
        if cards_of_log:
            yield owner, tuple(cards_of_log)


def source_of_cards(system: RuleSystem, turn: EffectiveTurn) -> str | None:
    """Who dealt the cards: "dealt", "reported" or "dealt and reported"; None if the turn turned up no card."""
    if system.piles is None:
        return None
    every = sum(len(system.turned_up(fact)[1]) for fact in turn.facts)
    if not every:
        return None
    cards_from_log = sum(len(cards) for _, cards in cards_from_the_log(system, turn))
    return "dealt" if cards_from_log == every else "dealt and reported" if cards_from_log else "reported"


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
        characters=characters_in(current),
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
        parts=revision_parts(current, _changes(system, current.turn.action, current.amended_from, sees.amendment))
        if isinstance(current.turn.action, REVISIONS)
        else (*parts, *consequences((), current)),
        sentence_then=sentence_then,
    )
