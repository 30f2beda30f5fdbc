"""The recap of a session as a document: its parts, and the JSON of `campaign recap`."""

from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from domain.turn import Sentence
from projections.corrections import Correction
from projections.sentences import plain
from projections.story import Passage, TurningPoint


class TurnInWords(Struct, frozen=True):
    """One turn of the session as a sentence in parts."""

    turn: int
    parts: Sentence
    by: str | None = None
    #: the turn that undid it
    undone_by: int | None = None


class Moment(Struct, frozen=True):
    """A turning point with its cause, and the sentence of its turn."""

    turn: int
    what: str
    sentence: str
    cause: str | None = None
    character: str | None = None


class RuleDecision(Struct, frozen=True):
    """A decision about the rules: a ruling made or ended; or a trial kept or paragraph changed (see `sentence`)."""

    turn: int
    ruling: int | None
    ended: bool
    rule: str | None
    text: str | None
    why: str | None
    trial: bool = False
    #: the options that it sets
    sets: dict[str, Any] = {}
    sentence: str | None = None


class NoteWritten(Struct, frozen=True):
    """A note of the session."""

    turn: int
    by: str | None
    text: str
    about: str | None
    rule: str | None
    on: int | None


class SheetRow(Struct, frozen=True, omit_defaults=True):
    """One field of a sheet before and after the session, in words; None if there was no sheet."""

    name: str
    before: str | None
    after: str | None
    #: what somebody who joined in this session came with; None for everybody else
    joined_with: str | None = None
    #: how many a list held first, and what came to it and left it, where some of it stayed
    in_short: tuple[str, str] | None = None

    @property
    def first(self) -> str | None:
        """The value before the session, or the one somebody joined with."""
        return self.before if self.joined_with is None else self.joined_with

    @property
    def changed(self) -> bool:
        """Whether there was a sheet first, with another value."""
        return self.first is not None and self.first != self.after


class SheetComparison(Struct, frozen=True):
    """One character's sheet before and after the session."""

    character: str
    player: str | None
    took_part: bool
    fields: tuple[SheetRow, ...]
    is_foe: bool = False


class Curve(Struct, frozen=True):
    """A number of one character: (turn, value) at its beginning and after every change."""

    character: str
    points: tuple[tuple[int, int], ...]


class Blow(Struct, frozen=True):
    """A change of a curve for the worse by harm, with its cause."""

    turn: int
    character: str
    before: int
    after: int
    by: str | None = None

    @property
    def harm(self) -> int:
        return abs(self.before - self.after)


class Recap(Struct, frozen=True):
    """The recap of one session. The lists are in the order of the log; undone turns are in the corrections only."""

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
    #: player -> their characters who took part
    players: dict[str, tuple[str, ...]]
    #: characters without a player who took part
    others: tuple[str, ...]
    #: absent characters -> their player
    absent: dict[str, str | None]
    #: characters who took part -> the turns from and to which they were away; None: until the end
    away: dict[str, tuple[tuple[int, int | None], ...]]
    story: tuple[Passage, ...]
    #: the turns of the story, as one sentence each
    lines: tuple[TurnInWords, ...]
    #: the gravest turning points, at most seven
    moments: tuple[Moment, ...]
    #: all turning points
    turning_points: tuple[TurningPoint, ...]
    rulings: tuple[RuleDecision, ...]
    #: the referee's overrides, as one sentence each
    overrides: tuple[TurnInWords, ...]
    #: what characters still owe at the end (saves, a fate), as sentences; empty where players keep secrets
    still_open: tuple[str, ...]
    notes: tuple[NoteWritten, ...]
    #: who joined, who died, who is up again, as sentences
    fates: tuple[str, ...]
    sheets: tuple[SheetComparison, ...]
    #: what the table keeps for itself: torches, the day
    tracked: tuple[SheetRow, ...]
    #: the figure of the curves in words, and whether higher is worse
    measure: str
    higher_is_worse: bool
    curves: tuple[Curve, ...]
    blows: tuple[Blow, ...]
    #: one per corrected mistake
    corrections: tuple[Correction, ...]
    #: every turn of the session, including undone ones
    chronicle: tuple[TurnInWords, ...]
    #: the seal of the session's last turn; None if it has none
    seal: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The keys of `campaign recap -O json`; they are stable."""
        value: dict[str, Any] = msgspec.to_builtins(
            msgspec.structs.replace(self, lines=(), chronicle=(), story=(), overrides=())
        )
        for correction in value["corrections"]:
            del correction["taken_back"]
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
    for line, line_json in zip(passage.lines, value["lines"], strict=True):
        del line_json["parts"]
        lines.append({**line_json, "sentence": plain(line.parts)})
    return {**value, "lines": lines}
