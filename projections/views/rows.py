"""Turns effective turns into rows: what each turn adds to the tables of a view."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from operator import is_not
from typing import Any

from msgspec import UnsetType

from domain.common import EVENTS
from domain.common.notes import Noted
from domain.common.paragraphs import ParagraphAdded, ParagraphRevised, ParagraphWithdrawn
from domain.common.rulings import RulingEnded, RulingKept, RulingMade
from domain.common.sessions import SessionClosed, SessionOpened
from domain.common.tracking import Tracked
from domain.log.effective_history import EffectiveHistory, EffectiveTurn, effective_turns
from domain.log.port import Log
from domain.registry import tag_of
from domain.system.chance import COUNTED, UNSEEN, draws
from domain.system.paragraphs import bare_number, cited_by
from domain.system.rulesystem import RuleSystem
from domain.system.rulings_in_force import Rulings
from domain.system.state import Game
from domain.turn import REVISION_EVENTS, Drawn, Event, Sentence, Turn
from domain.values import as_json
from projections.chronicle import entry_for, entry_of, involved_in, turn_text
from projections.dealt_cards import cards_from_the_log, source_of_cards
from projections.secrecy import face_down, readable_json, sheet_for
from projections.sentences import plain
from projections.views.cells import as_cell
from projections.views.tables import TABLES
from projections.views.turn_rows import turn_row

Row = tuple[Any, ...]

#: The types of events of all campaigns, whatever the rules.
COMMON = frozenset(EVENTS)

#: The value of a field that a sheet does not have.
NOTHING = object()

#: The number of turns whose rows are written at once.
AT_ONCE = 2000


class Rows:
    """Collects the rows of consecutive turns, as `viewer` may see them (None: everything).

    `state` is the state before the first of them; the ids of `values` and `rolls` continue from those given.
    """

    def __init__(
        self,
        system: RuleSystem,
        state: Game,
        effective: EffectiveHistory,
        *,
        value_id: int = 0,
        roll_id: int = 0,
        viewer: str | None = None,
        now: Game | None = None,
        versions: Mapping[str, int] | None = None,
    ) -> None:
        self.system, self.state, self.effective = system, state, effective
        self.viewer = viewer if viewer is not None and system.keeps_secrets else None
        self._now = now
        #: the state after each late entry, at its place, until its row is made
        self._after_late: dict[int, Game] = {}
        self._value_id, self._roll_id = value_id, roll_id
        #: the current view of every sheet
        self.sheet_views: dict[str, dict[str, Any]] = {}
        self._sheets: dict[str, Any] = {}
        #: whether any sheet was viewed again because it may have changed
        self.shown_anew = False
        self._table, self._options = state.table, state.options
        #: the number of wordings of each paragraph; without built-in ones that were never revised
        self._versions = dict(versions or {})
        #: turn -> version of the wording that it gave
        self._version_of_turn: dict[int, int] = {}
        self._rulings = state.campaign.rulings
        self._rulings_on = _in_force_on(self._rulings)
        #: paragraphs -> the rows (paragraph, version, ruling) that they are played under, until one changes
        self._under: dict[tuple[str, ...], list[Row]] = {}
        for name, sheet in state.characters.items():
            self._sheets[name] = sheet
            self.sheet_views[name] = sheet_for(system, state, name, self.viewer)
        self.forget()

    def forget(self) -> None:
        """Clear the rows, after they have been written."""
        self.tables: dict[str, list[Row]] = {name: [] for name in TABLES if name != "sessions"}
        #: the rows of `events` that are made as they are written
        self.revisions: list[Iterator[Row]] = []
        #: in folding order: (True, (session, title, date, place, turn)); (False, (turn, summary, session)) if closed
        self.sessions: list[tuple[bool, Row]] = []
        #: rulings that ended, and rulings that were kept after a trial: parameters of the updates
        self.endings: list[dict[str, Any]] = []
        self.keepings: list[dict[str, Any]] = []
        #: the turns after which something lies face down, if the rows are for a player
        self.face_down: list[Row] = []

    def add(self, current: EffectiveTurn) -> None:
        """Add one turn, and fold the late entries directly after it."""
        number = current.number
        if current.undone_by is None and current.place is None:
            self._fold(current.turn, current.facts)
        self._add_turn(current)
        for late in self.effective.late.get(number, ()):
            if self.effective.stands(late.number):
                self._fold(late, self.effective.facts(late))
                if self.viewer is not None:
                    self._after_late[late.number] = self.state.copy()
        if self.viewer is not None and face_down(self.system, self.state):
            self.face_down.append((number,))

    # -- what changed on the sheets

    def _fold(self, turn: Turn, facts: Sequence[Event]) -> None:
        """Apply the facts of a turn at its place, and add rows for what they change."""
        self._play_under(turn, facts)
        for number, event in enumerate(facts, 1):
            if isinstance(event, SessionOpened):
                self.sessions.append((True, (event.number, event.title, event.date, event.place, turn.number)))
            elif isinstance(event, SessionClosed) and (session := self.state.campaign.session) is not None:
                # one that was kept where none is open any more closes nothing
                self.sessions.append((False, (turn.number, event.summary, session)))
            event.fold(self.state)
            if isinstance(event, ParagraphAdded | ParagraphRevised):
                # the wording of the rules is the first
                self._versions[event.rule] = self._versions.get(event.rule, isinstance(event, ParagraphRevised)) + 1
                self._version_of_turn[turn.number] = self._versions[event.rule]
                self._under.clear()
            elif isinstance(event, Tracked):
                self.tables["tracked"].append((turn.number, event.character, event.name, event.before, event.value))
            self._compare(turn.number, number, event)
        if self.state.campaign.rulings is not self._rulings:
            self._rulings = self.state.campaign.rulings
            self._rulings_on = _in_force_on(self._rulings)
            self._under.clear()

    def _play_under(self, turn: Turn, facts: Sequence[Event]) -> None:
        """Add rows for the wordings and rulings in force when a turn was played, of the paragraphs that it cites."""
        rules = played_under(self.system, turn, facts)
        under = self._under.get(rules)
        if under is None:
            under = self._under[rules] = [
                (rule, self._versions.get(bare_number(self.system, rule), 1), ruling)
                for rule in rules
                for ruling in self._rulings_on.get(bare_number(self.system, rule)) or (None,)
            ]
        number = turn.number
        self.tables["under"] += [(number, *row) for row in under]

    def _compare(self, turn: int, number: int, event: Event) -> None:
        """Add a row for each field of a sheet that an event changed, and for what the table tracks."""
        state = self.state
        # the view of a sheet may depend on the table and the options too; unchanged objects give unchanged views
        everybody = state.table is not self._table or state.options is not self._options
        rule: str | None = None
        tracked_values, before_it = state.table.tracked, self._table.tracked
        if tracked_values is not before_it:
            self._value_id += 1
            current = (self._value_id, turn, number, "", "tracked", as_json(before_it), as_json(tracked_values), None)
            self.tables["values"].append(current)
        for name, sheet in state.characters.items():
            if not everybody and self._sheets.get(name) is sheet:
                continue
            before = self.sheet_views.get(name, {})
            after = sheet_for(self.system, state, name, self.viewer)
            self.sheet_views[name], self._sheets[name], self.shown_anew = after, sheet, True
            fields: Iterable[str] = after
            if [*before] == [*after]:
                # most values are identical objects: small numbers and unchanged texts
                fields = compress(after, map(is_not, after.values(), before.values()))
            for field in fields:
                old, new = before.get(field, NOTHING), after[field]
                if new != old or type(new) is not type(old):
                    rule = ", ".join(cited_by(self.system, event)) if rule is None else rule
                    was = None if old is NOTHING else as_cell(old)
                    self._value_id += 1
                    self.tables["values"].append(
                        (self._value_id, turn, number, name, field, was, as_cell(new), rule or None)
                    )
        self._table, self._options = state.table, state.options

    # -- what a turn adds

    def _add_turn(self, current: EffectiveTurn) -> None:
        turn, number, standing = current.turn, current.number, int(current.undone_by is None)
        system, viewer, citations, rows = self.system, self.viewer, self.tables["citations"], self.tables["events"]
        for rule in turn.cites:
            citations.append((number, 0, rule))
        facts = current.facts
        sentences = [fact.sentence() for fact in facts]
        texts = list(map(plain, sentences))
        if viewer is None:
            visible = self._add_whole(current, sentences, texts)
        elif (of_a_player := self._add_for_player(current, viewer)) is not None:
            visible = of_a_player
        else:
            return
        # in `visible` the revision events follow
        for at, (fact, text, json) in enumerate(zip(facts, texts, visible, strict=False), 1):
            rules = cited_by(system, fact)
            for rule in rules:
                citations.append((number, at, rule))
            name = getattr(fact, "character", None)
            character = name if isinstance(name, str) else None
            rows.append((number, at, tag_of(type(fact)), character, ", ".join(rules) or None, text, standing, json))
            if type(fact) in COMMON:
                self._add_special(number, fact, current)
        if number in self.effective.with_revision_events:
            self.revisions.append(self._revision_rows(current, visible))
        self._add_chance(number, current.chance, standing)
        for owner, cards in cards_from_the_log(system, current):
            for card in cards:
                self._roll_id += 1
                row = (self._roll_id, number, owner or None, "dealt by the log", "card", None, card, 0, standing)
                self.tables["rolls"].append(row)

    def _revision_rows(self, current: EffectiveTurn, visible: Iterator[str]) -> Iterator[Row]:
        """The rows of a turn's revision events, made as they are written: there may be as many as turns."""
        number, standing, after_facts = current.number, int(current.undone_by is None), len(current.facts) + 1
        events = (event for event in current.turn.events if isinstance(event, REVISION_EVENTS))
        for at, (event, json) in enumerate(zip(events, visible, strict=True), after_facts):
            # the outcome of an earlier turn is shown at that turn, as far as the viewer may see it
            text = plain(event.sentence()) if self.viewer is None else None
            yield number, at, tag_of(type(event)), None, None, text, standing, json

    def _add_whole(self, current: EffectiveTurn, sentences: Sequence[Sentence], texts: Sequence[str]) -> Iterator[str]:
        """Add a turn without secrecy, given the sentences of its facts, and return its events as JSON."""
        system, number = self.system, current.number
        drew = int(bool(current.chance and draws(current.chance)))
        action_json, cards = readable_json(system, current.action), source_of_cards(system, current)
        text_of_turn = turn_text(system, current, sentences)
        text = texts[0] if len(texts) == 1 and text_of_turn.parts == sentences[0] else text_of_turn.sentence
        self.tables["turns"].append(
            turn_row(current, text_of_turn, text, tag_of(type(current.action)), action_json, cards, drew)
        )
        self.tables["involved"] += [(number, name) for name in sorted(involved_in(current))]
        events = current.events if number in self.effective.with_revision_events else current.facts
        return (readable_json(system, event) for event in events)

    def _add_for_player(self, current: EffectiveTurn, viewer: str) -> Iterator[str] | None:
        """Add a turn as a player may see it and return its events as JSON; None if rows of events are added too."""
        number, standing = current.number, int(current.standing)
        whole = entry_of(self.system, current)
        after = self._after_late.pop(number, self.state)
        entry = entry_for(self.system, current, after, self._now or self.state, viewer)
        tables = self.tables
        row = turn_row(current, entry, entry.sentence, entry.kind, as_json(entry.action), entry.cards, None)
        tables["turns"].append(row)
        tables["involved"] += [(number, name) for name in sorted(entry.characters)]
        facts = len(current.facts)
        if (entry.action, entry.parts, entry.events[:facts]) == (whole.action, whole.parts, whole.events[:facts]):
            return map(as_json, entry.events)
        # something in it is secret from the viewer: add only what its entry has
        tables["events"] += [
            (number, at, event["type"], event.get("character"), None, None, standing, as_json(event))
            for at, event in enumerate(entry.events, 1)
        ]
        # the citations of a turn with secrets are not secret
        tables["citations"] += [
            (number, at, rule) for at, fact in enumerate(current.facts, 1) for rule in cited_by(self.system, fact)
        ]
        return None

    def _add_special(self, number: int, event: Event, current: EffectiveTurn) -> None:
        standing = current.standing
        match event:
            case Noted():
                is_disputed = int(bool(event.disputed))
                row = (number, event.about, event.rule, event.turn, event.text, is_disputed, int(standing))
                self.tables["notes"].append(row)
            case RulingMade():
                counts_from = number if event.since is None else event.since
                options = as_json(event.set)
                trial = (int(event.trial), event.review or None, _as_list(event.because), event.supersedes or None)
                ruling_row = (number, event.number, event.rule, event.text, event.why, *trial, options, counts_from)
                # whether it is in force is settled when all rulings are written
                self.tables["rulings"].append((*ruling_row, int(standing), None, None, None, None, 0))
            case RulingEnded() if standing:
                self.endings.append({"turn": number, "why": event.why, "ruling": event.ruling})
            case RulingKept() if standing:
                self.keepings.append({"turn": number, "ruling": event.ruling})
            case ParagraphAdded() | ParagraphRevised() | ParagraphWithdrawn():
                kind = str(event.__struct_config__.tag).rpartition(".")[2]
                title, text = getattr(event, "title", None) or None, getattr(event, "text", None) or None
                version = self._version_of_turn.get(number) if standing else None
                because = _as_list(event.because)
                self.tables["wordings"].append(
                    (number, event.rule, kind, version, title, text, event.why, because, int(standing))
                )
            case _:
                pass  # every other event is a row of `events` and nothing more

    def _add_chance(self, turn: int, chance: Mapping[str, Drawn], standing: int) -> None:
        rolls, roll_id = self.tables["rolls"], self._roll_id
        for key, draw in chance.items():
            if key.endswith((COUNTED, UNSEEN)):
                continue
            owner, purpose, sides, reported_count = draw.whose or None, draw.purpose, draw.sides, draw.reported
            kind = "die" if sides else "total" if purpose in self.system.totals else "card"
            for index, value in enumerate(draw.values):
                roll_id += 1
                rolls.append((roll_id, turn, owner, purpose, kind, sides, value, int(index < reported_count), standing))
        self._roll_id = roll_id


def _in_force_on(rulings: Rulings) -> dict[str, list[int]]:
    """The rulings in force on each paragraph, in order."""
    numbers: dict[str, list[int]] = {}
    for ruling in rulings:
        if ruling.number in rulings.in_force:
            numbers.setdefault(ruling.rule, []).append(ruling.number)
    return numbers


def played_under(system: RuleSystem, turn: Turn, facts: Sequence[Event]) -> tuple[str, ...]:
    """The citations of the paragraphs that a turn was played under, by its events and by the table.

    Events of all campaigns (a note, a ruling) are about rules and not played under them.
    """
    if len(facts) == 1 and not turn.cites:  # true for most turns
        return () if type(facts[0]) in COMMON else cited_by(system, facts[0])
    of_the_rules = [rule for fact in facts if type(fact) not in COMMON for rule in cited_by(system, fact)]
    return tuple(dict.fromkeys((*turn.cites, *of_the_rules)))


def _as_list(turns: Sequence[int] | UnsetType) -> str | None:
    return as_json(turns) if turns else None


def segment(log: Log, rows: Rows, start: int, last: int) -> Iterator[int]:
    """Add the turns from `start` to `last`, and yield the number of each after it is added."""
    session = rows.state.campaign.session or 0
    for current in effective_turns(log, last, rows.effective, after=start - 1, session=session):
        rows.add(current)
        yield current.number
