"""An evening as a story: passages that notes, scenes, rounds and rests part, and the moments on which it turned.

What an event is to the story, each rule system says on its events (`domain.system.story`). A correction is no part of
it: the story is told from the turns that stand, as they read now.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from msgspec import Struct

from domain.common.notes import Noted
from domain.log.effective_history import EffectiveTurn
from domain.naming import called, listed
from domain.system.story import Begins, Elsewhere, Own, Rest, Share, StoryPart
from domain.turn import Sentence

#: The most turning points that an evening has.
MOST_MOMENTS = 7
#: Causes that are named where nothing did most of the harm.
MOST_CAUSES = 4

LineKind = Literal["note", "event", "sum", "rest"]


class StoryLine(Struct, frozen=True):
    """One sentence of the story, or one note in full, with the turns that it tells."""

    kind: LineKind
    parts: Sentence
    turns: tuple[int, ...]
    #: who wrote a note, and what it is about
    by: str | None = None
    about: str | None = None


class Passage(Struct, frozen=True):
    """What belongs together: the notes, sentences and sums of a scene or a round, or between two rests.

    `title` is there where the rule system says that a scene or a round begins.
    """

    title: str | None
    kind: Literal["scene", "round"] | None
    turn: int
    lines: tuple[StoryLine, ...]


class TurningPoint(Struct, frozen=True):
    """Something grave: what it was, how grave, and what caused it, where that is known."""

    turn: int
    what: str
    gravity: int
    cause: str | None = None
    #: whom it befell; empty: the whole table
    who: str = ""


#: What one fact is to the story, and its sentence, as somebody may see it.
Seen = tuple[StoryPart | None, Sentence]


class StoryTeller:
    """Takes the standing turns of an evening in their order, and tells them.

    `is_foe` says whose fate is no turning point, and whose harm is nobody's loss.
    """

    def __init__(self, is_foe: Callable[[str], bool]) -> None:
        self._is_foe = is_foe
        self._passages: list[Passage] = []
        self._title: tuple[str, Literal["scene", "round"], int] | None = None
        self._lines: list[StoryLine | _Sum | _Rest] = []
        self._cause: dict[str, str] = {}
        self.turning_points: list[TurningPoint] = []

    def add(self, each: EffectiveTurn, seen: Sequence[Seen]) -> None:
        """One turn that stands, with what each of its facts is to the story."""
        number = each.turn.number
        for fact, (part, sentence) in zip(each.facts, seen, strict=True):
            if isinstance(fact, Noted):
                self._note(each, fact)
                continue
            match part if part is not None else Own():
                case Begins(kind, title):
                    self._end_passage()
                    self._title = (title or "".join(sentence).rstrip("."), kind, number)
                case Share() as share:
                    self._share(number, share)
                case Rest() as rest:
                    self._rest(number, rest)
                case Own() as own:
                    self._own(number, own, sentence)
                case Elsewhere():
                    pass

    def passages(self) -> tuple[Passage, ...]:
        """The story so far, its last passage ended."""
        self._end_passage()
        return tuple(self._passages)

    def _note(self, each: EffectiveTurn, note: Noted) -> None:
        if not self._ends_with_note():
            self._end_passage()
        about = [
            *([called(note.about)] if note.about else []),
            *([f"rule {note.rule}"] if note.rule else []),
            *([f"T{note.turn}"] if note.turn else []),
        ]
        line = StoryLine("note", (note.text,), (each.turn.number,), each.turn.by, listed(about) if about else None)
        self._lines.append(line)

    def _ends_with_note(self) -> bool:
        return not self._lines or (isinstance(self._lines[-1], StoryLine) and self._lines[-1].kind == "note")

    def _rest(self, number: int, rest: Rest) -> None:
        last = self._lines[-1] if self._lines else None
        if self._is_foe(rest.who):
            return
        if isinstance(last, _Rest) and last.when == rest.when:
            last.add(number, rest)
            return
        if self._lines and self._ends_with_note():
            self._end_passage()
        self._lines.append(_Rest(number, rest))

    def _share(self, number: int, share: Share) -> None:
        if self._is_foe(share.who):
            return
        if share.by is not None:
            self._cause[share.who] = share.by
        if not (share.amount or share.what or not share.unit):
            return  # nothing came of it
        self._go_on_after_rest()
        for line in reversed(self._lines):
            if isinstance(line, _Sum):
                if line.is_of(share):
                    line.add(number, share)
                    return
            elif not share.amount:
                break  # what has a name stays on its side of what stands by itself
        self._lines.append(_Sum(number, share))

    def _own(self, number: int, own: Own, sentence: Sentence) -> None:
        if own.by is not None:
            self._cause[own.who] = own.by
        foe = bool(own.who) and self._is_foe(own.who)
        parts: Sentence = (own.text,) if own.text else sentence
        if own.gravity and not foe:
            cause = self._cause.get(own.who) if own.by is None else own.by
            what = "".join(parts)
            self.turning_points.append(
                TurningPoint(
                    number, what.rstrip("."), own.gravity, cause if cause and cause not in what else None, own.who
                )
            )
        last = self._lines[-1] if self._lines else None
        if isinstance(last, _Rest) and number in last.turns:
            # what a rest brought besides is told before it, and ends nothing
            self._lines.insert(-1, StoryLine("event", parts, (number,)))
            return
        self._go_on_after_rest()
        if isinstance(last, StoryLine) and last.kind == "event" and last.turns == (number,):
            self._lines[-1] = StoryLine("event", (*last.parts, " ", *parts), last.turns)
        else:
            self._lines.append(StoryLine("event", parts, (number,)))

    def _go_on_after_rest(self) -> None:
        """After a rest, and after notes, another passage begins."""
        if self._lines and (isinstance(self._lines[-1], _Rest) or self._ends_with_note()):
            self._end_passage()

    def _end_passage(self) -> None:
        lines = tuple(line if isinstance(line, StoryLine) else line.told() for line in self._lines)
        if lines or (self._title is not None and self._title[1] == "scene"):
            title, kind, turn = self._title or (None, None, lines[0].turns[0])
            self._passages.append(Passage(title, kind, turn, lines))
        self._lines, self._title = [], None


class _Sum:
    """What many turns alike come to."""

    def __init__(self, number: int, first: Share) -> None:
        self.does, self.unit, self.counts = first.does, first.unit, bool(first.amount)
        self.one = first.one or first.unit.removesuffix("s")
        self.turns: list[int] = []
        self.shares: list[Share] = []
        self.add(number, first)

    def is_of(self, share: Share) -> bool:
        return (self.does, self.unit, self.counts) == (share.does, share.unit, bool(share.amount))

    def add(self, number: int, share: Share) -> None:
        self.turns += [number] if number not in self.turns else []
        self.shares.append(share)

    def told(self) -> StoryLine:
        people = list(dict.fromkeys(share.who for share in self.shares))
        if self.counts:
            amounts = {who: sum(share.amount for share in self.shares if share.who == who) for who in people}
            people.sort(key=lambda who: -amounts[who])
            what = [str(amounts[who]) for who in people]
            what[0] = f"{what[0]} {self.one if amounts[people[0]] == 1 else self.unit}"
        else:
            things = {who: [thing for each in self.shares if each.who == who for thing in each.what] for who in people}
            what = [_named(things[who]) for who in people]
        if not any(what):
            others = people[1:]
            so = f"; so {'does' if len(others) == 1 else 'do'} {listed(map(called, others))}" if others else ""
            text = f"{called(people[0])} {self.does}{so}."
        else:
            told = [f"{called(who)} {each}" for who, each in zip(people, what, strict=True)]
            told[0] = f"{called(people[0])} {self.does} {what[0]}"
            between = ", " if self.counts else "; "
            text = f"{between.join(told)}{self._causes(len(people))}."
        return StoryLine("sum", (text,), tuple(self.turns))

    def _causes(self, people: int) -> str:
        """What did it: all of it, most of it, or several things; each with its part where some has no known cause."""
        harm: dict[str, int] = {}
        for share in self.shares:
            if share.by:
                harm[share.by] = harm.get(share.by, 0) + share.amount
        if not harm:
            return ""
        whole = sum(share.amount for share in self.shares)
        worst, *others = sorted(harm, key=lambda by: -harm[by])
        if harm[worst] == whole:
            return f" to {worst}"
        if 2 * harm[worst] > whole:
            return f", most of it to {worst}"
        named = (worst, *others)[:MOST_CAUSES]
        if sum(harm.values()) < whole:
            of = f", {harm[worst]} of them" if people == 1 else f"; {harm[worst]} of these {whole}"
            return f"{of} to {listed((worst, *(f'{harm[by]} to {by}' for by in named[1:])))}"
        more = len(others) + 1 - len(named)
        return f" to {listed((*named, *([f'{more} others'] if more > 1 else ['something else'] if more else [])))}"


def _named(things: Iterable[str]) -> str:
    """What has a name, each once with how often: "barrow rat (2) and the bone warden"."""
    counts: dict[str, int] = {}
    for thing in things:
        counts[thing] = counts.get(thing, 0) + 1
    named = [f"{thing} ({count} times)" if count > 1 else thing for thing, count in counts.items()]
    return listed(named) if named else ""


class _Rest:
    """Who rested, and what they have after it."""

    def __init__(self, number: int, first: Rest) -> None:
        self.when, self.unit = first.when, first.unit
        self.turns: list[int] = []
        self.has: dict[str, int] = {}
        self.add(number, first)

    def add(self, number: int, rest: Rest) -> None:
        self.turns += [number] if number not in self.turns else []
        self.has[rest.who] = rest.has

    def told(self) -> StoryLine:
        (first, most), *others = self.has.items()
        unit = self.unit.removesuffix("s") if most == 1 else self.unit
        told = [f"{called(first)} has {most} {unit}", *(f"{called(who)} {has}" for who, has in others)]
        return StoryLine("rest", (f"{self.when} {', '.join(told)}.",), tuple(self.turns))


def gravest(points: Iterable[TurningPoint]) -> tuple[TurningPoint, ...]:
    """The gravest of them, as many as an evening has, in their order; of one turn the gravest alone."""
    of_turn: dict[int, TurningPoint] = {}
    for point in points:
        known = of_turn.get(point.turn)
        if known is None or point.gravity > known.gravity:
            of_turn[point.turn] = point
    found = list(of_turn.values())
    chosen = sorted(found, key=lambda point: -point.gravity)[:MOST_MOMENTS]
    return tuple(point for point in found if point in chosen)
