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
from domain.registry import tag_of
from domain.system.paragraphs import citation, with_title
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.system.story import Elsewhere
from domain.turn import Event
from projections.chronicle import TurnText, entry_for, turn_text
from projections.corrections import corrections_of
from projections.recap_document import (
    Moment,
    NoteWritten,
    Recap,
    RuleDecision,
    TurnInWords,
)
from projections.sentences import plain
from projections.session_characters import SessionCharacters
from projections.story import StoryTeller, VisibleFact, gravest


class _SessionTurns(Struct, frozen=True):
    """The turns of one session in the order of the log, as the viewer may see them, and the characters in them."""

    campaign: str
    turns: list[EffectiveTurn]
    texts: dict[int, TurnText]
    #: the story part and the sentence of each fact of the standing turns
    story_parts: dict[int, list[VisibleFact]]
    characters: SessionCharacters
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
    turns, standing, characters = evening.turns, evening.standing, evening.characters
    opening_event = next(fact for fact in _facts(turns) if isinstance(fact, SessionOpened))
    closing_event = next((fact for fact in _facts(turns) if isinstance(fact, SessionClosed)), None)
    there = _took_part(turns, characters.after, characters.absent)
    players = _players(there, characters)
    teller = StoryTeller(characters.is_foe, lambda rule: with_title(system.key, citation(system, rule)))
    for turn in standing:
        teller.add(turn, evening.story_parts[turn.number])
    order = {turn.number: place for place, turn in enumerate(turns)}
    points = sorted((*teller.turning_points, *characters.turning_points(teller)), key=lambda point: order[point.turn])
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
            name
            for name in there
            if not characters.is_foe(name) and not any(name in names for names in players.values())
        ),
        absent={name: characters.player_of(name) for name in characters.absent if name not in there},
        away={name: tuple(spans) for name, spans in characters.away.items() if name in there},
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
        rulings=tuple(_rulings(system, turns)),
        overrides=evening.sentences_of(
            turn for turn in standing if any(isinstance(fact, SheetOverridden) for fact in turn.facts)
        ),
        still_open=tuple(characters.still_open()),
        notes=tuple(
            NoteWritten(turn.number, turn.turn.by, fact.text, fact.about, fact.rule, fact.turn)
            for turn in standing
            for fact in turn.facts
            if isinstance(fact, Noted)
        ),
        fates=tuple(characters.fates()),
        sheets=tuple(characters.sheets(there)),
        tracked=tuple(characters.tracked_rows()),
        measure=system.vital[1],
        higher_is_worse=characters.higher_is_worse,
        curves=characters.own_curves(there),
        blows=tuple(blow for blow in characters.blows if not characters.is_foe(blow.character)),
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
    characters = SessionCharacters(system, _opening(system, log, base, session), first, onlooker, now)
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
            story_parts[number] = characters.story_parts(turn, state)
            # the state of a ruling with `since` is that of its place, not of this session
            if is_late or turn.place is None:
                characters.step(turn, state, story_parts[number])
    turns = [turn for _, turn in sorted(keyed_turns, key=lambda pair: pair[0])]
    return _SessionTurns(campaign, turns, texts, story_parts, characters, effective)


def _players(there: Iterable[str], characters: SessionCharacters) -> dict[str, tuple[str, ...]]:
    """The players, each with their characters among those who took part."""
    players: dict[str, tuple[str, ...]] = {}
    for name in there:
        if player := characters.player_of(name):
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


PARAGRAPH_EVENTS = (ParagraphAdded, ParagraphRevised, ParagraphWithdrawn)
#: Events with a section of their own in a recap, which are not lines of the story.
APART = (Noted, RulingMade, RulingEnded, RulingKept, *PARAGRAPH_EVENTS)

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


def _rulings(system: RuleSystem, turns: Sequence[EffectiveTurn]) -> Iterator[RuleDecision]:
    for turn in turns:
        for fact in turn.facts if turn.standing else ():
            if isinstance(fact, RulingMade):
                rule, sets = citation(system, fact.rule), dict(fact.set)
                yield RuleDecision(turn.number, fact.number, False, rule, fact.text, fact.why, fact.trial, sets)
            elif isinstance(fact, RulingEnded):
                yield RuleDecision(turn.number, fact.ruling, True, None, None, fact.why)
            elif isinstance(fact, RulingKept):
                sentence = plain(fact.sentence())
                yield RuleDecision(turn.number, fact.ruling, False, None, None, fact.why, sentence=sentence)
            elif isinstance(fact, PARAGRAPH_EVENTS):
                rule, sentence = citation(system, fact.rule), plain(fact.sentence())
                yield RuleDecision(turn.number, None, False, rule, None, fact.why, sentence=sentence)
