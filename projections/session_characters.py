"""What became of the characters in one session: their sheets, curves, blows and falls, and who was away."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from domain.common.sessions import SessionClosed
from domain.log.effective_history import EffectiveTurn
from domain.naming import as_cause, called, key_of, listed, quantity, singular, within
from domain.registry import tag_of
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.system.story import NOTABLE, SERIOUS, SEVERE, AfterRest, Own, Share, StoryPart
from domain.values import in_words, silent
from projections.difference import change_of_members
from projections.recap_document import Blow, Curve, SheetComparison, SheetRow
from projections.secrecy import Onlooker, sheet_for
from projections.story import StoryTeller, TurningPoint, VisibleFact


class SessionCharacters:
    """Collects the characters' sheets, curves, blows and falls in one pass over the turns of a session."""

    def __init__(self, system: RuleSystem, opening: Game, first: int, viewer: str | None, now: Game | None) -> None:
        self.system, self.viewer = system, viewer
        self._onlooker = Onlooker(system, now, viewer) if viewer is not None and now is not None else None
        self.before = {name: sheet_for(system, opening, name, viewer) for name in opening.characters}
        self.after = dict(self.before)
        self._tracked_before = dict(opening.table.tracked)
        #: the sheets of those who joined in this session, as they joined
        self._first_sheets: dict[str, Mapping[str, Any]] = {}
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
        closes = any(isinstance(fact, SessionClosed) for fact in turn.facts)
        # the view of a sheet may depend on the table and the options, and for one player on the other sheets too;
        # otherwise unchanged objects give unchanged views
        is_same_around = self.viewer is None and state.table is self._around[0] and state.options is self._around[1]
        for name, character in state.characters.items():
            if is_same_around and self._sheets.get(name) is character:
                continue
            self._sheets[name] = character
            sheet = sheet_for(self.system, state, name, self.viewer)
            self._mark(number, name, sheet, causes.get(name) if name in victims else None, struck=name in victims)
            if name not in self.before:
                self._first_sheets.setdefault(name, sheet)
            self.after[name] = sheet
            self._note_absence(number, name, character.away, closes=closes)
            now = self.system.fallen(state, name)
            if now != self._down.get(name) and now is not None:
                self._falls.append(TurningPoint(number, f"{called(name)} is {now}", SEVERE, who=name))
            self._down[name] = now
        self._around = (state.table, state.options)

    def _note_absence(self, number: int, name: str, away: str | None, *, closes: bool) -> None:
        """Note that somebody is away from a turn on, or back: not if it only `closes` the session, which ends it."""
        spans = self.away.get(name, [])
        if away == "absent":
            self.absent[name] = None
            if not spans or spans[-1][1] is not None:
                self.away[name] = [*spans, (number, None)]
        elif away is None and not closes:
            self.absent.pop(name, None)
            if spans and spans[-1][1] is None:
                spans[-1] = (spans[-1][0], number)

    def _mark(
        self, number: int, name: str, sheet: Mapping[str, Any], by: str | None = None, *, struck: bool = False
    ) -> None:
        """Add a point to a character's curve if the figure changed, and a blow if harm made it worse."""
        value = sheet.get(self.system.vital[0])
        if not isinstance(value, int):
            return
        points = self.curves.setdefault(name, [])
        if points and points[-1][1] == value:
            return
        if points and struck and (value > points[-1][1]) == self.higher_is_worse:
            self.blows.append(Blow(number, name, points[-1][1], value, by))
        points.append((number, value))

    # -- what it comes to

    def sheets(self, there: Collection[str]) -> Iterator[SheetComparison]:
        """The sheets of those who took part, and of others whose sheet changed."""
        for name, after in self.after.items():
            before, joined = self.before.get(name), self._first_sheets.get(name, {})
            if name not in there and before == after:
                continue
            first = joined if before is None else before
            fields = tuple(
                SheetRow(
                    name=field,
                    before=self._in_words(name, field, before[field]) if before and field in before else None,
                    after=self._in_words(name, field, value),
                    joined_with=self._in_words(name, field, joined[field]) if field in joined else None,
                    in_short=self._in_short(name, field, first.get(field), value),
                )
                for field, value in after.items()
                # fields that are empty before and after are left out
                if field != "player" and not (silent(first.get(field)) and silent(value))
            )
            yield SheetComparison(name, self.player_of(name), name in there, fields, self.is_foe(name))

    def player_of(self, name: str) -> str | None:
        player = self.after[name].get("player")
        return player if isinstance(player, str) else None

    def _in_words(self, name: str, field: str, value: Any) -> str:
        """A value of a sheet in words, with cards by name."""
        return in_words(self.system.in_words(self._last, name, field, value))

    def _in_short(self, name: str, field: str, first: Any, after: Any) -> tuple[str, str] | None:
        """How many a list held first, and how it changed; None for other values, and where nothing of it stayed."""
        old, new = (self.system.in_words(self._last, name, field, value) for value in (first, after))
        change = change_of_members(old, new)
        if change is None or not any(member in new for member in old):
            return None
        return str(len(old)), f"{len(new)}, {change}"

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


def _with_cause_as_noun(part: StoryPart | None, state: Game) -> StoryPart | None:
    """A story part whose cause can stand inside a sentence: a character by name, another noun with its article."""
    if not isinstance(part, Own | Share) or not part.by:
        return part
    names = {key_of(name): name for name in state.characters}
    character = names.get(key_of(part.by))
    return replace(part, by=within(character) if character is not None else as_cause(part.by, state.characters))
