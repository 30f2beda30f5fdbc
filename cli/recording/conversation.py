"""The driver of ask, preview, confirm and record: one state machine without input or output.

It is fed what was typed or chosen and answers with the next step: what to show, what to ask, what was recorded. The
shell, the table and the page are faces of it; what is recorded is in the log before its step is given.
"""

from collections.abc import Callable, Collection, Generator, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec.structs import replace

from cli.line.errors import LineError
from cli.line.people import people_at
from cli.line.spelling import line_to_report, start_of_line
from cli.line.trials import refusal_of
from cli.line.understanding import Understood, backdating_of, understand
from cli.line.words import Line, line_of_arguments, quote, tokenize
from cli.recording.audience import Audience
from cli.recording.authorship import author, moment
from cli.recording.choosing import (
    KEYS,
    LEFT_ALONE,
    Choosing,
    completed,
    completed_choice,
    counted_off,
    in_the_way,
    is_typed,
    left_open,
    newly_pending,
    question_of,
)
from cli.recording.confirming import comes_to_more, keeping_results, question_about, with_conflicts
from cli.recording.steps import LEAVE, Answer, Ask, Done, Previewed, Step, TurnsRecorded, TypeOn, answers_of, keys_for
from domain.choice import Choice
from domain.common.revisions import Undo
from domain.log.backdating import NOW, Backdating
from domain.log.command_handler import Command, CommandHandler
from domain.log.open_questions import completed_by_report
from domain.log.revising import Outcome
from domain.refusal import Conflict, Invalid, LaterTurn, Refusal, ReportedShort, Unreported
from domain.registry import action_from, tag_of
from domain.system.pending import PendingDecision
from domain.system.secrets import lies_face_down
from domain.system.state import Game
from domain.turn import Action
from projections.secrecy import TABLE

if TYPE_CHECKING:  # most of what is recorded changes nothing recorded before
    from projections.preview import ActionPreview

#: A part of a conversation: steps out; answers, typed text, or nothing in.
Flow = Generator[Step, Any, None]
#: The same with what was decided at its end; None: it was left, and nothing was done.
Deciding = Generator[Step, Any, tuple[Action, ...] | None]
#: The turns to append, and the preview of them that was shown; None: nothing is done.
Confirmed = tuple[list[Command] | None, "ActionPreview | None"]
#: The same, once it is confirmed.
Confirming = Generator[Step, Any, Confirmed]
#: Said of a face-down choice that is refused, where everybody looks on.
TAKEN = "That is chosen already."
#: Said of what may be settled later as well.
LATER = "later"
#: The answers where later results may stay as they were announced, or be decided again.
KEEP = "yes, and keep the later results as they were announced"
DECIDE_AGAIN = "yes, and decide them again"


class Conversation:
    """What somebody says to one log, line by line; `audience` are those who look on.

    `by`: who says it, where a line does not. `questions`: the reading commands that a line may ask. `asks`: somebody is
    there to answer; else what is missing or stands in the way is raised. `confirms`: changes of earlier turns are shown
    and asked for ("always": those of one's own latest line too). `settles`: what a turn leaves open is asked next.
    `dry_run`: nothing is recorded. `admits` gives what may be said here, or raises Refusal. `before_recording` is
    given the actions once the rules have nothing left to ask about them, and stops them by raising. `turn_id` gives the
    id of the turn that the nth action makes, `via` is what says it in somebody's name.

    Each method gives the next step. A step that raises ends the conversation: nothing more is open.
    """

    def __init__(
        self,
        handler: CommandHandler,
        audience: Audience,
        *,
        by: str | None = None,
        questions: Sequence[str] = (),
        asks: bool = True,
        confirms: bool | str = True,
        settles: bool = False,
        dry_run: bool = False,
        admits: Callable[[Understood], Understood] = lambda understood: understood,
        before_recording: Callable[[Understood], None] = lambda _: None,
        turn_id: Callable[[int], str | None] = lambda _: None,
        via: Literal["assistant"] | None = None,
    ) -> None:
        self.handler, self.audience, self.by, self.questions = handler, audience, author(by), questions
        self.asks, self.confirms, self.settles, self.dry_run = asks, confirms, settles, dry_run
        self.admits, self.before_recording, self.turn_id, self.via = admits, before_recording, turn_id, via
        self.step: Step = Done()
        self._flow: Flow | None = None
        #: the line that is being done
        self._typed = ""
        #: what its time was taken as, where the clock showed it twice
        self._heard: list[str] = []

    # -- what is fed ---------------------------------------------------------------------------------------

    def type(self, text: str, after: str | None = None) -> Step:
        """A line, or the rest of one that was left to be typed on.

        `after`: the turn directly after which a line is backdated that revises nothing and names no place itself.
        """
        beginning = self.step.beginning if isinstance(self.step, TypeOn) else None
        if beginning is not None and (text.startswith(beginning) or text.rstrip() == beginning.rstrip()):
            return self._advance(text)
        return self.say(tokenize(text), after)

    def say(self, line: Line, after: str | None = None) -> Step:
        """A line by its words."""
        return self._start(self._understand(line, after))

    def do(self, understood: Understood, backdating: Backdating = NOW, line: str = "") -> Step:
        """Actions that are understood already, perhaps from a line."""
        self._typed = line
        return self._start(self._carry_out(understood, backdating))

    def take(self, choice: Choice) -> Step:
        """A way to settle what is open."""
        return self._start(self._settle(choice))

    def take_back(self, turn: int) -> Step:
        """Undo a turn, or an undo; the effects are always shown first."""
        action = Undo(turns=(turn,))
        return self._start(self._carry_out(Understood((action,)), NOW, always=True))

    def choose(self, key: str | Answer) -> Step:
        """Answer the open question, by key or by sign. Raises KeyError for what is none of its answers."""
        answer = key if isinstance(key, Answer) else self._ask.answered_by(key)
        if answer is None:
            raise KeyError(key)
        return self._advance(answer)

    def proceed(self) -> Step:
        """Go on after a step that was only shown."""
        return self._advance(None)

    def leave(self) -> None:
        """Leave what is open unanswered: nothing more is done. What is recorded stays."""
        self._flow, self.step = None, Done()

    @property
    def _ask(self) -> Ask:
        if not isinstance(self.step, Ask):
            raise KeyError("no question is open")
        return self.step

    def _start(self, flow: Flow) -> Step:
        self._flow = flow
        return self._advance(None)

    def _advance(self, answer_fed: Any) -> Step:
        if self._flow is None:
            return self.step
        try:
            self.step = self._flow.send(answer_fed)
        except StopIteration:
            self.leave()
        except BaseException:
            self.leave()
            raise
        return self.step

    # -- a line --------------------------------------------------------------------------------------------

    def whole(self, text: str, after: str | None = None) -> Line:
        """The line that is meant by what stands in the line: typed for what may be settled later, it may be another."""
        step, line = self.step, tokenize(text)
        if not isinstance(step, TypeOn) or step.settles is None or not text.startswith(step.beginning):
            return line
        return self._line_meant(line, text[len(step.beginning) :], after)

    def _line_meant(self, line: Line, more: str, after: str | None) -> Line:
        """Decide whether `more`, typed for the rest of a line, completes `line` or is a line of its own.

        It is one of its own if only by itself it can be understood, or if it says by itself what the rules do to
        somebody.
        """
        other, context = tokenize(more), self.audience.context
        try:
            alone = understand(other, context, self.questions, after)
        except (Invalid, Refusal):
            return line
        try:
            understand(line, context, self.questions, after)
        except (Invalid, Refusal):
            return other
        is_of_somebody = any(type(action) in context.system.actions for action in alone.actions) and any(
            people_at(context, other, at) is not None for at in range(1, min(3, len(other.words)))
        )
        return other if is_of_somebody else line

    def understand(self, line: Line, after: str | None = None) -> Understood:
        """What a line means, if it is about nobody else's secrets. Raises LineError, Invalid and Refusal."""
        understood = understand(line, self.audience.context, self.questions, after)
        for action in understood.actions:
            self.audience.must_be_own(action)
        return understood

    def _understand(self, line: Line, after: str | None) -> Flow:
        """Understand a line, asking for the fields that it lacks one after another, and carry it out."""
        kept: dict[str, str] = {}
        while True:
            try:
                understood = self.understand(line, after)
                break
            except LineError as error:
                if not self.asks or not error.missing or error.lacks is None or error.state is None:
                    raise
                question = counted_off(self.audience.system, error.state, error.lacks)
                if question is None:
                    yield from self._let_type_on(left_open(line, error.lacks), line, error, after)
                    return
                why, values = question
                keys = keys_for([says for _, says, _ in values], KEYS, kept)
                answers = tuple(
                    Answer(key, says, f"={value}", line=f"{line.text.rstrip()} {quote(value)}", label=label)
                    for key, (value, says, label) in zip(chain(keys, repeat("")), values, strict=False)
                )
                ask = Ask("field", why, answers)
                # what is refused now says nothing of the turn that is looked back to
                answer = (yield from self._ask_until_allowed(ask)) if after is None else (yield ask)
                kept = {other.says: other.key for other in answers}
                line = line.followed_by(line_of_arguments([answer.sign.removeprefix("=")]))
        if understood.question is not None:
            yield understood.question
            return
        self._typed = line.text
        yield from self._carry_out(understood, backdating_of(understood, after))

    def _let_type_on(
        self, beginning: str, line: Line | None, error: Invalid | None = None, after: str | None = None, **about: Any
    ) -> Flow:
        """Let a line be typed on until it can be understood, or nothing is typed behind it."""
        failure: Invalid | Refusal | None = error
        asked = error.lacks if isinstance(error, LineError) else about.get("choice")
        while True:
            text = yield TypeOn(beginning, failure, **about)
            more = text[len(beginning) :] if text.startswith(beginning) else ""
            if not more.strip():
                return
            whole = tokenize(text) if line is None else line.followed_by(tokenize(text[len(line.text) :].strip()))
            meaning = self._line_meant(whole, more, after)
            if meaning is not whole and "settles" not in about:  # what is open would be dropped for it
                failure = LineError(f"{more.strip()!r} is a line of its own; in quotes it is words.")
                continue
            try:
                question = self.understand(meaning, after).question
            except (Invalid, Refusal) as error_now:
                # what it still lacks is asked for in its turn; what did not answer the question is not kept as words
                lacks = error_now.lacks if isinstance(error_now, LineError) and error_now.missing else None
                if lacks is None or (asked is not None and lacks.asks[:1] == asked.asks[:1]):
                    failure = error_now
                    continue
            else:
                if question is not None:
                    yield question
                    failure = None
                    continue
            yield from self._understand(meaning, after)
            return

    # -- what the rules ask --------------------------------------------------------------------------------

    def first_question(
        self, understood: Understood, backdating: Backdating, answered: Sequence[str] = ()
    ) -> Ask | None:
        """What the rules would ask first about actions, before anything is done or drawn; None: nothing.

        `answered`: the signs of answers that were given already, behind which the next question comes.
        """
        if self._refused_of_several(understood, backdating) is not None:
            return None
        state = self._known_at(understood, backdating)
        deciding = completed(self.handler, understood.actions, state, backdating, draws=False)
        asking = self._ask_rules(deciding, late=bool(backdating))
        step = next(asking, None)
        for sign in answered:
            answer = step.answered_by(sign) if isinstance(step, Ask) else None
            if answer is None:
                return None
            try:
                step = asking.send(answer)
            except StopIteration:
                return None
        return step if isinstance(step, Ask) else None

    def _refused_of_several(self, understood: Understood, backdating: Backdating) -> Refusal | Invalid | None:
        """The refusal of one of several actions whatever is answered: nothing is asked about the others then."""
        actions = understood.actions if len(understood.actions) > 1 and not backdating else ()
        if not actions or not all(map(self.audience.may_see_preview_of, actions)):
            return None
        refusals = (refusal_of(self.audience.context, [action]) for action in actions)
        return next((refusal for refusal in refusals if refusal is not None), None)

    def _known_at(self, understood: Understood, backdating: Backdating) -> Game:
        """The state in which actions are decided at this place, as the audience may know it."""
        places = (self.handler.state_at_place(action, backdating) for action in understood.actions if backdating)
        return self.audience.known(next(places, None))

    def comes_first(
        self, understood: Understood, backdating: Backdating, preview: "ActionPreview | None"
    ) -> Literal["asks", "records", "draws", "looks back"]:
        """What doing actions begins with: a question, their record, or a draw or a look back that decides.

        `preview` is theirs; None where it would reach too far back, or is not to be seen.
        """
        if self.first_question(understood, backdating) is not None:
            return "asks"
        if self.reaches_back(understood, backdating):
            if preview is None:
                return "looks back"
            is_sure = preview.only_latest and self.confirms != "always"
            return "records" if is_sure and not preview.conflicts else "asks"
        may_ask = any(type(action).open_decision is not Action.open_decision for action in understood.actions)
        return "draws" if may_ask and preview is not None and preview.open else "records"

    def _settle(self, choice: Choice) -> Flow:
        """Complete a choice and carry its action out."""
        deciding = completed_choice(self.handler, choice, self.audience.known())
        actions = yield from self._ask_rules(deciding, filling=bool(choice.asks))
        if actions is not None:
            yield from self._carry_out(Understood(actions), NOW, is_decided=True)

    def _ask_rules(self, deciding: Choosing, *, filling: bool = False, late: bool = False) -> Deciding:
        """Ask each decision that `deciding` yields, and return the actions that it comes to.

        `filling`: the first one is for an open field of a choice. What fills an open field is always asked, even if
        only one answer is left. `late`: it is about an earlier place, so that what is refused now says nothing of it.
        """
        choice: Choice | None = None
        kept: dict[str, str] = {}
        while True:
            try:
                decision = next(deciding) if choice is None else deciding.send(choice)
            except StopIteration as stop:
                if not isinstance(stop.value, Choice):
                    return tuple(stop.value)
                yield from self._let_type_on(start_of_line(self.audience.context, stop.value), None, choice=stop.value)
                return None
            choices = decision.choices if late else self._without_refused(decision.choices)
            if len(choices) == 1 < len(decision.choices) and not filling:
                (choice,) = choices  # what was reported with it says which
            else:
                ask = Ask("rules", decision.why, answers_of(choices, kept=kept), drawn=decision.drawn)
                answer = (yield ask) if late else (yield from self._ask_until_allowed(ask))
                choice, kept = answer.choice, {other.says: other.key for other in ask.answers if other.says}
            filling = choice is not None and bool(choice.asks)

    def _ask_until_allowed(self, ask: Ask) -> Generator[Step, Answer, Answer]:
        """Ask again where an answer is refused beside others that are not, so that no earlier answer is lost."""
        answer = yield ask
        while (refusal := self._refusal_of_answer(answer)) and not all(map(self._refusal_of_answer, ask.answers)):
            kinds = [answer.choice.action] if answer.choice is not None else map(type, self._meant(answer).actions)
            reason = TAKEN if self.audience.eyes == TABLE and any(map(lies_face_down, kinds)) else refusal.reason
            answer = yield replace(ask, why=f"{reason} {ask.why}")
        return answer

    def _refusal_of_answer(self, answer: Answer) -> Refusal | Invalid | None:
        """The refusal of what an answer makes whole; None: there is none, or more is still to be asked."""
        if answer.choice is not None and answer.choice.asks:
            return None
        try:
            return self._refusal_of(self._meant(answer))
        except (Invalid, Refusal):
            return None

    def _meant(self, answer: Answer) -> Understood:
        """What an answer makes whole. Raises Invalid and Refusal where its line still needs more."""
        if answer.choice is None:
            return self.understand(tokenize(answer.line)) if answer.line else Understood()
        return _meaning_of(answer.choice, self.handler.log.rules)

    def _without_refused(self, choices: Sequence[Choice]) -> Sequence[Choice]:
        """The choices that are not refused whatever is drawn; all of them where every one is.

        On a shared screen what lies face down is not left out: which cards can be the other one says which the first
        one is.
        """
        possible_choices = [choice for choice in choices if self._may_be_allowed(choice)]
        return possible_choices or choices

    def _may_be_allowed(self, choice: Choice) -> bool:
        if choice.asks or (self.audience.eyes == TABLE and lies_face_down(choice.action)):
            return True
        return self._refusal_of(_meaning_of(choice, self.handler.log.rules)) is None

    def _ask_pending(self, decisions: Sequence[PendingDecision]) -> Flow:
        """Ask about what turns have left open, as the rules do, and record what settles it."""
        system = self.handler.system
        for decision in decisions:
            state = self.handler.state()
            if decision not in system.pending_for_anyone(state):
                continue
            if is_typed(system, state, decision):
                (choice,) = decision.choices
                yield from self._let_type_on(
                    start_of_line(self.audience.context, choice), None, settles=decision, choice=choice
                )
                continue
            answers = answers_of(decision.choices, decision.leave or LATER)
            answer = yield Ask("open", question_of(decision), answers, stands=self.handler.number)
            if answer.choice is not None:
                yield from self._settle(answer.choice)

    # -- doing it ------------------------------------------------------------------------------------------

    def reaches_back(self, understood: Understood, backdating: Backdating | None = None) -> bool:
        """Whether what is understood may change earlier turns, and so is previewed and confirmed before it is done."""
        place = understood.backdating if backdating is None else backdating
        return any(command.reaches_back for command in self.commands(understood.actions, understood, place))

    def commands(self, actions: Sequence[Action], understood: Understood, backdating: Backdating) -> list[Command]:
        """The actions as they are recorded: by whom, when, where in the log, under which id."""
        at = moment(understood.manner.get("when"), self._heard.append)
        by = author(understood.manner.get("by")) or self.by
        return [
            Command(action, by=by, at=at, turn_id=self.turn_id(nth), backdating=backdating, via=self.via)
            for nth, action in enumerate(actions)
        ]

    def _carry_out(
        self, understood: Understood, backdating: Backdating, *, is_decided: bool = False, always: bool = False
    ) -> Flow:
        """Do what a line was understood as: ask what the rules ask, preview and confirm where it revises, append.

        `is_decided`: the rules were asked already. `always`: it is confirmed even if it is one's own latest line.
        """
        understood = self.admits(understood)
        actions: tuple[Action, ...] | None = understood.actions
        if self.asks and not is_decided:
            if (refusal := self._refused_of_several(understood, backdating)) is not None:
                raise refusal
            deciding = completed(self.handler, understood.actions, self._known_at(understood, backdating), backdating)
            try:
                actions = yield from self._ask_rules(deciding, late=bool(backdating))
            except Conflict as error:
                commands = self.commands(understood.actions, understood, backdating)
                settled = yield from self._settle_conflicts(commands, error.turns)
                yield from self._append(settled, understood)
                return
            if actions is None:
                return
            self.admits(replace(understood, actions=actions))
        self.before_recording(replace(understood, actions=actions or ()))
        commands = self.commands(actions or (), understood, backdating)
        if self.dry_run:
            yield Previewed(self._preview(commands))
            return
        confirmed: Confirmed = commands, None
        if self.confirms and any(command.reaches_back for command in commands):
            preview = self._preview(commands)
            if (turns := preview.possible_conflicts) and self.asks:
                confirmed = yield from self._settle_conflicts(commands, turns, preview)
            elif not preview.conflicts and (always or self.confirms == "always" or not preview.only_latest):
                confirmed = yield from self._confirm(commands, preview)
        try:
            yield from self._append(confirmed, understood)
        except Conflict as error:  # which no simulation met: only the real draws lead to it
            if not self.asks:
                raise
            settled = yield from self._settle_conflicts(commands, error.turns)
            yield from self._append(settled, understood)

    def _refusal_of(self, understood: Understood) -> Refusal | Invalid | None:
        """The refusal of what is understood, as far as the audience may know it beforehand; None: there is none."""
        if not all(map(self.audience.may_see_preview_of, understood.actions)):
            return None
        from projections.preview import RestsOnDraw  # what the rules ask about is hardly ever refused

        try:
            self._preview(self.commands(understood.actions, understood, understood.backdating))
        except (Conflict, Unreported, ReportedShort, RestsOnDraw):
            return None  # that is asked for, or said, by itself
        except (Refusal, Invalid) as refusal:
            return refusal
        return None

    def _preview(self, commands: Sequence[Command]) -> "ActionPreview":
        from projections.preview import simulate

        return simulate(self.handler, *commands)

    def _settle_conflicts(
        self, commands: list[Command], turns: Sequence[LaterTurn], preview: "ActionPreview | None" = None
    ) -> Confirming:
        """Ask what becomes of later turns that are no longer legal, and for what else then comes of it."""
        why, settled = in_the_way(len(turns), is_certain=preview is None or bool(preview.conflicts))
        # digits, as a line typed too early begins with a letter, or with the capital of a name
        ways = (*settled.items(), (LEAVE, LEFT_ALONE))
        answers = [Answer(key, says, how) for key, (how, says) in zip(KEYS, ways, strict=False)]
        answer = yield Ask("conflicts", why, tuple(answers), preview, conflicts=tuple(turns))
        if answer.sign == LEAVE:
            return None, preview
        commands = with_conflicts(commands, answer.sign)
        if not self.confirms:
            return commands, preview
        whole_preview = self._preview(commands)
        if comes_to_more(self.handler, commands, whole_preview, turns):
            return (yield from self._confirm(commands, whole_preview))
        return commands, preview

    def _confirm(self, commands: list[Command], preview: "ActionPreview") -> Confirming:
        """Show what a change of earlier turns comes to, and ask for it."""
        keeping = keeping_results(commands, preview, self._preview, self.handler.system)
        ways = [("keep", KEEP), ("yes", DECIDE_AGAIN)] if keeping else [("yes", "yes")]
        answers = [Answer(key, says, sign) for key, (sign, says) in zip(KEYS, [*ways, ("no", "no")], strict=False)]
        why = question_about(self.handler, commands, preview)
        answer = yield Ask("confirm", why, tuple(answers), preview, keeping[1] if keeping else None)
        if keeping and answer.sign == "keep":
            return keeping
        return None if answer.sign == "no" else commands, preview

    def _append(self, confirmed: Confirmed, understood: Understood) -> Flow:
        """Append the turns that are confirmed, and ask about the decisions that they leave pending."""
        commands, preview = confirmed
        if commands is None:
            return
        handler = self.handler
        notice = self._notice(understood)
        before = handler.state().copy()
        outcomes = handler.record_together(commands) if len(commands) > 1 else [self._record(*commands)]
        pending = newly_pending(handler.system, before, handler.state()) if self.settles and self.asks else []
        revises = any(command.reaches_back for command in commands)
        yield TurnsRecorded(tuple(outcomes), before, preview, revises, tuple(pending), notice)
        yield from self._ask_pending(pending)

    def _notice(self, understood: Understood) -> str:
        """What is said beside what the rules decide: who was left out, and which of two hours it was."""
        said = list(dict.fromkeys(self._heard))
        self._heard.clear()
        if any(type(action) in self.handler.system.actions for action in understood.actions):
            from cli.line.notices import notice_of_absence

            said.append(notice_of_absence(self.audience.context, understood))
        return "\n".join(filter(None, said))

    def _record(self, command: Command) -> Outcome:
        """One turn. What the table has to report and did not is asked for with a line that says all of it."""
        handler = self.handler
        try:
            return handler.handle(command)
        except (Unreported, ReportedShort) as error:
            whole = None if command.backdating else completed_by_report(handler, command.action, error)
            if whole is None:
                raise
            example, reasons = whole
            if isinstance(error, ReportedShort):
                choice = _with_gaps(command.action, error.example)
                raise Refusal(error.rule, error.reason, (choice,)) from None
            line = line_to_report(self.audience.context, self._typed, command.action, example)
            reason = f"{' '.join(reasons).removesuffix('.')}: {line}"
            raise Unreported(reason, error.example, error.without_fields) from None


def _meaning_of(choice: Choice, rules: str) -> Understood:
    """A choice that is whole, as a line that says it would be understood."""
    return Understood((action_from(rules, {"type": tag_of(choice.action), **choice.fields}),))


def _with_gaps(action: Action, reports: Collection[str]) -> Choice:
    """An action as something to be typed, with a gap behind what was reported of these fields."""
    fields: dict[str, Any] = msgspec.to_builtins(action)
    gaps = {key: [*fields.get(key, ()), key.upper()] for key in reports}
    return Choice(type(action), {key: value for key, value in (fields | gaps).items() if key != "type"})
