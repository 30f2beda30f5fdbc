"""The recap of a session, made from its turns: who took part, the story, decisions about rules, changes on sheets."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

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
from domain.log.hash_chain import seal_of
from domain.log.points import sessions_of
from domain.log.port import AsOf, Log
from domain.log.snapshots import FoldBase, nearest_base
from domain.naming import as_noun, called, key_of, listed, quantity, singular, within
from domain.registry import tag_of
from domain.system.paragraphs import citation, with_title
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.system.story import NOTABLE, SERIOUS, SEVERE, AfterRest, Elsewhere, Own, Share, StoryPart
from domain.turn import Event
from domain.values import in_words, silent
from projections.chronicle import TurnText, entry_for, turn_text
from projections.corrections import corrections_of
from projections.difference import change_of_members
from projections.recap_document import (
    Blow,
    Curve,
    Moment,
    NoteWritten,
    Recap,
    RuleDecision,
    SheetRow,
    Sheets,
    TurnInWords,
)
from projections.secrecy import Onlooker, sheet_for
from projections.sentences import plain
from projections.story import StoryTeller, TurningPoint, VisibleFact, gravest


class _SessionTurns(Struct, frozen=True):
    """The turns of one session in the order of the log, as the viewer may see them, and the characters in them."""

    campaign: str
    turns: list[EffectiveTurn]
    texts: dict[int, TurnText]
    #: the story part and the sentence of each fact of the standing turns
    story_parts: dict[int, list[VisibleFact]]
    characters: "_CharacterWalk"
    effective: EffectiveHistory

    @property
    def standing(self) -> list[EffectiveTurn]:
        """Those that were not undone."""
        return [turn for turn in self.turns if turn.standing]

    def sentences_of(self, turns: Iterable[EffectiveTurn]) -> tuple[TurnInWords, ...]:
        """Some of them, as one sentence each."""
        return tuple(TurnInWords(turn.number, self.texts[turn.number].parts) for turn in turns)


def recap_of(
    system: RuleSystem,
    log: Log,
    session: int,
    viewer: str | None = None,
    bounds: tuple[int, int] | None = None,
    *,
    sealed: bool = False,
) -> Recap:
    """The recap of one session with all later revisions, as `viewer` may see it; `sealed`: with the seal of its end.

    `bounds` are its first and last turn, if known already: finding them reads all sessions of the log.
    """
    log_then = AsOf(log, log.last())
    first, last = bounds or sessions_of(log_then)[session]
    onlooker = viewer if viewer is not None and system.keeps_secrets else None
    evening = _turns_of_session(system, log_then, session, (first, last), onlooker)
    turns, standing, walk = evening.turns, evening.standing, evening.characters
    opening_event = next(fact for fact in _facts(turns) if isinstance(fact, SessionOpened))
    closing_event = next((fact for fact in _facts(turns) if isinstance(fact, SessionClosed)), None)
    there = _took_part(turns, walk.after, walk.absent)
    players = _players(there, walk)
    teller = StoryTeller(walk.is_foe, lambda rule: with_title(system.key, citation(system, rule)))
    for turn in standing:
        teller.add(turn, evening.story_parts[turn.number])
    order = {turn.number: place for place, turn in enumerate(turns)}
    points = sorted((*teller.turning_points, *walk.turning_points(teller)), key=lambda point: order[point.turn])
    return Recap(
        campaign=evening.campaign,
        rules=system.key,
        session=session,
        title=opening_event.title,
        date=opening_event.date,
        place=opening_event.place,
        summary=closing_event.summary if closing_event else None,
        began=turns[0].turn.moment,
        ended=turns[-1].turn.moment,
        open=closing_event is None,
        first=first,
        last=last,
        players=players,
        others=tuple(
            name for name in there if not walk.is_foe(name) and not any(name in names for names in players.values())
        ),
        absent={name: walk.after[name].get("player") for name in walk.absent if name not in there},
        away={name: tuple(spans) for name, spans in walk.away.items() if name in there},
        story=teller.passages(),
        lines=evening.sentences_of(
            turn
            for turn in standing
            if any(
                not isinstance(fact, APART) and not isinstance(part, Elsewhere)
                for fact, (part, _) in zip(turn.facts, evening.story_parts[turn.number], strict=True)
            )
        ),
        moments=tuple(
            Moment(point.turn, point.what, evening.texts[point.turn].sentence, point.cause, point.who or None)
            for point in gravest(points)
        ),
        turning_points=tuple(points),
        rulings=tuple(_rulings(turns, system)),
        overrides=evening.sentences_of(
            turn for turn in standing if any(isinstance(fact, SheetOverridden) for fact in turn.facts)
        ),
        still_open=tuple(walk.still_open()),
        notes=tuple(
            NoteWritten(turn.number, turn.turn.by, fact.text, fact.about, fact.rule, fact.turn)
            for turn in standing
            for fact in turn.facts
            if isinstance(fact, Noted)
        ),
        fates=tuple(walk.fates()),
        sheets=tuple(_sheets(walk, there)),
        tracked=tuple(walk.tracked_rows()),
        measure=system.vital[1],
        higher_is_worse=walk.higher_is_worse,
        curves=walk.own_curves(there),
        blows=tuple(blow for blow in walk.blows if not walk.is_foe(blow.character)),
        corrections=tuple(corrections_of(system, turns, evening.texts, evening.effective, sees_all=onlooker is None)),
        chronicle=tuple(
            TurnInWords(turn.number, evening.texts[turn.number].parts, turn.turn.by, turn.undone_by) for turn in turns
        ),
        # a seal is a hash over every turn, those that an onlooker may not know of included
        seal=str(seal_of(last, log.link(last))) if sealed and onlooker is None else None,
    )


def _turns_of_session(
    system: RuleSystem, log: Log, session: int, bounds: tuple[int, int], onlooker: str | None
) -> _SessionTurns:
    """One pass over the turns of a session, late entries at their places."""
    first, last = bounds
    now = None if onlooker is None else state_at(system, log)
    base = _before(system, log, first)
    start, effective = base.turn, base.effective
    walk = _CharacterWalk(system, _opening(system, log, base, session), first, onlooker, now)
    texts: dict[int, TurnText] = {}
    story_parts: dict[int, list[VisibleFact]] = {}
    keyed_turns: list[tuple[int, EffectiveTurn]] = []
    campaign, trunk = "", 0
    for turn, state in steps(system, log, None, effective, after=start, state=base.state):
        number = turn.number
        if turn.place is None and number > last:
            break
        campaign = state.campaign.name
        trunk = number if turn.place is None else trunk
        # a ruling with `since` belongs to the session in which it was made
        is_late = turn.place is not None and since_of(turn.action) is None
        # what folds up to the start comes at its number, not at its place
        is_of_session = (
            turn.session == session and effective.trunk(number) > start if is_late else first <= number <= last
        )
        if not is_of_session:
            continue
        keyed_turns.append((trunk if is_late else number, turn))
        texts[number] = turn_text(system, turn) if onlooker is None else entry_for(system, turn, state, now, onlooker)
        if turn.standing:
            story_parts[number] = walk.story_parts(turn, state)
            # the state of a ruling with `since` is that of its place, not of this session
            if is_late or turn.place is None:
                walk.step(turn, state, story_parts[number])
    turns = [turn for _, turn in sorted(keyed_turns, key=lambda pair: pair[0])]
    return _SessionTurns(campaign, turns, texts, story_parts, walk, effective)


def _players(there: Iterable[str], walk: "_CharacterWalk") -> dict[str, tuple[str, ...]]:
    """The players, each with their characters among those who took part."""
    players: dict[str, tuple[str, ...]] = {}
    for name in there:
        player = walk.after.get(name, walk.before.get(name, {})).get("player")
        if isinstance(player, str) and player:
            players[player] = (*players.get(player, ()), name)
    return players


def _before(system: RuleSystem, log: Log, first: int) -> FoldBase:
    """The state and the effective history from which to fold a session.

    It lies two turns before the first: an opening that was entered late folds directly after the one between.
    """
    start = max(0, first - 2)
    base = nearest_base(system, log, start, log.last())
    fold(base.state, log.read(base.turn, start), base.effective)
    return replace(base, turn=start)


def _opening(system: RuleSystem, log: Log, base: FoldBase, session: int) -> Game:
    """The state directly before a session opens."""
    opening = base.state.copy()
    for turn, state in steps(system, log, None, base.effective, after=base.turn, state=base.state.copy()):
        if turn.session == session:
            break
        opening = state.copy()
    return opening


def _facts(turns: Sequence[EffectiveTurn]) -> Iterator[Event]:
    return (fact for turn in turns if turn.standing for fact in turn.facts)


#: Events about rules beside rulings made and ended.
RULE_EVENTS = (RulingKept, ParagraphAdded, ParagraphRevised, ParagraphWithdrawn)
#: Events with a section of their own in a recap, which are not lines of the story.
APART = (Noted, RulingMade, RulingEnded, *RULE_EVENTS)


#: Actions on a sheet or in the log only, or about presence: the characters that they name need not be present.
ON_PAPER = (Note, Override, SheetCheck, Track, Absence, Retire)


def _took_part(turns: Sequence[EffectiveTurn], sheets: Mapping[str, Any], absent: Collection[str]) -> tuple[str, ...]:
    """The characters that actions of standing turns name, in the order of enrolment.

    Events about other characters do not count (a day went by, a scenario ended), nor do turns about presence alone.
    """
    there: set[str] = set()
    for action in (turn.action for turn in turns if turn.standing):
        tag = tag_of(type(action))
        if tag.endswith(".enrol") or (isinstance(action, Absence) and action.here):
            there.update(name for name in names_in(action) if name not in absent)  # who came and left took no part
        elif not isinstance(action, ON_PAPER) and not tag.endswith(".absent"):
            there.update(names_in(action))
    return tuple(name for name in sheets if name in there)


def _rulings(turns: Sequence[EffectiveTurn], system: RuleSystem) -> Iterator[RuleDecision]:
    for turn in turns:
        number = turn.number
        for fact in turn.facts if turn.standing else ():
            if isinstance(fact, RulingMade):
                rule = citation(system, fact.rule)
                yield RuleDecision(number, fact.number, False, rule, fact.text, fact.why, fact.trial, dict(fact.set))
            elif isinstance(fact, RulingEnded):
                yield RuleDecision(number, fact.ruling, True, None, None, fact.why)
            elif isinstance(fact, RULE_EVENTS):
                ruling = fact.ruling if isinstance(fact, RulingKept) else None
                about = None if isinstance(fact, RulingKept) else citation(system, fact.rule)
                yield RuleDecision(number, ruling, False, about, None, fact.why, sentence=plain(fact.sentence()))


def _sheets(walk: "_CharacterWalk", there: tuple[str, ...]) -> Iterator[Sheets]:
    """The sheets of those who took part, and of others whose sheet changed."""
    for name in (*walk.after, *(name for name in walk.before if name not in walk.after)):
        before, after = walk.before.get(name), walk.after.get(name)
        first_sheet = walk.first_sheets.get(name)
        if name not in there and before == after:
            continue
        fields = tuple(
            SheetRow(
                key,
                walk.value_in_words(name, key, before[key]) if before and key in before else None,
                walk.value_in_words(name, key, after[key]) if after else None,
                walk.value_in_words(name, key, first_sheet[key])
                if first_sheet and after and key in first_sheet
                else None,
                walk.in_short(name, key, (first_sheet or before or {}).get(key), (after or {}).get(key)),
            )
            for key in after or before or {}
            # fields that are empty before and after are left out
            if key != "player" and any(sheet and not silent(sheet.get(key)) for sheet in (before or first_sheet, after))
        )
        player = (after or before or {}).get("player")
        player = player if isinstance(player, str) else None
        yield Sheets(name, player, name in there, fields, walk.is_foe(name))


def _with_cause_as_noun(part: StoryPart | None, state: Game) -> StoryPart | None:
    """A story part whose cause can stand inside a sentence: a character by name, anything else with its article."""
    if not isinstance(part, Own | Share) or not part.by:
        return part
    names = {key_of(name): name for name in state.characters}
    character = names.get(key_of(part.by))
    return replace(part, by=within(character) if character is not None else as_noun(part.by))


class _CharacterWalk:
    """Collects the characters' sheets, curves, blows and falls in one pass over the turns of a session."""

    def __init__(self, system: RuleSystem, opening: Game, first: int, viewer: str | None, now: Game | None) -> None:
        self.system, self.viewer = system, viewer
        self._onlooker = Onlooker(system, now, viewer) if viewer is not None and now is not None else None
        self.before = {name: sheet_for(system, opening, name, viewer) for name in opening.characters}
        self.after = dict(self.before)
        self._tracked_before = dict(opening.table.tracked)
        #: the sheets of those who joined in this session, as they joined
        self.first_sheets: dict[str, Mapping[str, Any]] = {}
        self._last = opening
        self._sheets, self._around = dict(opening.characters), (opening.table, opening.options)
        field, self.measure = system.vital
        self.higher_is_worse = field in system.worse_when_higher
        self.curves: dict[str, list[tuple[int, int]]] = {}
        self.blows: list[Blow] = []
        self.absent: dict[str, None] = {}
        #: the turns from and to which somebody was away
        self.away: dict[str, list[tuple[int, int | None]]] = {}
        self._down_before = {name: system.fallen(opening, name) for name in opening.characters}
        self._down = dict(self._down_before)
        self._falls: list[TurningPoint] = []
        for name, sheet in self.before.items():
            self._mark(first - 1, name, sheet)

    def is_foe(self, name: str) -> bool:
        return name in self._last.characters and self.system.is_foe(self._last, name)

    def story_parts(self, turn: EffectiveTurn, state: Game) -> list[VisibleFact]:
        """The story part and the sentence of each fact of a turn, as the viewer may see them."""
        if self._onlooker is None:
            parts = [(fact.in_story(), fact.sentence()) for fact in turn.facts]
        else:
            parts = [self._onlooker.in_story(fact, state) for fact in turn.facts]
        return [(self._with_what_was(_with_cause_as_noun(part, state)), sentence) for part, sentence in parts]

    def _with_what_was(self, part: StoryPart | None) -> StoryPart | None:
        """A story part about a rest with the figure before it, if the rest made it worse."""
        curve = self.curves.get(part.who) if isinstance(part, AfterRest) else None
        if not isinstance(part, AfterRest) or not curve:
            return part
        had = curve[-1][1]
        return replace(part, had=had) if had != part.has and (part.has > had) == self.higher_is_worse else part

    def step(self, turn: EffectiveTurn, state: Game, parts: Sequence[VisibleFact]) -> None:
        """Update all characters after a standing turn."""
        self._last, number = state, turn.number
        victims = {
            getattr(fact, "character", None) for fact in turn.facts if tag_of(type(fact)) in self.system.harmful_events
        }
        causes = {part.who: part.by for part, _ in parts if isinstance(part, Own | Share) and part.by}
        # the view of a sheet may depend on the table and the options, and for one player on the other sheets too;
        # otherwise unchanged objects give unchanged views
        closes = any(isinstance(fact, SessionClosed) for fact in turn.facts)
        around = self.viewer is None and state.table is self._around[0] and state.options is self._around[1]
        for name, character in state.characters.items():
            if around and self._sheets.get(name) is character:
                continue
            self._sheets[name] = character
            sheet = sheet_for(self.system, state, name, self.viewer)
            self._mark(number, name, sheet, causes.get(name) if name in victims else None, struck=name in victims)
            if name not in self.before:
                self.first_sheets.setdefault(name, sheet)
            self.after[name] = sheet
            spans = self.away.setdefault(name, []) if character.away == "absent" or name in self.away else []
            if character.away == "absent":
                self.absent[name] = None
                if not spans or spans[-1][1] is not None:
                    spans.append((number, None))
            elif character.away is None and not closes:  # back again, and not just because the session ended
                self.absent.pop(name, None)
                if spans and spans[-1][1] is None:
                    spans[-1] = (spans[-1][0], number)
            now = self.system.fallen(state, name)
            if now != self._down.get(name) and now is not None:
                self._falls.append(TurningPoint(number, f"{called(name)} is {now}", SEVERE, who=name))
            self._down[name] = now
        self._around = (state.table, state.options)

    def value_in_words(self, name: str, field: str, value: Any) -> str:
        """A value of a sheet in words, with cards by name."""
        return in_words(self.system.in_words(self._last, name, field, value))

    def in_short(self, name: str, field: str, first: Any, after: Any) -> tuple[str, str] | None:
        """How many a list held first, and how it changed; None for other values, and where nothing of it stayed."""
        old, new = (self.system.in_words(self._last, name, field, value) for value in (first, after))
        change = change_of_members(old, new)
        if change is None or not any(member in new for member in old):
            return None
        return str(len(old)), f"{len(new)}, {change}"

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

    def own_curves(self, there: Collection[str]) -> tuple[Curve, ...]:
        """The curves of our characters, those without a change only if the character took part."""
        return tuple(
            Curve(name, tuple(points))
            for name, points in self.curves.items()
            if not self.is_foe(name) and (name in there or len(points) > 1)
        )

    def tracked_rows(self) -> Iterator[SheetRow]:
        """What the table keeps for itself, before and after."""
        before, after = self._tracked_before, self._last.table.tracked
        for name in dict.fromkeys((*before, *after)):
            first, last = (in_words(value[name]) if name in value else None for value in (before, after))
            yield SheetRow(name, first, last)

    def turning_points(self, teller: StoryTeller) -> Iterator[TurningPoint]:
        """Falls in turns without a grave event, and the worst blow if it took half of the figure or more."""
        grave = {point.turn for point in teller.turning_points if point.gravity >= SERIOUS}
        yield from (point for point in self._falls if point.turn not in grave and not self.is_foe(point.who))
        blows = [blow for blow in self.blows if not self.is_foe(blow.character)]
        worst = max(blows, key=lambda blow: blow.harm, default=None)
        if worst is not None and 2 * worst.harm >= max(worst.before, worst.after):
            does = "takes" if self.higher_is_worse else "loses"
            amount = quantity(worst.harm, singular(self.measure), self.measure)
            sentence = f"{called(worst.character)} {does} {amount} at once, the most of the evening"
            sentence += f": from {worst.before} to {worst.after}"
            yield TurningPoint(worst.turn, sentence, NOTABLE, worst.by, worst.character)

    def still_open(self) -> Iterator[str]:
        """What our characters still owe at the end, as sentences."""
        if self.system.keeps_secrets and self.viewer is not None:
            return
        for name in self._last.characters:
            if not self.is_foe(name):
                decisions = self.system.pending_for(self._last, name)
                yield from (
                    decision.prompt or decision.why for decision in decisions if decision.prompt or decision.why
                )

    def fates(self) -> Iterator[str]:
        """Sentences about who joined, who is down at the end, and who is up again."""
        ours = [name for name in self.after if not self.is_foe(name)]
        newcomers = [called(name) for name in ours if name not in self.before]
        if newcomers:
            yield f"{listed(newcomers)} joined."
        for name in ours:
            was, now = self._down_before.get(name), self._down.get(name)
            if now is not None and now != was:
                yield f"{called(name)} is {now}."
            elif was is not None and now is None:
                yield f"{called(name)} is no longer {was}."
