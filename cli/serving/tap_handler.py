"""What a tap or a typed line does at one seat: its outcome beforehand, what the rules ask first, and the turn it makes.

Nothing is kept between two requests: whatever was chosen so far comes with the next one, and is looked up anew in what
may be chosen by then. A tap that is sent twice at the same last turn is one turn, by its id.
"""

from collections.abc import Mapping
from contextlib import suppress

import msgspec
from msgspec.structs import replace

from cli.line.errors import LineError
from cli.line.guiding import guide
from cli.line.spelling import line_of
from cli.line.understanding import Question, Understood
from cli.line.words import tokenize
from cli.recording.audience import Audience
from cli.recording.confirming import CONFIRM
from cli.recording.conversation import Conversation
from cli.recording.foretelling import foretell
from cli.recording.steps import Ask, Step, TurnsRecorded, TypeOn
from cli.serving.buttons import card_of, label_of
from cli.serving.earlier_taps import EarlierTaps
from cli.serving.invitations import Invitations
from cli.serving.permissions import RESTED_ON, SeatPermissions
from cli.serving.recent_turns import RecentTurns
from cli.serving.tap import (
    ConfirmationNeeded,
    Continuation,
    FormNeeded,
    OfferedChoice,
    Recorded,
    RulesQuestion,
    Tap,
    TapPreview,
    TapResult,
    fingerprint,
    is_of_sentence,
    is_of_turn,
)
from cli.serving.turned_over import AnswerFirst, OpenQuestion, OpenQuestions
from cli.terminal.previews import revision_lines
from cli.terminal.screen import Page
from domain.choice import Choice
from domain.common.revisions import Amend, Redo, Undo
from domain.log.backdating import NOW
from domain.log.command_handler import CommandHandler
from domain.naming import capitalised, key_of
from domain.refusal import Conflict, Invalid, Refusal, Unreported
from domain.registry import action_from, tag_of, verb_name
from domain.system.drafts import about
from domain.turn import Action
from projections.preview import ActionPreview, RestsOnDraw
from projections.revision_targets import revision_targets
from projections.sentences import plain

#: The reason why a tap is asked about once more: what was shown would be recorded as something else by now.
MOVED_ON = "The table has moved on."
NOW_IT_IS = "This is what it comes to now:"
#: What is said of anything else while a question about what was turned over is open.
WAITS_FOR_CHOICE = "Something is turned over and has to be settled first."
#: Said of what no form of a page sends.
NO_FORM = "This page sent something that it has no form for. Go back and try again."
#: Actions that one tap may do together.
MOST_TOGETHER = 20
#: Up to this many choices, the outcome of each is worked out beforehand.
MOST_FORESEEN = 12
#: What a player does to the own last line, in a word.
REVISES: Mapping[type[Action], str] = {Undo: "Undoes", Redo: "Restores", Amend: "Changes"}
#: Continuations of a line that are offered while it is typed.
MOST_OFFERED = 12


class ChoiceGone(Exception):
    """What was chosen cannot be chosen any more."""


class OutcomeChanged(Exception):
    """What was shown would be recorded as another sentence by now."""

    def __init__(self, outcome: str) -> None:
        super().__init__(outcome)
        self.outcome = outcome


class TapHandler:
    """One seat that does things, as far as its permissions go."""

    def __init__(
        self,
        handler: CommandHandler,
        audience: Audience,
        permissions: SeatPermissions,
        invitations: Invitations,
        recent: RecentTurns,
        open_questions: OpenQuestions,
    ) -> None:
        self.handler, self.audience, self.permissions = handler, audience, permissions
        self._recent, self._open_questions = recent, open_questions
        self._earlier = EarlierTaps(handler, audience, permissions, invitations, recent)

    # -- before it is done ---------------------------------------------------------------------------------

    def preview(self, tap: Tap) -> TapPreview:
        """The outcome of a tap in one sentence, without anything random; nothing is done. Raises as `do` does."""
        if tap.line:
            self.permissions.check_line(tap.line)
        conversation, understood = self._conversation(tap), self.permissions.admit(self._actions_of(tap))
        if understood.question is not None:
            return TapPreview(f"Shows: {' '.join((understood.question.command, *understood.question.words))}")
        if not understood.actions:
            choice = self._choice(tap.choice) if tap.choice else None
            return TapPreview("" if choice is None else self.outcome_of(choice) or label_of(choice))
        if not self.permissions.is_referee and type(understood.actions[0]) in REVISES:
            does = REVISES[type(understood.actions[0])]
            return TapPreview(f"{does} your own last line, after showing what that changes.")
        try:
            outcome = foretell(conversation, understood, understood.backdating)
        except Unreported as error:
            raise _without_fields(error, tap) from None
        if conversation.reaches_back(understood):
            return TapPreview(outcome)  # it is shown once more before it is done
        ask = conversation.first_question(understood, NOW)
        if ask is None:
            return TapPreview(self._outcome_in_words(outcome, understood), fingerprint=self.fingerprint(outcome))
        choices = self._choices_of(ask, tap, understood)
        return TapPreview(outcome, ask.why, choices, asks_for_words=ask.is_about_words)

    def still_asked(self, tap: Tap) -> RulesQuestion | Recorded | None:
        """What the rules ask about a tap that was asked about before, or the turn that has answered it since.

        None: nothing is asked about it any more. Nothing is done or drawn. Raises as `do` does.
        """
        conversation, understood = self._conversation(tap), self._actions_of(tap)
        answer = self._earlier.answer_since(tap.at, understood)
        if answer is not None:
            return answer
        understood = self.permissions.admit(understood)
        ask = conversation.first_question(understood, understood.backdating, tap.answers)
        return None if ask is None else RulesQuestion(ask.why, self._choices_of(ask, tap, understood))

    def withdraw(self, mark: str) -> None:
        """Leave the question with this mark, on the phone of the player whom it is about. Raises Refusal."""
        self.permissions.check_can_act()
        if not self.permissions.is_referee:
            raise Refusal(None, "Whoever keeps the log can take that question back.")
        self._open_questions.withdraw(mark)

    def _outcome_in_words(self, outcome: str, understood: Understood) -> str:
        """An outcome as the page says it: where nothing may be known of it, its line begins with the verb in words."""
        action = understood.actions[0]
        if outcome != line_of(self.audience.context, action):
            return outcome
        verb = verb_name(type(action))
        return capitalised(outcome.replace(verb, verb.replace("-", " "), 1))

    def continuations(self, line: str) -> list[Continuation]:
        """How a line may go on at its end; behind a word that is whole, what may follow it."""
        if not line.strip() or self.permissions.only_reads:
            return []
        with suppress(LineError):  # without a verb it speaks of no turn yet
            if not self.permissions.may_be_completed(line):
                return []
        questions = self.permissions.questions
        guidance = guide(line, len(line), self.audience.context, questions)
        if key_of(line[guidance.start :]) in (key_of(way.as_word) for way in guidance.candidates):
            line = f"{line} "
            guidance = guide(line, len(line), self.audience.context, questions)
        return [
            Continuation(way.text, f"{line[: guidance.start]}{way.as_word}{'' if way.continues else ' '}", way.help)
            for way in guidance.candidates[:MOST_OFFERED]
        ]

    def outcome_of(self, choice: Choice) -> str | None:
        """The outcome of a choice in a sentence; "" if it is not known beforehand, None if it would be refused."""
        if choice.asks:
            return ""
        try:
            action = action_from(self.handler.log.rules, {"type": tag_of(choice.action), **choice.fields})
            sentence = foretell(self._conversation(Tap()), Understood((action,)), NOW)
            # without an outcome the sentence is the action's line, which the button says already
            return "" if sentence == line_of(self.audience.context, action) else sentence
        except RestsOnDraw:
            return ""
        except (Refusal, Invalid, Conflict):
            return None

    # -- doing it ------------------------------------------------------------------------------------------

    def do(self, tap: Tap) -> TapResult:
        """Do what a tap says. Raises Refusal, Invalid, Conflict, ChoiceGone, and what the log raises."""
        self.permissions.check_can_act()
        if tap.line:
            self.permissions.check_line(tap.line)
        again = self._earlier.recorded(tap)
        if again is None and tap.answers:
            again = self._earlier.answer_since(tap.at, self._actions_of(tap), by_another=True)
        if again is not None:
            return again
        try:
            return self._answer(tap)
        except Conflict as error:
            if self.permissions.is_referee:
                raise
            raise Refusal(None, RESTED_ON) from error
        except Unreported as error:
            raise _without_fields(error, tap) from None
        except OutcomeChanged as change:
            # a new tap at the table as it is now
            now = replace(tap, at=self.handler.log.last(), fingerprint=self.fingerprint(change.outcome))
            return ConfirmationNeeded((change.outcome,), now, why=f"{MOVED_ON} {NOW_IT_IS}")
        except AnswerFirst as first:
            question = self.about_open(first.question)
            if not question.choices:
                raise Refusal(None, f"{WAITS_FOR_CHOICE} {question.why}") from None
            return replace(question, why=f"{WAITS_FOR_CHOICE} {question.why}")

    def about_open(self, question: OpenQuestion) -> RulesQuestion:
        """A question that stands on the table, with the answers that this seat may give."""
        rules = self.handler.log.rules
        choices = (
            OfferedChoice(
                answer.says,
                Tap(question.last, action=msgspec.json.encode(answer.action).decode(), answers=(answer.sign,)),
            )
            for answer in question.answers
            if self.permissions.may_do(action_from(rules, answer.action))
        )
        return RulesQuestion(question.why, tuple(choices), is_turned_over=question.binds)

    def fingerprint(self, sentence: str) -> str:
        """The fingerprint of a sentence that is shown with a button now."""
        return fingerprint(self.handler.log.last(), sentence)

    def _check_before_recording(self, conversation: Conversation, tap: Tap, understood: Understood) -> None:
        """Raise AnswerFirst where something else waits for an answer.

        Raise OutcomeChanged for actions that would be recorded as another sentence than the tap was shown with.
        """
        self._open_questions.check(understood.actions)
        if not tap.fingerprint or is_of_turn(tap.fingerprint, self.handler.log.last()):
            return
        if conversation.reaches_back(understood):
            return  # what it changes is shown, and asked about, by itself
        outcome = foretell(conversation, understood, understood.backdating)
        if not is_of_sentence(tap.fingerprint, outcome):
            raise OutcomeChanged(outcome)

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
                case Ask(kind="field"):
                    return _about_line(step, tap)
                case Ask(kind="conflicts") if not signs:
                    return self._about_later(step, tap)
                case Ask(kind="confirm", preview=preview) if preview is not None and (
                    confirmation := self._to_confirm(preview, step, tap)
                ):
                    return confirmation
                case Ask() if signs or step.kind == "confirm":
                    answer = step.answered_by(signs[0] if signs else "yes")
                    if answer is None and tap.choice:
                        raise ChoiceGone
                    if answer is None:
                        # another answer was shown than there is now
                        upto_here = replace(tap, answers=tap.answers[: len(tap.answers) - len(signs)])
                        return self._asked(step, upto_here, f"{MOVED_ON} {step.why}")
                    signs = signs[1:]
                    step = conversation.choose(answer)
                case Ask():
                    return self._asked(step, tap, step.why)
                case TypeOn(choice=choice) if choice is not None:
                    return FormNeeded(choice, self._actions_of(tap).backdating.after or "")
                case TypeOn(error=error) if error is not None:
                    raise error
                case Question():
                    return step
                case _:
                    return result

    def _asked(self, ask: Ask, tap: Tap, why: str) -> RulesQuestion:
        understood = self._actions_of(tap)
        is_for_a_player = self._is_for_a_player(ask, understood)
        question = self._open_questions.ask(ask) if ask.drawn or is_for_a_player else None
        mark = question.mark if question is not None and is_for_a_player else ""
        return RulesQuestion(why, self._choices_of(ask, tap, understood), ask.drawn, mark)

    def _is_for_a_player(self, ask: Ask, understood: Understood) -> bool:
        """Whether the referee is asked how somebody else's character bears it, as to suffer a hit or to negate it.

        Not of one of several, nor of what happened earlier: the answer of a phone would be all that is recorded.
        """
        if len(understood.actions) > 1 or understood.manner:
            return False
        choices = [answer.choice for answer in ask.answers if answer.choice is not None]
        people, kinds = {about(choice) for choice in choices}, {choice.action for choice in choices}
        if not self.permissions.is_referee or ask.kind != "rules" or (len(people), len(kinds)) != (1, 1):
            return False
        sheet = self.handler.state().characters.get(next(iter(people)) or "")
        return bool(getattr(sheet, "player", None))

    def _about_later(self, ask: Ask, tap: Tap) -> RulesQuestion:
        """What becomes of later turns that stand in the way. Raises Conflict for a player, who may not settle it."""
        if not self.permissions.is_referee or (tap.sure and ask.preview is None):
            raise Conflict(ask.conflicts)  # of what was agreed to: no answer to that brings these with it
        turns = (f"T{later.turn}: {later.refusal}" for later in ask.conflicts)
        answers = [answer for answer in ask.answers if answer != ask.leaving]
        unseen = replace(tap, sure=False)  # what comes of the answer
        choices = self._choices_of(replace(ask, answers=tuple(answers)), unseen, self._actions_of(tap))
        return RulesQuestion(" ".join((ask.why, *turns)), choices)

    def _begin(self, conversation: Conversation, tap: Tap) -> Step:
        if tap.choice:
            return conversation.take(self._choice(tap.choice))
        if tap.line:
            return conversation.say(tokenize(tap.line))
        understood = self._actions_of(tap)
        return conversation.do(understood, understood.backdating)

    def _conversation(self, tap: Tap) -> Conversation:
        conversation = Conversation(
            self.handler,
            self.audience,
            by=self.permissions.by,
            questions=self.permissions.questions,
            confirms=True if self.permissions.is_referee else "always",
            admits=self.permissions.admit,
            before_recording=lambda understood: self._check_before_recording(conversation, tap, understood),
            turn_id=lambda nth: self._earlier.turn_id(tap, nth),
        )
        return conversation

    def _to_confirm(self, preview: ActionPreview, ask: Ask, tap: Tap) -> ConfirmationNeeded | None:
        """What it changes of earlier turns, as this seat may know it beforehand; None: the tap was shown with that.

        A player is always shown what the own line was, and where nobody keeps a secret all that comes of it.
        """
        eyes = None if self.permissions.is_referee else self.audience.eyes
        if eyes is not None:
            targets = revision_targets(self.handler, preview.turns[0].action, eyes)
            lines = [
                f"T{target.turn} {target.how}: {' Becomes: '.join(filter(None, (plain(target.parts), target.change)))}"
                for target in targets
            ]
        else:
            lines = revision_lines(self.handler, preview, self.audience.eyes, Page(), ask.keeping)
        changes = "\n".join(lines)
        if tap.sure and (not tap.fingerprint or is_of_sentence(tap.fingerprint, changes)):
            return None
        agrees = replace(tap, sure=True, fingerprint=self.fingerprint(changes))
        keeps = replace(agrees, answers=(*tap.answers, "keep")) if ask.answered_by("keep") is not None else None
        confirmation = ConfirmationNeeded(tuple(lines), agrees, keeps)
        return confirmation if ask.why == CONFIRM else replace(confirmation, why=ask.why)

    def _actions_of(self, tap: Tap) -> Understood:
        """The actions that are meant before the rules have asked anything; none where that has to be chosen first."""
        if tap.line:
            return self._conversation(tap).understand(tokenize(tap.line))
        if tap.action:
            try:
                value = msgspec.json.decode(tap.action)
            except (msgspec.DecodeError, RecursionError):
                value = None
            together = value if isinstance(value, list) else [value]
            if not 0 < len(together) <= MOST_TOGETHER or not all(isinstance(value, dict) for value in together):
                raise Invalid(NO_FORM)
            actions = tuple(action_from(self.handler.log.rules, value) for value in together)
            return Understood(actions, manner={"after": tap.after} if tap.after else {})
        if not tap.choice:
            raise Invalid("There is no line to record.")
        return Understood()

    def _choices_of(self, ask: Ask, tap: Tap, understood: Understood) -> tuple[OfferedChoice, ...]:
        """The answers of a question, each with the tap that gives it and its outcome, unless that is an earlier one."""
        cards, choices = self.audience.cards(), [answer.choice for answer in ask.answers]
        foresees = len(choices) <= MOST_FORESEEN and not understood.backdating
        outcomes = [self.outcome_of(choice) if choice is not None and foresees else "" for choice in choices]
        return tuple(
            OfferedChoice(
                label_of(answer.choice) if answer.choice is not None else answer.says,
                replace(tap, answers=(*tap.answers, answer.sign), fingerprint=self.fingerprint(outcome or "")),
                outcome or "",
                card_of(answer.choice, cards) if answer.choice is not None else None,
                is_grave=answer.choice is not None and answer.choice.is_grave,
                is_open=answer.choice is not None and bool(answer.choice.asks),
            )
            for answer, outcome in zip(ask.answers, outcomes, strict=True)
        )

    def _choice(self, sign: str) -> Choice:
        """A choice that settles what is open now. Raises ChoiceGone."""
        choice = self.audience.choice_of(sign)
        if choice is None:
            raise ChoiceGone
        return choice


def _without_fields(error: Unreported, tap: Tap) -> Unreported:
    """What has to be said yet, without names of fields where nothing was typed."""
    return error if tap.line else Unreported(error.without_fields, error.example, error.without_fields)


def _about_line(ask: Ask, tap: Tap) -> RulesQuestion:
    """What a line leaves open, each answer with the whole line that it makes."""
    choices = [OfferedChoice(answer.label or answer.says, replace(tap, line=answer.line)) for answer in ask.answers]
    return RulesQuestion(ask.why, tuple(choices))
