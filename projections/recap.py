"""An evening told again: who was there, what happened, where it turned, what was ruled, what it did to the sheets."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from domain.common.notes import Note, Noted
from domain.common.paragraphs import ParagraphAdded, ParagraphRevised, ParagraphWithdrawn
from domain.common.revisions import Amend, Redo, Undo
from domain.common.rulings import RulingEnded, RulingKept, RulingMade
from domain.common.sessions import SessionClosed, SessionOpened
from domain.common.sheets import Override, SheetCheck, SheetOverridden
from domain.log.deciding import names_in
from domain.log.effective_history import EffectiveHistory, EffectiveTurn, since_of
from domain.log.folding import fold, nearest, state_at, steps
from domain.log.points import sessions_of
from domain.log.port import AsOf, Log
from domain.naming import called
from domain.system.registry import tag_of
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.turn import Event, Sentence
from domain.values import in_words, silent
from projections.chronicle import TurnText, citation, entry_for, plain, turn_text
from projections.secrecy import sheet_for


class TurnInWords(Struct, frozen=True):
    """One turn of the evening as a sentence in pieces."""

    turn: int
    parts: Sentence
    #: a part of the evening begins with it
    opens_part: bool = False


class Moment(Struct, frozen=True):
    """A turn that stands out: by what, and its own sentence."""

    turn: int
    what: str
    sentence: str


class Ruled(Struct, frozen=True):
    """A ruling of the evening, or the end of one. `sets` are the options that it holds.

    `sentence` tells what was done otherwise to the rules: a trial kept, a paragraph added, revised or withdrawn.
    """

    turn: int
    ruling: int | None
    ended: bool
    rule: str | None
    text: str | None
    why: str | None
    trial: bool = False
    sets: dict[str, Any] = {}
    sentence: str | None = None


class Written(Struct, frozen=True):
    """A note of the evening."""

    turn: int
    by: str | None
    text: str
    about: str | None
    rule: str | None
    on: int | None


class SheetRow(Struct, frozen=True):
    """One line of a sheet before and after the evening, in words. None: there was no such sheet."""

    name: str
    before: str | None
    after: str | None

    @property
    def changed(self) -> bool:
        """Whether there was a sheet before, and another value on it."""
        return self.before is not None and self.before != self.after


class Sheets(Struct, frozen=True):
    """One character's sheet before and after."""

    character: str
    player: str | None
    took_part: bool
    fields: tuple[SheetRow, ...]


class Curve(Struct, frozen=True):
    """How much one character could still take: (turn, value) from before the evening and at every change."""

    character: str
    points: tuple[tuple[int, int], ...]


class Recap(Struct, frozen=True):
    """One evening. The lists are in the order of the log; what was taken back is among the corrections only."""

    campaign: str
    rules: str
    session: int
    title: str | None
    date: str | None
    place: str | None
    summary: str | None
    began: datetime
    ended: datetime
    open: bool
    first: int
    last: int
    #: player -> the characters with whom they took part
    players: dict[str, tuple[str, ...]]
    #: characters without a player who took part
    others: tuple[str, ...]
    lines: tuple[TurnInWords, ...]
    #: where the story turned: who fell, who rose again, the worst blow
    moments: tuple[Moment, ...]
    #: what the keeping of the log added: taken back, corrected, overridden
    corrections: tuple[Moment, ...]
    rulings: tuple[Ruled, ...]
    notes: tuple[Written, ...]
    sheets: tuple[Sheets, ...]
    #: what the curves draw, in words, and whether it is worse the higher it is
    measure: str
    higher_is_worse: bool
    curves: tuple[Curve, ...]
    #: the seal of the last turn of the evening, for whoever keeps the page; None where it has none
    seal: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The keys of `campaign recap -O json`; they are stable."""
        lines = [{"turn": line.turn, "sentence": plain(line.parts)} for line in self.lines]
        value: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(self, lines=()))
        return {**value, "lines": lines}


def recap_of(
    system: RuleSystem,
    log: Log,
    session: int,
    upto: int | None = None,
    viewer: str | None = None,
    bounds: tuple[int, int] | None = None,
) -> Recap:
    """One session as the log tells it at turn `upto`, with everything known by then, as `viewer` may see it.

    `bounds` are its first and its last turn, if somebody knows them: to find them takes all sessions of the log.
    """
    known = AsOf(log, log.last() if upto is None else upto)
    first, last = bounds or sessions_of(known)[session]
    sees_all = viewer is None or not system.keeps_secrets
    now = None if sees_all else state_at(system, known)
    said: dict[int, TurnText] = {}
    before, opening, effective = _opening(system, known, first)
    walk = _Walk(system, opening, first, None if sees_all else viewer)
    found: list[tuple[int, EffectiveTurn]] = []
    campaign, trunk = "", 0
    for each, state in steps(system, known, None, effective, after=before, state=opening.copy()):
        if each.place is None and each.turn.number > last:
            break
        campaign = state.campaign.name
        trunk = each.turn.number if each.place is None else trunk
        # a ruling that counts from elsewhere belongs to the evening on which it was made
        told_late = each.place is not None and since_of(each.action) is None
        if each.session == session if told_late else first <= each.turn.number <= last:
            found.append((trunk if told_late else each.turn.number, each))
            said[each.turn.number] = turn_text(each) if sees_all else entry_for(system, each, state, now, viewer)
            # and comes with the sheets of its place, not of the evening
            if each.standing and (told_late or each.place is None):
                walk.step(each, state)
    turns = [each for _, each in sorted(found, key=lambda pair: pair[0])]
    opened = next(fact for fact in _facts(turns) if isinstance(fact, SessionOpened))
    closed = next((fact for fact in _facts(turns) if isinstance(fact, SessionClosed)), None)
    there = _took_part(turns, walk.after)
    players: dict[str, tuple[str, ...]] = {}
    for name in there:
        player = walk.after.get(name, walk.before.get(name, {})).get("player")
        if isinstance(player, str) and player:
            players[player] = (*players.get(player, ()), name)
    return Recap(
        campaign=campaign,
        rules=system.key,
        session=session,
        title=opened.title,
        date=opened.date,
        place=opened.place,
        summary=closed.summary if closed else None,
        began=turns[0].turn.moment,
        ended=turns[-1].turn.moment,
        open=closed is None,
        first=first,
        last=last,
        players=players,
        others=tuple(name for name in there if not any(name in names for names in players.values())),
        lines=tuple(
            TurnInWords(each.turn.number, said[each.turn.number].parts, any(fact.opens_part for fact in each.facts))
            for each in turns
            if each.standing and _happens(each)
        ),
        moments=tuple(sorted(walk.moments(said), key=lambda moment: moment.turn)),
        corrections=tuple(_corrections(turns, said)),
        rulings=tuple(_rulings(turns, system)),
        notes=tuple(_notes(turns)),
        sheets=tuple(_sheets(walk, there)),
        measure=system.vital[1],
        higher_is_worse=walk.higher_is_worse,
        curves=tuple(
            Curve(name, tuple(points)) for name, points in walk.curves.items() if name in there or len(points) > 1
        ),
    )


def _opening(system: RuleSystem, log: Log, first: int) -> tuple[int, Game, EffectiveHistory]:
    """The turn before a session, the state after it, and what stands of what follows.

    An opening that was told late opens where it folds.
    """
    before = first - 1
    while True:
        after, state, _, effective = nearest(system, log, before, log.last())
        if effective.trunk(first) > before:
            fold(state, log.happened(after, before), effective)
            return before, state, effective
        before = effective.trunk(first) - 1


def _facts(turns: list[EffectiveTurn]) -> Iterator[Event]:
    return (fact for each in turns if each.standing for fact in each.facts)


#: What is done to the rules beside rulings made and ended.
RULED = (RulingKept, ParagraphAdded, ParagraphRevised, ParagraphWithdrawn)
#: What has a place of its own in a recap, and is not told again among what happened.
ELSEWHERE = (Noted, RulingMade, RulingEnded, *RULED, SessionOpened, SessionClosed)


def _happens(each: EffectiveTurn) -> bool:
    return any(not (isinstance(fact, ELSEWHERE) or fact.told_elsewhere) for fact in each.facts)


#: What is done with a sheet and not at the table: whoever is named in it may have been elsewhere.
ON_PAPER = (Note, Override, SheetCheck)


def _took_part(turns: list[EffectiveTurn], sheets: Mapping[str, Any]) -> tuple[str, ...]:
    """The characters who did something, or to whom something was done, in the order of enrolment.

    What merely followed for somebody (a day went by, a scenario ended) can happen to who is not there.
    """
    named = {
        name
        for each in turns
        if each.standing and not isinstance(each.action, ON_PAPER)
        for name in names_in(each.action)
    }
    return tuple(name for name in sheets if name in named)


def _corrections(turns: list[EffectiveTurn], said: Mapping[int, TurnText]) -> Iterator[Moment]:
    """What was taken back, what reads otherwise now, and where the referee's word stands against the rules."""
    for each in turns:
        number, entry = each.turn.number, said[each.turn.number]
        if not each.standing:
            if not isinstance(each.turn.action, Undo | Redo | Amend):
                yield Moment(number, f"Taken back by T{each.undone_by}", entry.sentence)
            continue
        for fact in each.facts:
            if isinstance(fact, SheetOverridden):
                yield Moment(number, f"The referee overrides {called(fact.character)}'s sheet", entry.sentence)
        if entry.first_read is not None:
            what = f"Corrected by T{entry.retold_by} (it first read: {entry.first_read.removesuffix('.')})"
            yield Moment(number, what, entry.sentence)


def _rulings(turns: list[EffectiveTurn], system: RuleSystem) -> Iterator[Ruled]:
    for each in turns:
        for fact in each.facts if each.standing else ():
            if isinstance(fact, RulingMade):
                rule = citation(system, fact.rule)
                yield Ruled(each.turn.number, fact.number, False, rule, fact.text, fact.why, fact.trial, dict(fact.set))
            elif isinstance(fact, RulingEnded):
                yield Ruled(each.turn.number, fact.ruling, True, None, None, fact.why)
            elif isinstance(fact, RULED):
                kept = fact.ruling if isinstance(fact, RulingKept) else None
                about = None if isinstance(fact, RulingKept) else citation(system, fact.rule)
                told = plain(fact.told())
                yield Ruled(each.turn.number, kept, False, about, None, fact.why, sentence=told)


def _notes(turns: list[EffectiveTurn]) -> Iterator[Written]:
    for each in turns:
        for fact in each.facts if each.standing else ():
            if isinstance(fact, Noted):
                yield Written(each.turn.number, each.turn.by, fact.text, fact.about, fact.rule, fact.turn)


def _sheets(walk: "_Walk", there: tuple[str, ...]) -> Iterator[Sheets]:
    """Whoever took part, and whoever else was changed."""
    for name in (*walk.after, *(name for name in walk.before if name not in walk.after)):
        before, after = walk.before.get(name), walk.after.get(name)
        if name not in there and before == after:
            continue
        fields = tuple(
            SheetRow(
                key,
                walk.told(name, key, before[key]) if before and key in before else None,
                walk.told(name, key, after[key]) if after else None,
            )
            for key in after or before or {}
            # what there is none of, before and after, need not be read
            if key != "player" and any(sheet and not silent(sheet.get(key)) for sheet in (before, after))
        )
        player = (after or before or {}).get("player")
        yield Sheets(name, player if isinstance(player, str) else None, name in there, fields)


class _Walk:
    """What one pass over the evening finds out about the characters."""

    def __init__(self, system: RuleSystem, opening: Game, first: int, viewer: str | None) -> None:
        self.system, self.viewer = system, viewer
        self.before = {name: sheet_for(system, opening, name, viewer) for name in opening.characters}
        self.after = dict(self.before)
        self._last = opening
        self._sheets, self._around = dict(opening.characters), (opening.table, opening.options)
        field, self.measure = system.vital
        self.higher_is_worse = field in system.worse_when_higher
        self.curves: dict[str, list[tuple[int, int]]] = {}
        self._fallen = {name: system.fallen(opening, name) for name in opening.characters}
        self._falls: list[tuple[int, str]] = []
        #: how much, which turn, and how it is told
        self._worst: tuple[int, int, str] | None = None
        for name, sheet in self.before.items():
            self._mark(first - 1, name, sheet)

    def step(self, each: EffectiveTurn, state: Game) -> None:
        """Look at everybody after a turn that stands."""
        self._last, number = state, each.turn.number
        struck = {getattr(fact, "character", None) for fact in each.facts if tag_of(type(fact)) in self.system.blows}
        # what a sheet shows may depend on the table and the options too, and what one player may see of it on the
        # other sheets; else the same objects show the same
        around = self.viewer is None and state.table is self._around[0] and state.options is self._around[1]
        for name, kept in state.characters.items():
            if around and self._sheets.get(name) is kept:
                continue
            self._sheets[name] = kept
            sheet = sheet_for(self.system, state, name, self.viewer)
            self._mark(number, name, sheet, struck=name in struck)
            self.after[name] = sheet
            now, was = self.system.fallen(state, name), self._fallen.get(name)
            if now != was:
                self._falls.append((number, f"{called(name)} is {now or f'no longer {was}'}"))
            self._fallen[name] = now
        self._around = (state.table, state.options)

    def told(self, name: str, field: str, value: Any) -> str:
        """A value of a sheet in words, cards by their names."""
        return in_words(self.system.in_words(self._last, name, field, value))

    def _mark(self, number: int, name: str, sheet: Mapping[str, Any], *, struck: bool = False) -> None:
        value = sheet.get(self.system.vital[0])
        if not isinstance(value, int):
            return
        points = self.curves.setdefault(name, [])
        if points and points[-1][1] == value:
            return
        if points and struck:
            self._strike(number, name, points[-1][1], value)
        points.append((number, value))

    def _strike(self, number: int, name: str, before: int, after: int) -> None:
        """A blow: is it the worst so far?"""
        harm = after - before if self.higher_is_worse else before - after
        if harm > (self._worst[0] if self._worst else 0):
            does = "takes" if self.higher_is_worse else "loses"
            measure = self.measure.removesuffix("s") if harm == 1 else self.measure
            what = f"{called(name)} {does} {harm} {measure} at once, the most of the evening"
            self._worst = (harm, number, f"{what}: from {before} to {after}")

    def moments(self, said: Mapping[int, TurnText]) -> Iterator[Moment]:
        """Falls and recoveries, and the worst blow."""
        for number, what in self._falls:
            yield Moment(number, what, said[number].sentence)
        if self._worst is not None:
            yield Moment(self._worst[1], self._worst[2], said[self._worst[1]].sentence)
