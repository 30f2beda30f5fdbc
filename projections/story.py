"""A session as a story: passages separated by notes, scenes, rounds and rests, and the turning points.

Each event declares its part in the story (`domain.system.story`). The story is made from the standing turns as they
are effective now, so that corrections do not appear in it.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from msgspec import Struct

from domain.common.notes import Noted
from domain.common.tracking import Track, Tracked
from domain.log.effective_history import EffectiveTurn
from domain.naming import called, capitalised, is_noun, listed, put_down_to, quantity, singular, within
from domain.system.story import AfterRest, Begins, Elsewhere, Own, Share, StoryPart
from domain.turn import Sentence

#: The maximum of turning points of a session.
MOST_MOMENTS = 7
#: The maximum of causes named if no single one did most of the harm.
MOST_CAUSES = 4

LineKind = Literal["note", "event", "sum", "rest"]


class StoryLine(Struct, frozen=True):
    """One sentence of the story, or one whole note, with its turns."""

    kind: LineKind
    parts: Sentence
    turns: tuple[int, ...]
    #: who wrote a note, and what it is about
    by: str | None = None
    about: str | None = None


class Passage(Struct, frozen=True):
    """The notes, sentences and sums of a scene or a round, or between two rests.

    `title` is set if the rule system declares the beginning of a scene or round.
    """

    title: str | None
    kind: Literal["scene", "round"] | None
    turn: int
    lines: tuple[StoryLine, ...]


class TurningPoint(Struct, frozen=True):
    """A grave event, its gravity, and its cause if known."""

    turn: int
    what: str
    gravity: int
    cause: str | None = None
    #: the character; empty: the whole table
    who: str = ""


#: The story part of a fact, and its sentence, as the viewer may see them.
VisibleFact = tuple[StoryPart | None, Sentence]


class StoryTeller:
    """Makes the story from the standing turns of a session, added in order.

    Sentences stand in the order of the evening: shares are summed up only until something stands by itself.

    `is_foe`: characters whose fate is no turning point and whose harm is not summed up. `with_title`: the citation and
    title of a paragraph.
    """

    def __init__(self, is_foe: Callable[[str], bool], with_title: Callable[[str], str]) -> None:
        self._is_foe, self._with_title = is_foe, with_title
        self._passages: list[Passage] = []
        self._title: tuple[str, Literal["scene", "round"], int] | None = None
        self._lines: list[StoryLine | _Sum | _Rest] = []
        self._cause: dict[str, str] = {}
        self.turning_points: list[TurningPoint] = []

    def add(self, turn: EffectiveTurn, visible_facts: Sequence[VisibleFact]) -> None:
        """Add a standing turn with the story parts of its facts."""
        number = turn.number
        for fact, (part, sentence) in zip(turn.facts, visible_facts, strict=True):
            if isinstance(fact, Noted):
                self._note(turn, fact)
                continue
            if isinstance(fact, Tracked) and isinstance(turn.action, Track) and turn.action.change is not None:
                part = fact.story_of_gain()  # what is counted from nothing came, and was not only written down
            match part if part is not None else Own():
                case Begins(kind, title):
                    self._end_passage()
                    self._title = (title or "".join(sentence).rstrip("."), kind, number)
                case Share() as share:
                    self._share(number, share)
                case AfterRest() as rest:
                    self._rest(number, rest)
                case Own() as own:
                    self._own(number, own, sentence)
                case Elsewhere():
                    pass

    def passages(self) -> tuple[Passage, ...]:
        """Close the last passage and return the story so far."""
        self._end_passage()
        return tuple(self._passages)

    def _note(self, turn: EffectiveTurn, note: Noted) -> None:
        if not self._ends_with_note():
            self._end_passage()
        about = [
            *([called(note.about)] if note.about else []),
            *([f"rule {note.rule}"] if note.rule else []),
            *([f"T{note.turn}"] if note.turn else []),
        ]
        line = StoryLine("note", (note.text,), (turn.number,), turn.turn.by, listed(about) if about else None)
        self._lines.append(line)

    def _ends_with_note(self) -> bool:
        return not self._lines or (isinstance(self._lines[-1], StoryLine) and self._lines[-1].kind == "note")

    def _rest(self, number: int, rest: AfterRest) -> None:
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
        is_foe = self._is_foe(share.who)
        if is_foe and share.unit and not (share.amount and share.by):
            return  # of a foe's figures only what we did to them is told
        if share.by is not None:
            self._cause[share.who] = share.by
        if not (share.amount or share.what or not share.unit):
            return  # nothing came of it
        self._go_on_after_rest()
        for line in reversed(self._lines):
            if not isinstance(line, _Sum):
                break  # what came after a sentence of its own is not told before it
            if line.in_common == _in_common(share, is_foe):
                line.add(number, share)
                return
        self._lines.append(_Sum(number, share, is_foe))

    def _own(self, number: int, own: Own, sentence: Sentence) -> None:
        if own.by is not None:
            self._cause[own.who] = own.by
        foe = bool(own.who) and self._is_foe(own.who)
        parts: Sentence = (own.text,) if own.text else sentence
        if own.rules_on:
            parts = (f"The group rules on {self._with_title(own.rules_on)} {own.text}",)
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
            # other effects of a rest are placed before it and do not end it
            self._lines.insert(-1, StoryLine("event", parts, (number,)))
            return
        self._go_on_after_rest()
        if isinstance(last, StoryLine) and last.kind == "event" and last.turns == (number,):
            self._lines[-1] = StoryLine("event", (*last.parts, " ", *parts), last.turns)
        else:
            self._lines.append(StoryLine("event", parts, (number,)))

    def _go_on_after_rest(self) -> None:
        """Begin another passage after a rest or notes."""
        if self._lines and (isinstance(self._lines[-1], _Rest) or self._ends_with_note()):
            self._end_passage()

    def _end_passage(self) -> None:
        lines = tuple(line if isinstance(line, StoryLine) else line.as_line() for line in self._lines)
        if lines or (self._title is not None and self._title[1] == "scene"):
            title, kind, turn = self._title or (None, None, lines[0].turns[0])
            self._passages.append(Passage(title, kind, turn, lines))
        self._lines, self._title = [], None


def _in_common(share: Share, of_foes: bool) -> tuple[str, str, bool, bool]:
    """What shares have in common that are summed up."""
    return share.does, share.unit, bool(share.amount), of_foes


class _Sum:
    """The sum of similar shares of several turns."""

    def __init__(self, number: int, first: Share, of_foes: bool) -> None:
        self.in_common = _in_common(first, of_foes)
        self.does, self.unit, self.counts, _ = self.in_common
        self.one = first.one or singular(first.unit)
        self.turns: list[int] = []
        self.shares: list[Share] = []
        self.add(number, first)

    def add(self, number: int, share: Share) -> None:
        self.turns += [number] if number not in self.turns else []
        self.shares.append(share)

    def as_line(self) -> StoryLine:
        text = self._amounts_in_words() if self.counts else self._things_in_words()
        return StoryLine("sum", (capitalised(text),), tuple(self.turns))

    def _amounts_in_words(self) -> str:
        """Who has how much, the most first: "Brog loses 9 hit points, Ada 3 to a ghoul"; "…; so do Ada and Wen"."""
        amounts: dict[str, int] = {}
        for share in self.shares:
            amounts[share.who] = amounts.get(share.who, 0) + share.amount
        first, *others = people = sorted(amounts, key=lambda person: -amounts[person])
        most = f"{within(first)} {self.does} {amounts[first]} {self.one if amounts[first] == 1 else self.unit}"
        has_remarks = any(share.by or share.remark for share in self.shares)
        if others and not has_remarks and len({*amounts.values()}) == 1:
            return f"{most}; {_so_do(others)}."
        clauses = {first: most} | {person: f"{within(person)} {amounts[person]}" for person in others}
        # whoever has the same causes stands in one clause; "most of it" is said of one person only
        groups: dict[tuple[str, str], list[str]] = {}
        for person in people:
            causes = self._causes(person)
            group = groups.setdefault((causes, person if causes[:1] == "," else ""), [])
            group.append(f"{clauses[person]}{self._remarks(person)}")
        return f"{'; '.join(', '.join(group) + causes for (causes, _), group in groups.items())}."

    def _things_in_words(self) -> str:
        """What each of them did, by name where it has one: "Ada kills a rat; Wen kills the warden"."""
        things: dict[str, list[tuple[str, str]]] = {}
        for share in self.shares:
            things.setdefault(share.who, []).extend((thing, share.how) for thing in share.what)
        if not any(things.values()):
            first, *others = things
            return f"{within(first)} {self.does}{f'; {_so_do(others)}' if others else ''}."
        return f"{'; '.join(f'{within(who)} {self.does} {_things(what)}' for who, what in things.items())}."

    def _remarks(self, person: str) -> str:
        """What was said about a person's shares, in parentheses."""
        remarks = dict.fromkeys(share.remark for share in self.shares if share.who == person and share.remark)
        return f" ({'; '.join(remarks)})" if remarks else ""

    def _causes(self, person: str) -> str:
        """The causes of a person's shares in words: the single one, the main one, or several.

        With amounts if some causes are unknown.
        """
        shares = [share for share in self.shares if share.who == person]
        harm: dict[str, int] = {}
        for share in shares:
            if share.by:
                harm[share.by] = harm.get(share.by, 0) + share.amount
        if not harm:
            return ""
        whole = sum(share.amount for share in shares)
        worst, *others = sorted(harm, key=lambda cause: -harm[cause])
        if harm[worst] == whole:
            return put_down_to(worst)
        if 2 * harm[worst] > whole:
            return f", most of it{put_down_to(worst)}"
        causes = (worst, *others)[:MOST_CAUSES]
        if sum(harm.values()) < whole:
            rest = (f"{harm[cause]}{put_down_to(cause)}" for cause in causes[1:])
            return f", {listed((f'{harm[worst]} of them{put_down_to(worst)}', *rest))}"
        more = len(others) + 1 - len(causes)
        together = listed((*causes, *([f"{more} others"] if more > 1 else ["something else"] if more else [])))
        return f" to {together}" if all(map(is_noun, causes)) else f" ({together})"


def _so_do(others: Sequence[str]) -> str:
    return f"so {'does' if len(others) == 1 else 'do'} {listed(map(within, others))}"


def _things(things: Iterable[tuple[str, str]]) -> str:
    """Named things, each with how it went or how often: "barrow rat (2 times) and the bone warden (✔, then ✗)"."""
    hows: dict[str, list[str]] = {}
    for thing, how in things:
        hows.setdefault(thing, []).append(how)
    titles = []
    for thing, went in hows.items():
        often = ", then ".join(went) if all(went) else f"{len(went)} times" if len(went) > 1 else ""
        titles.append(f"{thing} ({often})" if often else thing)
    return listed(titles) if titles else ""


class _Rest:
    """A rest of several characters, and what they have after it."""

    def __init__(self, number: int, first: AfterRest) -> None:
        self.when, self.unit = first.when, first.unit
        self.turns: list[int] = []
        self.has: dict[str, tuple[int, str]] = {}
        self.add(number, first)

    def add(self, number: int, rest: AfterRest) -> None:
        self.turns += [number] if number not in self.turns else []
        self.has[rest.who] = rest.has, "" if rest.had is None else f" ({rest.had} before)"

    def as_line(self) -> StoryLine:
        (first, (most, before)), *others = self.has.items()
        clauses = [
            f"{called(first)} has {quantity(most, singular(self.unit), self.unit)}{before}",
            *(f"{called(name)} {has}{had}" for name, (has, had) in others),
        ]
        return StoryLine("rest", (f"{self.when} {', '.join(clauses)}.",), tuple(self.turns))


def gravest(points: Iterable[TurningPoint]) -> tuple[TurningPoint, ...]:
    """The gravest points, at most `MOST_MOMENTS` and one per turn, in their order."""
    of_turn: dict[int, TurningPoint] = {}
    for point in points:
        gravest_so_far = of_turn.get(point.turn)
        if gravest_so_far is None or point.gravity > gravest_so_far.gravity:
            of_turn[point.turn] = point
    points_by_turn = list(of_turn.values())
    chosen_points = sorted(points_by_turn, key=lambda point: -point.gravity)[:MOST_MOMENTS]
    return tuple(point for point in points_by_turn if point in chosen_points)
