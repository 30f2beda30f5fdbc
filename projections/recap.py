"""The recap of an evening: who was there, the story, where it turned, what was decided, what it did to the sheets."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from domain.common.notes import Note, Noted
from domain.common.paragraphs import ParagraphAdded, ParagraphRevised, ParagraphWithdrawn
from domain.common.presence import Absence, Retire
from domain.common.rulings import RulingEnded, RulingKept, RulingMade
from domain.common.sessions import SessionClosed, SessionOpened
from domain.common.sheets import Override, SheetCheck, SheetOverridden
from domain.common.tracking import Track
from domain.log.deciding import names_in
from domain.log.effective_history import EffectiveHistory, EffectiveTurn, since_of
from domain.log.folding import fold, state_at, steps
from domain.log.points import sessions_of
from domain.log.port import AsOf, Log
from domain.log.snapshots import nearest_base
from domain.naming import called, listed
from domain.registry import tag_of
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.system.story import NOTABLE, SERIOUS, SEVERE, Elsewhere, Own, Share
from domain.turn import Event, Sentence
from domain.values import in_words, silent
from projections.chronicle import TurnText, citation, entry_for, plain, turn_text
from projections.corrections import Correction, corrections_of
from projections.secrecy import Onlooker, sheet_for
from projections.story import Passage, Seen, StoryTeller, TurningPoint, gravest


class TurnInWords(Struct, frozen=True):
    """One turn of the evening as a sentence in pieces."""

    turn: int
    parts: Sentence
    by: str | None = None
    #: the turn that took it back
    undone_by: int | None = None


class Moment(Struct, frozen=True):
    """A turning point: what it was, with its cause, and the sentence of its turn."""

    turn: int
    what: str
    sentence: str
    cause: str | None = None
    character: str | None = None


class Ruled(Struct, frozen=True):
    """A decision about the rules: a ruling made or ended; a trial kept, or a paragraph changed, as `sentence` says."""

    turn: int
    ruling: int | None
    ended: bool
    rule: str | None
    text: str | None
    why: str | None
    trial: bool = False
    #: the options that it holds
    sets: dict[str, Any] = {}
    sentence: str | None = None


class NoteWritten(Struct, frozen=True):
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
    is_foe: bool = False


class Curve(Struct, frozen=True):
    """How much one character could still take: (turn, value) from before the evening and at every change."""

    character: str
    points: tuple[tuple[int, int], ...]


class Blow(Struct, frozen=True):
    """A drop of a curve that harm made: from what to what, and by what."""

    turn: int
    character: str
    before: int
    after: int
    by: str | None = None

    @property
    def harm(self) -> int:
        return abs(self.before - self.after)


class Recap(Struct, frozen=True):
    """One evening. The lists are in the order of the log; what was undone is among the corrections only."""

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
    #: characters of whom it was said that they are not there -> who plays them
    absent: dict[str, str | None]
    story: tuple[Passage, ...]
    #: the turns that the story is made of, a sentence each
    lines: tuple[TurnInWords, ...]
    #: where the story turned, at most seven
    moments: tuple[Moment, ...]
    #: everything grave, of which the moments are the gravest
    turning_points: tuple[TurningPoint, ...]
    rulings: tuple[Ruled, ...]
    #: what the referee set against the rules, by a sentence each
    overrides: tuple[TurnInWords, ...]
    notes: tuple[NoteWritten, ...]
    #: who joined, who died, who is up again, as sentences
    fates: tuple[str, ...]
    sheets: tuple[Sheets, ...]
    #: what the curves draw, in words, and whether it is worse the higher it is
    measure: str
    higher_is_worse: bool
    curves: tuple[Curve, ...]
    blows: tuple[Blow, ...]
    #: one for each mistake that was set right
    corrections: tuple[Correction, ...]
    #: every turn of the evening, those undone too
    chronicle: tuple[TurnInWords, ...]
    #: the seal of the last turn of the evening, for whoever keeps the page; None where it has none
    seal: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The keys of `campaign recap -O json`; they are stable."""
        value: dict[str, Any] = msgspec.to_builtins(
            msgspec.structs.replace(self, lines=(), chronicle=(), story=(), overrides=())
        )
        return {
            **value,
            "lines": [{"turn": line.turn, "sentence": plain(line.parts)} for line in self.lines],
            "overrides": [{"turn": line.turn, "sentence": plain(line.parts)} for line in self.overrides],
            "story": [_passage_json(passage) for passage in self.story],
            "chronicle": [
                {"turn": line.turn, "by": line.by, "sentence": plain(line.parts), "undone_by": line.undone_by}
                for line in self.chronicle
            ],
        }


def _passage_json(passage: Passage) -> dict[str, Any]:
    value: dict[str, Any] = msgspec.to_builtins(passage)
    lines = []
    for line, told in zip(passage.lines, value["lines"], strict=True):
        del told["parts"]
        lines.append({**told, "sentence": plain(line.parts)})
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
    onlooker = viewer if viewer is not None and system.keeps_secrets else None
    now = None if onlooker is None else state_at(system, known)
    before, opening, effective = _opening(system, known, first)
    walk = _Walk(system, opening, first, onlooker, now)
    texts: dict[int, TurnText] = {}
    seen: dict[int, list[Seen]] = {}
    found: list[tuple[int, EffectiveTurn]] = []
    campaign, trunk = "", 0
    for each, state in steps(system, known, None, effective, after=before, state=opening.copy()):
        number = each.turn.number
        if each.place is None and number > last:
            break
        campaign = state.campaign.name
        trunk = number if each.place is None else trunk
        # a ruling that counts from elsewhere belongs to the evening on which it was made
        told_late = each.place is not None and since_of(each.action) is None
        if each.session == session if told_late else first <= number <= last:
            found.append((trunk if told_late else number, each))
            texts[number] = (
                turn_text(system, each) if onlooker is None else entry_for(system, each, state, now, onlooker)
            )
            if each.standing:
                seen[number] = walk.seen(each, state)
                # and comes with the sheets of its place, not of the evening
                if told_late or each.place is None:
                    walk.step(each, state, seen[number])
    turns = [each for _, each in sorted(found, key=lambda pair: pair[0])]
    standing = [each for each in turns if each.standing]
    opened = next(fact for fact in _facts(turns) if isinstance(fact, SessionOpened))
    closed = next((fact for fact in _facts(turns) if isinstance(fact, SessionClosed)), None)
    there = _took_part(turns, walk.after, walk.absent)
    players: dict[str, tuple[str, ...]] = {}
    for name in there:
        player = walk.after.get(name, walk.before.get(name, {})).get("player")
        if isinstance(player, str) and player:
            players[player] = (*players.get(player, ()), name)
    teller = StoryTeller(walk.is_foe)
    for each in standing:
        teller.add(each, seen[each.turn.number])
    points = sorted((*teller.turning_points, *walk.turning_points(teller)), key=lambda point: point.turn)
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
        others=tuple(
            name for name in there if not walk.is_foe(name) and not any(name in names for names in players.values())
        ),
        absent={name: walk.after[name].get("player") for name in walk.absent if name not in there},
        story=teller.passages(),
        lines=tuple(
            TurnInWords(each.turn.number, texts[each.turn.number].parts)
            for each in standing
            if _happens(each, seen[each.turn.number])
        ),
        moments=tuple(
            Moment(each.turn, each.what, texts[each.turn].sentence, each.cause, each.who or None)
            for each in gravest(points)
        ),
        turning_points=tuple(points),
        rulings=tuple(_rulings(turns, system)),
        overrides=tuple(
            TurnInWords(each.turn.number, texts[each.turn.number].parts)
            for each in standing
            if any(isinstance(fact, SheetOverridden) for fact in each.facts)
        ),
        notes=tuple(_notes(turns)),
        fates=tuple(walk.fates()),
        sheets=tuple(_sheets(walk, there)),
        measure=system.vital[1],
        higher_is_worse=walk.higher_is_worse,
        curves=tuple(
            Curve(name, tuple(curve))
            for name, curve in walk.curves.items()
            if not walk.is_foe(name) and (name in there or len(curve) > 1)
        ),
        blows=tuple(blow for blow in walk.blows if not walk.is_foe(blow.character)),
        corrections=tuple(corrections_of(system, turns, texts, effective, sees_all=onlooker is None)),
        chronicle=tuple(
            TurnInWords(each.turn.number, texts[each.turn.number].parts, each.turn.by, each.undone_by) for each in turns
        ),
    )


def _opening(system: RuleSystem, log: Log, first: int) -> tuple[int, Game, EffectiveHistory]:
    """The turn before a session, the state after it, and what stands of what follows.

    An opening that was entered late opens where it folds.
    """
    before = first - 1
    while True:
        base = nearest_base(system, log, before, log.last())
        if base.effective.trunk(first) > before:
            fold(base.state, log.read(base.turn, before), base.effective)
            return before, base.state, base.effective
        before = base.effective.trunk(first) - 1


def _facts(turns: Sequence[EffectiveTurn]) -> Iterator[Event]:
    return (fact for each in turns if each.standing for fact in each.facts)


#: What is done to the rules beside rulings made and ended.
RULED = (RulingKept, ParagraphAdded, ParagraphRevised, ParagraphWithdrawn)
#: What has a place of its own in a recap, and is no line of what happened.
APART = (Noted, RulingMade, RulingEnded, *RULED)


def _happens(each: EffectiveTurn, seen: Sequence[Seen]) -> bool:
    return any(
        not isinstance(fact, APART) and not isinstance(part, Elsewhere)
        for fact, (part, _) in zip(each.facts, seen, strict=True)
    )


#: What is done with a sheet and not at the table: whoever is named in it may have been elsewhere.
ON_PAPER = (Note, Override, SheetCheck, Track)


def _took_part(turns: Sequence[EffectiveTurn], sheets: Mapping[str, Any], absent: Collection[str]) -> tuple[str, ...]:
    """The characters who did something, or to whom something was done, in the order of enrolment.

    What merely followed for somebody (a day went by, a scenario ended) can happen to who is not there; and whose
    turns say only that they are away was not.
    """
    named = {
        name
        for each in turns
        if each.standing and not isinstance(each.action, ON_PAPER) and not _says_who_is_there(each)
        for name in names_in(each.action)
    }
    # whoever was only enrolled and then left was not there
    enrolled = {
        name
        for each in turns
        if each.standing and tag_of(type(each.action)).endswith(".enrol")
        for name in names_in(each.action)
        if name not in absent
    }
    back = {
        each.action.character
        for each in turns
        if each.standing
        and isinstance(each.action, Absence)
        and each.action.here
        and each.action.character not in absent
    }
    return tuple(name for name in sheets if name in named | enrolled | back)


def _says_who_is_there(each: EffectiveTurn) -> bool:
    """Whether a turn says nothing but who is there, and who is not."""
    return isinstance(each.action, Absence | Retire) or tag_of(type(each.action)).endswith((".enrol", ".absent"))


def _rulings(turns: Sequence[EffectiveTurn], system: RuleSystem) -> Iterator[Ruled]:
    for each in turns:
        number = each.turn.number
        for fact in each.facts if each.standing else ():
            if isinstance(fact, RulingMade):
                rule = citation(system, fact.rule)
                yield Ruled(number, fact.number, False, rule, fact.text, fact.why, fact.trial, dict(fact.set))
            elif isinstance(fact, RulingEnded):
                yield Ruled(number, fact.ruling, True, None, None, fact.why)
            elif isinstance(fact, RULED):
                kept = fact.ruling if isinstance(fact, RulingKept) else None
                about = None if isinstance(fact, RulingKept) else citation(system, fact.rule)
                yield Ruled(number, kept, False, about, None, fact.why, sentence=plain(fact.told()))


def _notes(turns: Sequence[EffectiveTurn]) -> Iterator[NoteWritten]:
    for each in turns:
        for fact in each.facts if each.standing else ():
            if isinstance(fact, Noted):
                yield NoteWritten(each.turn.number, each.turn.by, fact.text, fact.about, fact.rule, fact.turn)


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
        player = player if isinstance(player, str) else None
        yield Sheets(name, player, name in there, fields, walk.is_foe(name))


class _Walk:
    """What one pass over the evening finds out about the characters."""

    def __init__(self, system: RuleSystem, opening: Game, first: int, viewer: str | None, now: Game | None) -> None:
        self.system, self.viewer = system, viewer
        self._onlooker = Onlooker(system, now, viewer) if viewer is not None and now is not None else None
        self.before = {name: sheet_for(system, opening, name, viewer) for name in opening.characters}
        self.after = dict(self.before)
        self._last = opening
        self._sheets, self._around = dict(opening.characters), (opening.table, opening.options)
        field, self.measure = system.vital
        self.higher_is_worse = field in system.worse_when_higher
        self.curves: dict[str, list[tuple[int, int]]] = {}
        self.blows: list[Blow] = []
        self.absent: dict[str, None] = {}
        self._fallen_before = {name: system.fallen(opening, name) for name in opening.characters}
        self._fallen = dict(self._fallen_before)
        self._falls: list[TurningPoint] = []
        for name, sheet in self.before.items():
            self._mark(first - 1, name, sheet)

    def is_foe(self, name: str) -> bool:
        """Whether somebody is enrolled who stands on the other side."""
        return name in self._last.characters and self.system.is_foe(self._last, name)

    def seen(self, each: EffectiveTurn, state: Game) -> list[Seen]:
        """What each fact of a turn is to the story, and its sentence, as the reader may know them."""
        if self._onlooker is None:
            return [(fact.in_story(), fact.told()) for fact in each.facts]
        return [self._onlooker.in_story(fact, state) for fact in each.facts]

    def step(self, each: EffectiveTurn, state: Game, seen: Sequence[Seen]) -> None:
        """Look at everybody after a turn that stands."""
        self._last, number = state, each.turn.number
        struck = {getattr(fact, "character", None) for fact in each.facts if tag_of(type(fact)) in self.system.blows}
        causes = {part.who: part.by for part, _ in seen if isinstance(part, Own | Share) and part.by}
        # what a sheet shows may depend on the table and the options too, and what one player may see of it on the
        # other sheets; else the same objects show the same
        closes = any(isinstance(fact, SessionClosed) for fact in each.facts)
        around = self.viewer is None and state.table is self._around[0] and state.options is self._around[1]
        for name, kept in state.characters.items():
            if around and self._sheets.get(name) is kept:
                continue
            self._sheets[name] = kept
            sheet = sheet_for(self.system, state, name, self.viewer)
            self._mark(number, name, sheet, causes.get(name) if name in struck else None, struck=name in struck)
            self.after[name] = sheet
            if kept.away == "absent":
                self.absent[name] = None
            elif kept.away is None and not closes:  # back again; the end of a session brings nobody back
                self.absent.pop(name, None)
            now = self.system.fallen(state, name)
            if now != self._fallen.get(name) and now is not None:
                self._falls.append(TurningPoint(number, f"{called(name)} is {now}", SEVERE, who=name))
            self._fallen[name] = now
        self._around = (state.table, state.options)

    def told(self, name: str, field: str, value: Any) -> str:
        """A value of a sheet in words, cards by their names."""
        return in_words(self.system.in_words(self._last, name, field, value))

    def _mark(
        self, number: int, name: str, sheet: Mapping[str, Any], by: str | None = None, *, struck: bool = False
    ) -> None:
        value = sheet.get(self.system.vital[0])
        if not isinstance(value, int):
            return
        points = self.curves.setdefault(name, [])
        if points and points[-1][1] == value:
            return
        if points and struck and (value > points[-1][1]) == self.higher_is_worse:
            self.blows.append(Blow(number, name, points[-1][1], value, by))
        points.append((number, value))

    def turning_points(self, teller: StoryTeller) -> Iterator[TurningPoint]:
        """Those who fell by turns of which no event says that it is grave, and the worst blow if it was heavy."""
        grave = {point.turn for point in teller.turning_points if point.gravity >= SERIOUS}
        yield from (point for point in self._falls if point.turn not in grave and not self.is_foe(point.who))
        blows = [blow for blow in self.blows if not self.is_foe(blow.character)]
        worst = max(blows, key=lambda blow: blow.harm, default=None)
        if worst is not None and 2 * worst.harm >= max(worst.before, worst.after):
            does = "takes" if self.higher_is_worse else "loses"
            measure = self.measure.removesuffix("s") if worst.harm == 1 else self.measure
            what = f"{called(worst.character)} {does} {worst.harm} {measure} at once, the most of the evening"
            what += f": from {worst.before} to {worst.after}"
            yield TurningPoint(worst.turn, what, NOTABLE, worst.by, worst.character)

    def fates(self) -> Iterator[str]:
        """Who joined, who fell for more than a moment, who is up again."""
        ours = [name for name in self.after if not self.is_foe(name)]
        joined = [f"{called(name)}{self._brings(name)}" for name in ours if name not in self.before]
        if joined:
            yield f"{listed(joined)} joined."
        for name in ours:
            was, now = self._fallen_before.get(name), self._fallen.get(name)
            if now is not None and now != was:
                yield f"{called(name)} is {now}."
            elif was is not None and now is None:
                yield f"{called(name)} is no longer {was}."

    def _brings(self, name: str) -> str:
        """What somebody who joined has by now, beside what the rules keep."""
        tracked = self.after[name].get("tracked") or {}
        return f" ({', '.join(f'{what} {in_words(value)}' for what, value in tracked.items())})" if tracked else ""
