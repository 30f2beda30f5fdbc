"""What a tap or a typed line does at one seat: what it would come to, what the rules ask first, and the turn it makes.

Nothing is kept between two requests: whatever was chosen so far comes with the next one, and is looked up anew in what
may be chosen by then. The same thing said twice of the same table is one turn, by its id.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cli.line.completing import completions
from cli.line.errors import Ambiguous, Misread, Missing
from cli.line.spelling import line_of
from cli.line.tracking import verb_in
from cli.line.understanding import Question, Understood
from cli.line.values import Context
from cli.line.verbs import names_a_turn
from cli.line.words import Line as TypedLine
from cli.line.words import quote, tokenize
from cli.recording.audience import Audience
from cli.recording.confirming import CONFIRM
from cli.recording.conversation import Conversation
from cli.recording.foretelling import foretell
from cli.recording.steps import Ask, Step, TurnsRecorded, TypeOn, sign_of
from cli.serving.invitations import Invitations, Seat
from cli.serving.recent_turns import RecentTurns
from cli.terminal.revisions import revision_lines
from cli.terminal.screen import Page
from domain.choice import Choice
from domain.common.notes import Note
from domain.common.revisions import REVISIONS, Amend, Undo
from domain.common.sheets import Override
from domain.log.backdating import NOW
from domain.log.command_handler import CommandHandler
from domain.log.deciding import names_in
from domain.log.effective_history import effective_history, reaches_back
from domain.naming import called, key_of, listed
from domain.refusal import Conflict, Invalid, Refusal, Unreported
from domain.registry import action_from, tag_of, verb_name
from domain.system.drafts import about
from domain.system.field_schema import fields_of
from domain.system.rows import CardView
from domain.turn import Action, Turn
from projections.chronicle import Entry, plain
from projections.preview import ActionPreview, RestsOnDraw
from projections.revision_targets import revision_targets
from projections.secrecy import owns, played_by

#: Reading commands that have a page here.
QUESTIONS = ("why", "when", "status", "log", "show", "diff", "rules", "recap", "stats", "help")
#: How far back the own last line is looked for.
LOOKED_AT = 200
#: Said where what was shown would be recorded as something else by now.
MOVED_ON = "The table has moved on."
NOW_IT_IS = "This is what it comes to now:"
#: Said where taking something back would take the ground from under later turns, whosever they are.
RESTED_ON = "Later turns rest on it; whoever keeps the log can settle that."
#: Ways on that are offered while a line is typed.
MOST_OFFERED = 12
READS = "You can only read here."


class Tap(Struct, frozen=True):
    """What one seat says: one of `line`, `action`, `way`, with what was answered to the rules' questions."""

    #: the last turn that the page knew: the same said of the same table is one turn
    at: int = 0
    #: as it was typed
    line: str = ""
    #: an action as JSON
    action: str = ""
    #: a way to settle what the table waits for, by its sign
    way: str = ""
    #: the ways that were chosen, by their signs
    answers: tuple[str, ...] = ()
    #: what it changes of earlier turns was shown
    sure: bool = False
    #: what it was shown to come to, as `fingerprint` gives it; nothing: that was not shown
    fingerprint: str = ""

    @property
    def identity(self) -> tuple[object, ...]:
        """What its turn is known by, besides the seat."""
        return (self.at, self.line.strip(), self.action, self.way, *self.answers)


class OfferedChoice(Struct, frozen=True):
    """One answer: what it means, what to send for it, and what it would come to where that is known before."""

    says: str
    tap: Tap
    would: str = ""
    #: the card that it is about, and what is chosen of it besides
    card: CardView | None = None
    short: str = ""
    #: whether it is one that nobody takes lightly
    is_grave: bool = False
    #: whether something has to be filled in for it
    is_open: bool = False


class TapPreview(Struct, frozen=True):
    """What something would come to, and what the rules ask first: one tap answers that and does it."""

    would: str
    why: str = ""
    choices: tuple[OfferedChoice, ...] = ()
    #: that of `would`, where it is what would be recorded
    fingerprint: str = ""
    #: whether only words are asked for, which may stay unsaid
    asks_for_words: bool = False


class Continuation(Struct, frozen=True):
    """One way for a line to go on: the word, the line with it, and what the word is."""

    says: str
    line: str
    help: str = ""


class Recorded(Struct, frozen=True):
    """It is in the log: its turns, whether they were there already, and what the rules ask about them."""

    turns: tuple[Entry, ...]
    repeated: bool = False
    why: str = ""
    choices: tuple[OfferedChoice, ...] = ()


class RulesQuestion(Struct, frozen=True):
    """Nothing is done yet: the rules ask something first."""

    why: str
    choices: tuple[OfferedChoice, ...]


class FormNeeded(Struct, frozen=True):
    """Nothing is done yet: something of an action has to be filled in."""

    way: Choice


class ConfirmationNeeded(Struct, frozen=True):
    """Nothing is done yet: it changes earlier turns, in these lines, and is to be confirmed.

    `keeping`: the tap that keeps later results as they were announced, where they would come out otherwise.
    """

    lines: tuple[str, ...]
    tap: Tap
    keeping: Tap | None = None
    #: the question, and what the button that confirms it says
    why: str = "What it changes"
    label: str = "Do it"


TapResult = Recorded | RulesQuestion | FormNeeded | ConfirmationNeeded | Question


class ChoiceGone(Exception):
    """What was chosen cannot be chosen any more."""


class OutcomeChanged(Exception):
    """What was shown would be recorded as another sentence by now."""

    def __init__(self, would: str) -> None:
        super().__init__(would)
        self.would = would


def fingerprint(last: int, sentence: str) -> str:
    """The last turn when a sentence was shown, and a hash of the sentence; nothing of no sentence."""
    return f"{last} {blake2b(sentence.encode(), digest_size=9).hexdigest()}" if sentence else ""


def turns_in_words(numbers: Sequence[int]) -> str:
    """The turns of one line: T5, T5 and T6, or T5 to T8."""
    first, last = f"T{numbers[0]}", f"T{numbers[-1]}"
    return first if len(numbers) == 1 else f"{first} {'and' if len(numbers) == 2 else 'to'} {last}"


def is_for_players(kind: type[Action]) -> bool:
    """Whether a player does such things for the own characters: not what enrols, revises or is about nobody."""
    names = [field.names for field in fields_of(kind) if field.names]
    return kind is Note or not (issubclass(kind, (*REVISIONS, Override)) or not names or "new character" in names)


def label_of(way: Choice, says: Sequence[str] = (), *, whose: bool = False) -> str:
    """What a button says: what choosing the way means, else its verb and what is known of it; and what it `says` more.

    `whose`: for whom.
    """
    who = about(way)
    more = f" {', '.join(says)}" if says else ""
    if way.says:
        return f"{way.says}{more}"
    values = [value for value in way.fields.values() if value != who and not isinstance(value, bool)]
    words = [str(part) for value in values for part in (value if isinstance(value, list) else [value])]
    label = " ".join((verb_name(way.action).replace("-", " "), *([listed(words)] if words else [])))
    return f"{label[:1].upper()}{label[1:]}{more}{f' ({called(who)})' if whose and who else ''}"


def is_grave(way: Choice) -> bool:
    """Whether it is one that nobody takes lightly."""
    return any(way.fields.get(field) == value for field, value in way.action.grave.items())


def card_of(way: Choice, cards: Mapping[str, CardView]) -> CardView | None:
    """The card that a way says last."""
    values = [part for value in way.fields.values() for part in (value if isinstance(value, list) else [value])]
    return next((cards[part] for part in reversed(values) if isinstance(part, str) and part in cards), None)


class TapHandler:
    """One seat that does things."""

    def __init__(
        self,
        handler: CommandHandler,
        audience: Audience,
        seat: Seat,
        invitations: Invitations,
        recent: RecentTurns,
        *,
        by: str | None = None,
        readonly: bool = False,
    ) -> None:
        self.handler, self.audience, self.seat = handler, audience, seat
        self._invitations, self._recent = invitations, recent
        self.by = by
        self.reads = readonly or seat.role == "table"
        if seat.role != "referee":
            audience.narrows = self._narrow
        #: the turns of this seat that it may undo if they stand, looked for up to this turn
        self._own: list[Turn] = []
        self._read_upto = 0

    # -- what this seat may do -----------------------------------------------------------------------------

    def check(self, understood: Understood) -> None:
        """Raise Refusal for what is not this seat's to do: a player acts for the own characters."""
        if self.reads:
            raise Refusal(None, READS)
        if self.seat.role == "referee":
            return
        if understood.manner:
            raise Refusal(None, f"{listed(understood.manner)} is for whoever keeps the log; leave it out.")
        for action in understood.actions:
            if not self._may(action):
                raise Refusal(None, self._not_yours(action))

    def _may(self, action: Action) -> bool:
        if isinstance(action, Note):
            return True
        if isinstance(action, Undo):
            others = (action.last, action.to, action.conflicts)
            return bool(action.turns) and set(action.turns or ()) <= set(self.own_last()) and not any(others)
        if isinstance(action, (*REVISIONS, Override)):
            return False
        whose = self._about(action)
        if whose is None:
            return self._is_waited_for(type(action))
        return bool(whose) and all(owns(self.handler.state(), name, self.seat.name) for name in whose)

    def _about(self, action: Action) -> tuple[str, ...] | None:
        """The characters whom an action is about, those that its first field of names holds; None: it has none."""
        first = next((field for field in fields_of(type(action)) if field.names), None)
        if first is None:
            return None
        value = getattr(action, first.name)
        return (value,) if isinstance(value, str) else tuple(value or ())

    def _does(self, kind: type[Action]) -> bool:
        """Whether this seat may do such things at all."""
        return kind is Undo or is_for_players(kind) or self._is_waited_for(kind)

    def _is_waited_for(self, kind: type[Action]) -> bool:
        """Whether the table as a whole waits for this, and anybody may do it."""
        system, state = self.handler.system, self.handler.state()
        return any(
            way.action is kind and about(way) is None
            for decision in system.pending_for_table(state)
            for way in decision.choices
        )

    def _not_yours(self, action: Action) -> str:
        names = names_in(action)
        if isinstance(action, Undo):
            if action.conflicts is not None:
                return RESTED_ON
            own = self.own_last()
            which = f", {turns_in_words(own)}" if own else ""
            return f"You may undo your own last line{which}, and no other."
        if not is_for_players(type(action)) or not names:
            return f"{verb_name(type(action))} is for whoever keeps the log."
        state = self.handler.state()
        others = [name for name in names if not owns(state, name, self.seat.name)]
        return f"{self.seat.label} does not play {listed(map(called, others))}."

    def own_last(self) -> tuple[int, ...]:
        """The turns of the last line of this seat that stand: what it may undo."""
        log, last = self.handler.log, self.handler.log.last()
        if last < self._read_upto:  # another line of play
            self._own, self._read_upto = [], 0
        for turn in log.read(after=max(self._read_upto, last - LOOKED_AT), upto=last):
            if turn.by == self.by and tag_of(type(turn.action)) not in _REVISING:
                self._own.append(turn)
        self._own, self._read_upto = [turn for turn in self._own if turn.number > last - LOOKED_AT], last
        effective = effective_history(log, last) if self._own else None
        standing = [turn for turn in self._own if effective is not None and effective.stands(turn.number)]
        line = standing[-1].together or standing[-1].number if standing else None
        return tuple(turn.number for turn in standing if line in (turn.number, turn.together))

    # -- what it would come to -----------------------------------------------------------------------------

    def preview(self, tap: Tap) -> TapPreview:
        """What it would come to, in one sentence; nothing random, and nothing is done. Raises as `do` does."""
        if tap.line:
            self._typed_here(tap.line)
        conversation = self._conversation(tap)
        understood = self._admit(self._actions_of(conversation, tap))
        if understood.question is not None:
            return TapPreview(f"asks: {' '.join((understood.question.command, *understood.question.words))}")
        if not understood.actions:
            choice = self._choice(tap.way) if tap.way else None
            return TapPreview("" if choice is None else self.would(choice) or label_of(choice))
        if self.seat.role != "referee" and any(isinstance(action, REVISIONS) for action in understood.actions):
            return TapPreview("Undoes your own last line, after showing what that changes.")
        try:
            would = foretell(conversation, understood, understood.backdating)
        except Unreported as error:
            raise self._for_a_form(error, tap) from None
        if any(reaches_back(action, placed=bool(understood.backdating)) for action in understood.actions):
            return TapPreview(would)  # it is shown once more before it is done
        ask = conversation.first_question(understood, NOW)
        if ask is None:
            return TapPreview(would, fingerprint=self.fingerprint(would))
        return TapPreview(would, ask.why, self._choices_of(ask, tap), asks_for_words=_asks_for_words(ask))

    def ways_on(self, line: str) -> list[Continuation]:
        """How a line may go on at its end; behind a word that is whole, what may follow it."""
        if not line.strip() or self.reads:
            return []
        with suppress(Misread):  # without a verb it speaks of no turn yet
            if self._speaks_of_earlier(f"{line} …") or self._takes_back(line):
                return []
        completion = completions(line, len(line), self.audience.context, self.questions)
        if key_of(line[completion.start :]) in (key_of(way.as_word) for way in completion.ways):
            line = f"{line} "
            completion = completions(line, len(line), self.audience.context, self.questions)
        return [
            Continuation(way.text, f"{line[: completion.start]}{way.as_word}{'' if way.open else ' '}", way.help)
            for way in completion.ways[:MOST_OFFERED]
        ]

    def would(self, way: Choice) -> str | None:
        """The same of a way that is whole, nothing of any other; None where it would be refused."""
        if way.asks:
            return ""
        try:
            action = action_from(self.handler.log.rules, {"type": tag_of(way.action), **way.fields})
            sentence = self.preview_of(action)
            # where nothing is to be known before, that is its line, which the button says already
            return "" if sentence == line_of(self.audience.context, action) else sentence
        except RestsOnDraw:
            return ""
        except (Refusal, Invalid, Conflict):
            return None

    def preview_of(self, action: Action) -> str:
        """What an action would come to, if nothing random decides it. Raises Refusal, Invalid, Conflict."""
        return foretell(self._conversation(Tap()), Understood((action,)), NOW)

    # -- doing it ------------------------------------------------------------------------------------------

    def do(self, tap: Tap) -> TapResult:
        """Do what was said. Raises Refusal, Invalid, Conflict, ChoiceGone, and what the log raises."""
        if self.reads:
            raise Refusal(None, READS)
        if tap.line:
            self._typed_here(tap.line)
        again = self._recorded_before(tap)
        if again is not None:
            return again
        try:
            return self._answer(tap)
        except (Missing, Ambiguous) as error:
            question = _asked_of_line(error, tap)
            if question is None:
                raise
            return question
        except Conflict as error:
            if self.seat.role == "referee":
                raise
            raise Refusal(None, RESTED_ON) from error
        except Unreported as error:
            raise self._for_a_form(error, tap) from None
        except OutcomeChanged as change:
            # a new tap at the table as it is now
            now = replace(tap, at=self.handler.log.last(), fingerprint=self.fingerprint(change.would))
            return ConfirmationNeeded((change.would,), now, why=f"{MOVED_ON} {NOW_IT_IS}")

    def fingerprint(self, sentence: str) -> str:
        """What a tap brings along that is offered now with this sentence."""
        return fingerprint(self.handler.log.last(), sentence)

    def _is_as_shown(self, tap: Tap, sentence: str) -> bool:
        """Whether a tap was shown with this sentence, which is what it comes to now, or with none."""
        return not tap.fingerprint or tap.fingerprint.split()[-1:] == self.fingerprint(sentence).split()[-1:]

    def _check_outcome(self, conversation: Conversation, tap: Tap, understood: Understood) -> None:
        """Raise OutcomeChanged for actions that would be recorded as another sentence than the tap was shown with."""
        if not tap.fingerprint or tap.fingerprint.startswith(f"{self.handler.log.last()} "):
            return
        if any(reaches_back(action, placed=bool(understood.backdating)) for action in understood.actions):
            return  # what it changes is shown, and asked about, by itself
        would = foretell(conversation, understood, understood.backdating)
        if not self._is_as_shown(tap, would):
            raise OutcomeChanged(would)

    @staticmethod
    def _for_a_form(error: Unreported, tap: Tap) -> Unreported:
        """The same error without names of fields, where nothing was typed."""
        return error if tap.line else Unreported(error.without_fields, error.example, error.without_fields)

    def _answer(self, tap: Tap) -> TapResult:
        """Go through the conversation of a tap with the answers that it brings, up to what they leave open."""
        conversation, signs = self._conversation(tap), list(tap.answers)
        step, result = self._begin(conversation, tap), Recorded(())
        while True:
            match step:
                case TurnsRecorded(outcomes):
                    numbers = [outcome.turn.number for outcome in outcomes]
                    entries = self._recent.after(self.audience, min(numbers) - 1, self.handler.last())
                    turns = (entry for entry in entries if entry.turn in numbers)
                    result = Recorded((*result.turns, *turns), outcomes[0].repeated)
                    step = conversation.proceed()
                case Ask(kind="conflicts") if not signs:
                    return self._about_later(step, tap)
                case Ask(kind="confirm", preview=preview) if preview is not None and (
                    needed := self._to_confirm(preview, step, tap)
                ):
                    return needed
                case Ask() if signs or step.kind == "confirm":
                    answer = step.answered_by(signs[0] if signs else "yes")
                    if answer is None and tap.way:
                        raise ChoiceGone
                    if answer is None:
                        # another answer was shown than there is now
                        upto_here = replace(tap, answers=tap.answers[: len(tap.answers) - len(signs)])
                        return RulesQuestion(f"{MOVED_ON} {step.why}", self._choices_of(step, upto_here))
                    signs = signs[1:]
                    step = conversation.choose(answer)
                case Ask():
                    return RulesQuestion(step.why, self._choices_of(step, tap))
                case TypeOn(choice=choice) if choice is not None:
                    return FormNeeded(choice)
                case TypeOn(error=error) if error is not None:
                    raise error
                case Question():
                    return step
                case _:
                    return result

    def _about_later(self, ask: Ask, tap: Tap) -> RulesQuestion:
        """What becomes of later turns that stand in the way. Raises Conflict for a player, who may not settle it."""
        if self.seat.role != "referee":
            raise Conflict(ask.conflicts)
        turns = (f"T{later.turn}: {Refusal(later.rule, later.reason)}" for later in ask.conflicts)
        answers = [answer for answer in ask.answers if answer.sign != "leave"]
        return RulesQuestion(" ".join((ask.why, *turns)), self._choices_of(replace(ask, answers=tuple(answers)), tap))

    def _begin(self, conversation: Conversation, tap: Tap) -> Step:
        if tap.way:
            return conversation.take(self._choice(tap.way))
        understood = self._actions_of(conversation, tap)
        if understood.question is not None:
            return understood.question
        return conversation.do(understood, understood.backdating, tap.line)

    def _conversation(self, tap: Tap) -> Conversation:
        conversation = Conversation(
            self.handler,
            self.audience,
            by=self.by,
            questions=self.questions,
            confirms=True if self.seat.role == "referee" else "always",
            admits=self._admit,
            before_recording=lambda understood: self._check_outcome(conversation, tap, understood),
            turn_id=lambda nth: self._id_of(tap, nth),
        )
        return conversation

    def _to_confirm(self, preview: ActionPreview, ask: Ask, tap: Tap) -> ConfirmationNeeded | None:
        """What it changes of earlier turns, as this seat may know it beforehand; None: the tap was shown with that.

        A player is always shown what the own line was, and where nobody keeps a secret all that comes of it.
        """
        eyes = None if self.seat.role == "referee" else self.audience.eyes
        if eyes is not None:
            targets = revision_targets(self.handler, preview.turns[0].action, eyes)
            lines = [
                f"T{target.turn} {target.how}: {' Becomes: '.join(filter(None, (plain(target.parts), target.change)))}"
                for target in targets
            ]
        else:
            lines = revision_lines(self.handler, preview, self.audience.eyes, Page(), ask.keeping)
        if tap.sure and self._is_as_shown(tap, "\n".join(lines)):
            return None
        agrees = replace(tap, sure=True, fingerprint=self.fingerprint("\n".join(lines)))
        keeps = replace(agrees, answers=(*tap.answers, "keep")) if ask.answered_by("keep") is not None else None
        confirmation = ConfirmationNeeded(tuple(lines), agrees, keeps)
        return confirmation if ask.why == CONFIRM else replace(confirmation, why=ask.why)

    def _typed_here(self, line: str) -> None:
        """Raise Refusal for a line that speaks of an earlier turn, where that may be anybody's."""
        if self._speaks_of_earlier(line):
            raise Refusal(None, "Earlier turns are changed by whoever keeps the log.")

    def _speaks_of_earlier(self, line: str) -> bool:
        """Whether a line would have a player speak of an earlier turn. Raises Misread for one that has no verb."""
        if self.seat.role == "referee":
            return False
        words = tokenize(line)
        first = words.words[0].text if words.words else ""
        if names_a_turn(first):
            return len(words.words) > 1
        return self._kind_of(words) is Amend

    def _takes_back(self, line: str) -> bool:
        """Whether a line has a player take something back: that is the own last line, and not more is said of it."""
        return self.seat.role != "referee" and self._kind_of(tokenize(line)) is Undo

    def _kind_of(self, words: TypedLine) -> type[Action] | None:
        """What a line does; None: it asks. Raises Misread for one that has no verb."""
        verb = verb_in(self.audience.context, words, 0, self.questions)[0]
        return None if isinstance(verb, str) else verb.kind

    def _narrow(self, context: Context) -> Context:
        """What a player's line is understood against: for whom this seat acts, and what it may do."""
        return replace(context, acts_for=played_by(self.handler.state(), self.seat.name), does=self._does)

    @property
    def questions(self) -> tuple[str, ...]:
        """What a line may ask here."""
        own = ("query",) if self.seat.role == "referee" else ()
        return (*QUESTIONS, *own, *(lookup.verb for lookup in self.handler.system.lookups))

    def _actions_of(self, conversation: Conversation, tap: Tap) -> Understood:
        """The actions that are meant before the rules have asked anything; none where that has to be chosen first."""
        if tap.line:
            return conversation.meanings.understand(tokenize(tap.line))
        if tap.action:
            try:
                value = msgspec.json.decode(tap.action)
            except (msgspec.DecodeError, RecursionError):
                value = None
            together = value if isinstance(value, list) else [value]
            if not 0 < len(together) <= MOST_TOGETHER or not all(isinstance(value, dict) for value in together):
                raise Invalid("This page sent something that it has no form for. Go back and try again.")
            return Understood(tuple(action_from(self.handler.log.rules, value) for value in together))
        if not tap.way:
            raise Invalid("There is no line to record.")
        return Understood()

    def _admit(self, understood: Understood) -> Understood:
        """What this seat may say: a player's bare undo is of the own last line. Raises Refusal."""
        if self.seat.role != "referee" and understood.actions == (Undo(),):
            own = self.own_last()
            if not own:
                raise Refusal(None, "You have recorded nothing yet that you could undo.")
            understood = replace(understood, actions=(Undo(turns=own),))
        if understood.question is None:
            self.check(understood)
        return understood

    def _choices_of(self, ask: Ask, tap: Tap) -> tuple[OfferedChoice, ...]:
        """The answers of a question without those that would be refused."""
        cards, choices = self.cards(), [answer.choice for answer in ask.answers]
        # where more is asked after it, it is one part of something
        foresees = len(choices) <= MOST_FORESEEN
        previews = [self.would(choice) if choice is not None and foresees else "" for choice in choices]
        all_refused = all(preview is None for preview in previews)
        return tuple(
            OfferedChoice(
                label_of(answer.choice) if answer.choice is not None else answer.says,
                replace(tap, answers=(*tap.answers, answer.sign), fingerprint=self.fingerprint(preview or "")),
                preview or "",
                card_of(answer.choice, cards) if answer.choice is not None else None,
                is_grave=answer.choice is not None and is_grave(answer.choice),
                is_open=answer.choice is not None and bool(answer.choice.asks),
            )
            for answer, preview in zip(ask.answers, previews, strict=True)
            if preview is not None or all_refused
        )

    def cards(self) -> dict[str, CardView]:
        """The cards that this seat looks at now, by their names."""
        system, state = self.handler.system, self.handler.state()
        sheets = self.audience.sheets(state)
        piles = [pile for name, sheet in sheets.items() for pile in system.laid_out(state, name, sheet)]
        return {card.name: card for pile in piles for card in pile.cards}

    def _choice(self, sign: str) -> Choice:
        """A choice that settles what is open now. Raises ChoiceGone."""
        for decision in self.audience.pending():
            for choice in decision.choices:
                if sign_of(choice) == sign:
                    return choice
        raise ChoiceGone

    def _id_of(self, tap: Tap, number: int) -> str:
        return self._invitations.tap_id(self.seat, number, *tap.identity)

    def _recorded_before(self, tap: Tap) -> Recorded | None:
        """The turns of a tap that was sent before; None: it was not."""
        turn = self.handler.log.find(self._id_of(tap, 0))
        if turn is None:
            return None
        numbers = [turn.number]
        while (more := self.handler.log.find(self._id_of(tap, len(numbers)))) is not None:
            numbers.append(more.number)
        entries = self.audience.chronicle(min(numbers) - 1, max(numbers))
        return Recorded(tuple(entry for entry in entries if entry.turn in numbers), repeated=True)


def _asks_for_words(ask: Ask) -> bool:
    """Whether the answers to a question are to say something in words, and to leave it unsaid."""
    choices = [answer.choice for answer in ask.answers if answer.choice is not None]
    asked = [field for choice in choices for field in fields_of(choice.action) if field.key in choice.asks]
    return len(choices) == 2 and len(asked) == 1 and asked[0].remark


def _asked_of_line(error: Missing | Ambiguous, tap: Tap) -> RulesQuestion | None:
    """What a line leaves open, as a question with a line for each answer; None where that cannot be counted off."""
    if isinstance(error, Ambiguous):
        ways = [OfferedChoice(meaning.says, replace(tap, line=meaning.line)) for meaning in error.choices]
        return RulesQuestion(error.question, tuple(ways))
    if not error.legal or error.of is None or not tap.line:
        return None
    line, field = tap.line.rstrip(), error.fields[0]
    ways = [OfferedChoice(value, replace(tap, line=f"{line} {quote(value)}")) for value in error.legal]
    return RulesQuestion(field.description or field.key, tuple(ways))


#: Actions that one tap may do together.
MOST_TOGETHER = 20
#: Of so many ways at once it is worked out what each would come to.
MOST_FORESEEN = 12
_REVISING = tuple(tag_of(kind) for kind in REVISIONS)
