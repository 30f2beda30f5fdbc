"""The registers of a campaign, a row each: its sessions with who was there, its rulings, and its corrections."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from domain.common.presence import AbsenceTold, Retired
from domain.common.revisions import Amend, Redo, Undo
from domain.log.effective_history import restored_by, revising_turns
from domain.log.points import sessions_of
from domain.log.port import Log
from domain.registry import tag_of
from domain.system.rulesystem import RuleSystem
from domain.system.rulings_in_force import holdings_of
from domain.system.state import Game
from domain.turn import Event, Turn, TurnRedecided, TurnUndone
from domain.values import as_json
from projections.filters import Filters
from projections.revision_sentences import amendment_in_words
from projections.sentences import parts_of, plain
from projections.views.chronicle_queries import way
from projections.views.view import View


class SessionHeld(Struct, frozen=True):
    """One session. `turns` counts the undone ones too; `last` is its last turn, also while it is open."""

    session: int
    title: str | None
    date: str | None
    place: str | None
    at: str
    opened: int
    closed: int | None
    last: int
    turns: int
    #: the characters of the players, in the order of enrolment
    present: tuple[str, ...]
    absent: tuple[str, ...]
    summary: str | None


def sessions_held(view: View, system: RuleSystem, log: Log, state: Game, filters: Filters) -> list[SessionHeld]:
    """The standing sessions that opened in this range; `state` is that of the end of the view of this log."""
    columns = "session, opened, closed, (SELECT at FROM turns WHERE turn = opened), title, date, place, summary"
    rows = {row[0]: row for row in view.ask(f"SELECT {columns} FROM sessions")}
    counts = dict(view.ask("SELECT session, count(*) FROM turns GROUP BY session"))
    first_seen = {
        name: turn for name, turn, _ in view.ask('SELECT character, turn, min(id) FROM "values" GROUP BY character')
    }
    people = [name for name in state.characters if not system.is_foe(state, name)]
    away_in, retired_in = _presence(view)
    held = []
    for session, (_, last) in sessions_of(log, view.last()).items():
        _, opened, closed, at, title, date, place, summary = rows[session]
        here = [name for name in people if first_seen.get(name, 0) <= last and retired_in.get(name, session) >= session]
        away = away_in.get(session, set())
        present = tuple(name for name in here if name not in away)
        absent = tuple(name for name in here if name in away)
        # a session was on its date, if it has one: what is logged later is of that evening too
        evening = datetime.fromisoformat(at)
        with suppress(ValueError):  # older logs have any text
            evening = datetime.combine(datetime.fromisoformat(date or "").date(), evening.timetz())
        if filters.covers(opened, session, evening):
            count = counts.get(session, 0)
            held.append(
                SessionHeld(session, title, date, place, at, opened, closed, last, count, present, absent, summary)
            )
    return held


def _presence(view: View) -> tuple[dict[int, set[str]], dict[str, int]]:
    """Who was away at the end of which session, and in which session somebody retired."""
    away_in, retired_in = dict[int, set[str]](), dict[str, int]()
    rows = view.ask(
        "SELECT t.session, t.turn, t.place, e.kind, e.character, e.json FROM events AS e JOIN turns AS t USING (turn)"
        # the older ones are those of a rule system
        " WHERE e.standing AND (e.kind IN (?, ?) OR e.kind LIKE '%.went_absent' OR e.kind LIKE '%.came_back')",
        tag_of(AbsenceTold),
        tag_of(Retired),
    )
    for session, _, _, kind, name, json in sorted(rows, key=lambda row: way(view, row[1], row[2])):
        if kind == tag_of(Retired):
            retired_in[name] = session
        elif kind.endswith(".came_back") or msgspec.json.decode(json).get("here"):
            away_in.get(session, set()).discard(name)
        else:
            away_in.setdefault(session, set()).add(name)
    return away_in, retired_in


class RulingOnRecord(Struct, frozen=True):
    """One ruling that stands, with the names of its row in the tables, but for its options.

    `decided`: in how many turns that count it was played under.
    """

    ruling: int
    turn: int
    session: int
    at: str
    by: str | None
    rule: str
    text: str
    why: str | None
    options: dict[str, Any]
    trial: bool
    in_force: bool
    ended_by: int | None
    superseded_by: int | None
    decided: int
    counts_from: int
    kept_by: int | None
    ended_why: str | None


def rulings_on_record(view: View, state: Game, filters: Filters) -> list[RulingOnRecord]:
    """The standing rulings made in this range, by number; `state` is that of the end of the view."""
    decided = dict(view.ask("SELECT ruling, count(DISTINCT turn) FROM under WHERE ruling IS NOT NULL GROUP BY ruling"))
    holdings = dict(holdings_of(state.campaign.rulings.newest_first()))
    columns, rows = view.table(
        "SELECT r.ruling, r.turn, t.session, t.at, t.by, r.rule, r.text, r.why, r.options, r.trial, r.ended_by,"
        " r.counts_from, r.kept_by, r.ended_why FROM rulings AS r JOIN turns AS t USING (turn)"
        " WHERE r.standing ORDER BY r.ruling"
    )
    made = []
    for fields in (dict(zip(columns, row, strict=True)) for row in rows):
        holding = holdings.get(fields["ruling"])
        if filters.covers(fields["turn"], fields["session"], datetime.fromisoformat(fields["at"])):
            fields |= {
                "options": msgspec.json.decode(fields["options"]),
                "trial": bool(fields["trial"]),
                "in_force": holding is not None and holding.in_force,
                "superseded_by": holding.superseded_by if holding is not None else None,
                "decided": decided.get(fields["ruling"], 0),
            }
            made.append(RulingOnRecord(**fields))
    return made


class CorrectionMade(Struct, frozen=True):
    """What one turn corrected. `of` are the turns that it is about, `sentence` is what they said before it."""

    turn: int
    session: int
    by: str | None
    at: str
    why: str | None
    #: "undone", "amended", "moved" or "restored"
    what: str
    of: tuple[int, ...]
    sentence: str
    undone_by: int | None


def corrections_made(view: View, system: RuleSystem, log: Log, upto: int, filters: Filters) -> Iterator[CorrectionMade]:
    """The turns that took back, amended, moved or restored others, in the order of the log, undone ones included."""
    revisions = [turn for turn in revising_turns(log, upto=upto) if isinstance(turn.action, Undo | Redo | Amend)]
    # those that were taken back, amended or restored; not those that were only decided again
    named = {number for turn in revisions for number in restored_by(log, turn)}
    named |= {event.turn for turn in revisions for event in turn.events if isinstance(event, TurnUndone)}
    named |= {number for turn in revisions if isinstance(turn.action, Amend) for number in turn.action.new_actions}
    readings = _Readings(view, log, named)
    sessions = dict(
        view.ask("SELECT turn, session FROM turns WHERE kind IN (?, ?, ?)", *map(tag_of, (Undo, Redo, Amend)))
    )
    undone = dict(view.ask("SELECT turn, undone_by FROM turns WHERE undone_by IS NOT NULL"))
    for turn in revisions:
        number = turn.number
        if filters.covers(number, sessions.get(number, 0), turn.moment):
            for what, numbers in _corrected(system, log, turn, readings):
                yield CorrectionMade(
                    number, sessions.get(number, 0), turn.by, turn.at, getattr(turn.action, "why", None), what,
                    numbers, " ".join(map(readings.sentence, numbers)), undone.get(number),
                )  # fmt: skip
        readings.apply(turn)


def _corrected(
    system: RuleSystem, log: Log, turn: Turn, readings: "_Readings"
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """What a turn did to others, and to which: an amendment may also have taken back what came later."""
    taken_back = tuple(sorted(event.turn for event in turn.events if isinstance(event, TurnUndone)))
    if isinstance(turn.action, Redo):
        yield "restored", restored_by(log, turn) or taken_back
        return
    if isinstance(turn.action, Amend):
        new = turn.action.new_actions
        says_the_same = not any(
            amendment_in_words(system, readings.action(number), action) for number, action in new.items()
        )
        yield "moved" if turn.place is not None and says_the_same else "amended", tuple(sorted(new))
    if taken_back:
        yield "undone", taken_back


class _Readings:
    """What some turns said at each point of the log, as the revising turns are applied in their order."""

    def __init__(self, view: View, log: Log, numbers: set[int]) -> None:
        #: turn -> (the turn that says so, the action, the facts), the newest last
        self._readings: dict[int, list[tuple[int, Mapping[str, Any], Sequence[Event]]]] = {}
        self._undoers: dict[int, list[int]] = {}
        self._sentences = dict(
            view.ask(
                "SELECT turn, sentence FROM turns WHERE turn IN (SELECT value FROM json_each(?))",
                as_json(sorted(numbers)),
            )
        )
        for number in sorted(numbers):
            for turn in log.read(after=number - 1, upto=number):
                self._readings[number] = [(number, msgspec.to_builtins(turn.action), turn.facts)]

    def apply(self, turn: Turn) -> None:
        """Take note of what a revising turn changed."""
        actions = turn.action.new_actions if isinstance(turn.action, Amend) else {}
        for event in turn.events:
            if isinstance(event, TurnUndone):
                self._undoers.setdefault(event.turn, []).append(turn.number)
            elif isinstance(event, TurnRedecided) and event.turn in self._readings:
                before = self._reading(event.turn)[1]
                self._readings[event.turn].append((turn.number, actions.get(event.turn, before), event.events))

    def action(self, number: int) -> Mapping[str, Any]:
        """The action in force."""
        return self._reading(number)[1]

    def sentence(self, number: int) -> str:
        """What the turn says; a turn about other turns as the chronicle has it."""
        facts = self._reading(number)[2]
        return plain(parts_of(facts)) if facts else str(self._sentences.get(number, ""))

    def _reading(self, number: int) -> tuple[int, Mapping[str, Any], Sequence[Event]]:
        readings = self._readings[number]
        return next((reading for reading in reversed(readings[1:]) if self._stands(reading[0])), readings[0])

    def _stands(self, number: int) -> bool:
        return not any(map(self._stands, self._undoers.get(number, ())))
