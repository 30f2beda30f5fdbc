"""One campaign at the table, as text: the reply to a line or a key, and the preview of a line.

The screen, the plain prompt and standard input are faces of it. Asking and recording is the work of the conversation;
here its steps become lines to show.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from cli.line.context import Context
from cli.line.errors import LineError
from cli.line.guiding import Candidate, Guidance, Slot, guide
from cli.line.manner import happened_after
from cli.line.notices import notice_of_absence, outside_a_session
from cli.line.spelling import line_of_choice, start_of_line
from cli.line.trials import reason_now, refused_with
from cli.line.understanding import Question, Understood, backdating_of, beginning_of, kind_of, replacing, understand
from cli.line.verbs import Verb, parts_of
from cli.line.words import tokenize
from cli.recording.audience import Audience
from cli.recording.choosing import KEYS
from cli.recording.conversation import Conversation
from cli.recording.foretelling import foretell, foretold
from cli.recording.steps import Answer, Ask, Done, Step, TurnsRecorded, TypeOn
from cli.shell.ending import CONFLICT, REFUSED, USAGE
from cli.shell.failures import explanation
from cli.shell.words import from_file
from cli.store.failures import Unopenable
from cli.table.commands import (
    answer_to,
    help_of,
    in_words_of_the_table,
    preview_of_question,
    questions_of,
    shell_only,
    without_dry_run,
)
from cli.table.face_down import FaceDownChoices, FaceDownLine
from cli.table.proposals import Proposals, in_words
from cli.table.replies import Enter, KeyChoice, KeyQuestion, LinePreview, Reply
from cli.table.step_lines import StepLines
from cli.table.surface import Surface
from cli.terminal.answers import afterword, words_alone
from cli.terminal.screen import safe, width
from domain.choice import Choice
from domain.common.revisions import REVISIONS, Amend
from domain.common.rulings import Ruling
from domain.common.sessions import SessionClose
from domain.common.tracking import Track
from domain.log.command_handler import CommandHandler
from domain.log.effective_history import effective_turns
from domain.log.hash_chain import seal_of
from domain.log.points import number_in
from domain.log.port import DamagedLog, Log, MaybeSaved, NotSaved
from domain.refusal import Conflict, Invalid, Refusal
from domain.registry import action_from, does_not_fit, tag_of, verb_name
from domain.system.field_schema import fields_of
from domain.system.paragraphs import known_rule, paragraphs_of
from domain.system.rulesystem import RuleSystem
from domain.system.secrets import lies_face_down
from domain.system.state import Game
from domain.turn import Action
from projections.chronicle import Entry
from projections.preview import RestsOnDraw
from projections.secrecy import TABLE

#: Preview of a line whose first word begins no verb and is near none.
NO_VERB = "No verb begins like that; ? lists them."
#: Reply where a question was answered with no.
NOTHING_DONE = "Nothing was done."
#: Errors of doing a line that become replies.
FAILURES = (Invalid, Refusal, Conflict, NotSaved, MaybeSaved, DamagedLog, Unopenable, OSError)
#: Errors of reading the log, as when a server is gone.
UNREAD = (DamagedLog, Unopenable)


class OpenTable:
    """A campaign that is open for writing while people play.

    `address` is the campaign's value for -c, for questions that commands of the shell answer; `by` is recorded as the
    author; `viewer` is the one seat that looks on; with `paints` replies hold codes for colours; without `asks` nobody
    is there to answer, and nothing is confirmed; with `hints` a reply lists the pending decisions.
    """

    def __init__(
        self,
        log: Log,
        system: RuleSystem,
        handler: CommandHandler,
        *,
        address: str = "",
        by: str | None = None,
        viewer: str | None = None,
        paints: bool = False,
        asks: bool = True,
        hints: bool = True,
    ) -> None:
        self.log, self.system, self.handler = log, system, handler
        self.address, self.surface = address, Surface(paints=paints)
        self.audience = Audience(log, system, handler.state, viewer=viewer, reads=from_file)
        self.proposals = Proposals(self.audience)
        self._secret = FaceDownChoices(self.audience)
        self._step_lines = StepLines(self.surface, self.audience, handler, hints=hints)
        questions = questions_of(system)
        self.conversation = Conversation(handler, self.audience, by=by, questions=questions, asks=asks, confirms=asks)
        #: the open menu of a turn: what each key does
        self._menu: dict[str, Callable[[], Reply]] = {}
        self._line = tokenize("")
        #: the turn that is looked back to, as `T4`: a line is recorded late, directly after it; None: the present
        self.place: str | None = None
        #: the face-down choice that is being made, by line or by keys, and that a shared screen must not show
        self._face_down: Choice | None = None
        #: what lines are guided in after a turn (None: now), with what was tried there before, and at which last turn
        self._guiding: tuple[tuple[int, int | None], Context] | None = None

    @property
    def eyes(self) -> str | None:
        """Whose knowledge limits what is shown: a seat's, or everybody's at the table; None: no limit."""
        return self.audience.eyes

    def sheets(self, state: Game) -> dict[str, dict[str, Any]]:
        """The sheets in a state, as far as those who look on may know them."""
        return self.audience.sheets(state)

    def chronicle(self, after: int) -> Iterator[Entry]:
        """The turns after one, as far as those who look on may know them."""
        return self.audience.chronicle(after)

    def has_chosen(self, columns: int | None = None) -> str:
        """Who has made a face-down choice; only how many if the names take more than `columns`."""
        whole = self.audience.has_chosen()
        return whole if columns is None or width(whole) <= columns else self.audience.has_chosen(whole=False)

    def sealed(self) -> str:
        """The seal of the session that the latest turn closes, with what it is for; "" where that closes none."""
        last = self.log.last()
        if not any(isinstance(turn.action, SessionClose) for turn in self.log.read(after=last - 1)):
            return ""
        seal = seal_of(last, self.log.link(last))
        return (
            f"The session is sealed: {seal}. Write that down: whoever has it can check that nothing was changed since."
        )

    def guide(self, text: str, cursor: int) -> Guidance:
        """The slots of the line, and what may stand at the cursor, the possible first; nothing while it is unseen."""
        if self.unseen_from(text) is not None:
            return Guidance()
        guidance = guide(text, cursor, self._context(text), self.conversation.questions)
        return replace(guidance, candidates=tuple(self._described(guidance.candidates)))

    def _described(self, candidates: Sequence[Candidate]) -> Iterator[Candidate]:
        """Candidates with what they are: commands with their help, turns with their sentences."""
        turns = [number for way in candidates if (number := number_in(way.text, "T")) is not None]
        sentences = {entry.turn: entry.sentence for entry in self.chronicle(min(turns) - 1)} if turns else {}
        for way in candidates:
            number = number_in(way.text, "T")
            if not way.help and number is not None:
                yield replace(way, help=sentences.get(number, ""))
            elif not way.help and way.text in self.conversation.questions:
                yield replace(way, help=help_of(way.text, self.system))
            else:
                yield way

    def _context(self, text: str) -> Context:
        """What a line is guided in: the context at its place in the log, with what was tried there before."""
        place = happened_after(tokenize(text), self.log, self.place)
        at = self.log.last(), place
        if self._guiding is None or self._guiding[0] != at:
            awaited = tuple(self.audience.choices()) if place is None else ()
            self._guiding = at, replace(self.audience.context.after(place), tried={}, awaited=awaited)
        return self._guiding[1]

    def _understand(self, text: str) -> Understood:
        """What a line means, at its place in the log. Raises LineError, Invalid and Refusal."""
        return understand(text, self.audience.context, self.conversation.questions, self.place)

    def kind_of(self, text: str) -> type[Action] | None:
        """The action of a line's verb; None for a command, or for none."""
        return kind_of(self.audience.context, tokenize(text), self.conversation.questions)

    def is_line(self, text: str) -> bool:
        """Whether a text is a line of its own: it can be read, or begins with the whole name of a verb or command."""
        context, line, questions = self.audience.context, tokenize(text), self.conversation.questions
        try:
            verb, at, _ = beginning_of(context, line, questions)
            names = (verb,) if isinstance(verb, str) else (verb.name, *verb.kind.synonyms)
            last = parts_of(line.words[at - 1].text)[-1:] if at else ()
            return last in [parts_of(name)[-1:] for name in names] or bool(self._understand(text))
        except FAILURES:
            return False

    def end_of_verb(self, text: str) -> int:
        """The index behind the verb of a line, which may have two words; 0 for none."""
        line = tokenize(text)
        try:
            _, at, _ = beginning_of(self.audience.context, line, self.conversation.questions)
        except FAILURES:
            return 0
        return line.words[at - 1].end if at else 0

    def beginning(self) -> str:
        """The beginning of a line that is to be completed before anything else is done; "" where none is."""
        step = self.conversation.step
        return step.beginning if isinstance(step, TypeOn) and step.settles is None else ""

    def _is_about_then(self, text: str) -> bool:
        """Whether a line puts another in the place of a turn, where what can be done now is no matter."""
        return replacing(self.audience.context, tokenize(text), self.conversation.questions) is not None

    def _help_of_verb(self, text: str) -> str:
        """The help of a line's verb in one line; "" for none."""
        kind = self.kind_of(text)
        return "" if kind is None else Verb("", kind).help

    def verb_of(self, text: str) -> str:
        """The whole name of a line's verb; "" for none."""
        kind = self.kind_of(text)
        return "" if kind is None else verb_name(kind)

    def missing(self, text: str) -> tuple[str, ...]:
        """The required fields that a line still needs, where nothing else is wrong with it."""
        if not text.strip():
            return ()
        try:
            self._understand(text)
        except LineError as error:
            return error.missing
        except FAILURES:
            return ()
        return ()

    def idle(self, text: str) -> str:
        """Why nobody whom an unfinished line may be about can do such a thing now; "" where somebody can."""
        if self._is_about_then(text):
            return ""
        try:
            self._understand(text)
        except LineError as error:
            if error.lacks is None or self.unseen_from(text) is not None:
                return ""
            own = self.audience.context.own()
            named = [error.lacks.fields.get(field.key) for field in fields_of(error.lacks.action)]
            whom = [name for name in own if name in named or any(isinstance(n, list) and name in n for n in named)]
            return reason_now(self._context(text), error.lacks.action, whom or own)
        except FAILURES:
            return ""
        return ""

    def unfit(self, text: str, key: str) -> str:
        """Why no line can be done in which a field has the value that it has in this one, which still needs others.

        "" where nothing is wrong with it, or where nothing else is needed: then the line itself says what is wrong.
        """
        try:
            self._understand(text)
        except LineError as error:
            if error.lacks is None or self.unseen_from(text) is not None:
                return ""
            kind, fields = error.lacks.action, error.lacks.fields
            wrong: Exception | None = does_not_fit(kind, key, fields[key]) if key in fields else None
            if wrong is None and not self._is_about_then(text):
                wrong = refused_with(self._context(text), kind, fields)
            return self._in_one_row(wrong) if wrong is not None else ""
        except FAILURES as error:
            return self._in_one_row(error)
        return ""

    def values_of(self, text: str, slot: Slot, at: int) -> tuple[Candidate, ...]:
        """What may be chosen for a slot of a line at an index in it; nothing of what is typed unseen."""
        before, context = f"{text[:at].rstrip()} ", self._context(text)
        named = f"{before}{slot.key}="
        if self.unseen_from(named) is not None:
            return ()
        kind = self.kind_of(before)
        if kind is not None and slot.key in kind.answers:
            return tuple(self._answers(before, context, kind, kind.answers[slot.key]))
        found = guide(named, len(named), context, self.conversation.questions).candidates
        own = (way for way in found if way.text.startswith(f"{slot.key}=") and not way.continues)
        values = [replace(way, text=way.text.removeprefix(f"{slot.key}=")) for way in own]
        people = [value for value in values if value.text in context.state.characters]
        is_legal_for_some = not people or any(not value.reason for value in people)
        return tuple(value for value in values if not value.reason) if is_legal_for_some else tuple(values)

    def _answers(
        self, before: str, context: Context, kind: type[Action], answers: Mapping[str, Mapping[str, Any]]
    ) -> Iterator[Candidate]:
        """The answers to the question for a field that may be given behind the beginning of a line."""
        try:
            self._understand(before)
        except LineError as error:
            known = error.lacks.fields if error.lacks is not None else {}
            for says, fields in answers.items():
                if refused_with(context, kind, {**known, **fields}) is None:
                    words = " ".join(key if value is True else str(value) for key, value in fields.items())
                    yield Candidate(words, is_verb=True, label=says)

    def palette(self) -> tuple[Candidate, ...]:
        """All that can be begun: what the table waits for, the verbs that can do something, the commands."""
        waiting = [
            Candidate(proposal.line.strip(), proposal.key, help=decision.why or self._help_of_verb(proposal.line))
            for decision in (self.proposals.waiting() if self.place is None else ())
            for proposal in decision.proposals
            if proposal.line
        ]
        lines = {candidate.text for candidate in waiting}
        questions, people = self.conversation.questions, self.audience.known().characters
        others = [way for way in self.guide("", 0).candidates if way.text not in lines and way.text not in people]
        others.sort(key=lambda way: (bool(way.reason), way.text in questions, not way.short))
        return (*waiting, *others)

    def help_line(self, text: str) -> str | None:
        """The line that explains what is typed: the keys, or its verb; None where no help is asked for."""
        if not text.strip():
            return "help"
        verb = self.verb_of(text)
        return f"help {verb}" if verb else None

    def is_key(self, text: str) -> bool:
        """Whether a text is the key of something that the table waits for, as it does not while looking back."""
        return self.place is None and text.strip() in self.proposals.by_key()

    def line_of_key(self, key: str) -> str:
        """The whole line of what the table waits for under a key; "" where more is asked, or it is not to be seen."""
        _, choice = self.proposals.by_key().get(key, (None, None))
        if choice is None or choice.asks or lies_face_down(choice.action):
            return ""
        line = start_of_line(self.audience.context, choice).strip()
        meant = action_from(self.log.rules, {"type": tag_of(choice.action), **choice.fields})
        try:
            return line if self.conversation.understand(tokenize(line)).actions == (meant,) else ""
        except FAILURES:
            return ""

    def unseen_from(self, text: str) -> int | None:
        """The index from which on a line is typed unseen; None if nothing in it is secret."""
        face_down = self._face_down_line(text)
        return None if face_down is None else face_down.unseen_from

    def _face_down_line(self, text: str) -> FaceDownLine | None:
        """The line as one that chooses face down; None if it does not, or if everybody who looks on may see it."""
        return self._secret.line(text, self.conversation.questions) if self.eyes == TABLE else None

    # -- one line ------------------------------------------------------------------------------------------

    def answer(self, text: str) -> Reply:
        """Do a line. Where somebody can answer, a change of earlier turns is confirmed first."""
        self._menu = {}
        open_line = self.conversation.step
        if not text.strip():
            return Reply()
        face_down = self._face_down_line(text)
        self._line, self._face_down = tokenize(text), face_down.choice if face_down is not None else None
        goes_on = isinstance(open_line, TypeOn) and bool(text[len(open_line.beginning) :].strip())
        try:
            if (refusal := shell_only(self.audience, text, self.conversation.questions)) is not None:
                return Reply((refusal,), USAGE)
            step = (
                self.conversation.type(text, self.place) if goes_on else self.conversation.say(self._line, self.place)
            )
            return self._reply_to(step, text)
        except LineError as error:
            return self._without_option(text, error)
        except FAILURES as error:
            return self._error_reply(error)

    def choose(self, key: str) -> Reply:
        """Answer the open question, or the menu, with a key. Any other key leaves it open."""
        if key in self._menu:
            action, self._menu = self._menu[key], {}
            return self._reply_or_error(action)
        ask = self.conversation.step
        if not isinstance(ask, Ask) or ask.answered_by(key) is None:
            return Reply((), USAGE)
        return self._reply_or_error(lambda: self._reply_to(self.conversation.choose(key), ""))

    def read(self, text: str) -> Reply:
        """The answer of a reading line while something else is open, which stays so."""
        try:
            question = self.conversation.understand(tokenize(text)).question
            return Reply() if question is None else self._answer_question(question)
        except FAILURES as error:
            return self._explanation_of(error)

    def has_done(self, line: str, last: int) -> bool:
        """Whether a line is done by a turn behind the one that was the last: an answer may do something else."""
        kind, turns = self.kind_of(line), self.log.read(after=last)
        return any(kind is None or isinstance(turn.action, kind | Amend) for turn in turns)

    def doubt(self, *, is_doubted: bool) -> None:
        """Ask before any earlier turn is changed, as what a bare `undo` means may be a line that was not done."""
        self.conversation.confirms = "always" if is_doubted else True

    def leave(self) -> None:
        """Drop the open question; nothing is done."""
        self._menu = {}
        self.conversation.leave()

    def pick(self, key: str) -> Reply | None:
        """Settle a pending decision with the choice of this key; None if the key has none."""
        proposals_by_key = self.proposals.by_key()
        if key not in proposals_by_key:
            return None
        decision, choice = proposals_by_key[key]
        if choice is None:
            self.proposals.leave(decision)
            return Reply()
        self._line = tokenize("")
        self._face_down = choice if self.eyes == TABLE and lies_face_down(choice.action) else None
        return self._reply_or_error(lambda: self._reply_to(self.conversation.take(choice), ""))

    def _reply_or_error(self, do: Callable[[], Reply]) -> Reply:
        try:
            return do()
        except FAILURES as error:
            return self._error_reply(error)

    def _reply_to(self, step: Step, text: str) -> Reply:
        """The reply for a step and all following ones that need no answer; `text` is the line, "" for a key."""
        lines: list[str] = []
        notice = ""
        is_recorded = False
        while isinstance(step, TurnsRecorded):
            is_recorded = True
            lines += self._step_lines.about_turns(step)
            actions = [outcome.turn.action for outcome in step.outcomes if outcome.turn.place is None]
            outside = outside_a_session(self.audience.context, actions)
            notice = notice or step.notice or outside or afterword(self.system, self.log, step.outcomes)
            step = self._next_step(lines)
        match step:
            case Question():
                following = self._next_step(lines)  # the line that is typed on, if this was typed in its place
                begins = following.beginning if isinstance(following, TypeOn) else None
                return replace(self._answer_question(step), begins=begins)
            case TypeOn():
                failure = self._error_reply(step.error) if step.error is not None else Reply()
                begins = text if text.startswith(step.beginning) and text != step.beginning else step.beginning
                return Reply((*lines, *failure.lines), failure.code, notice, begins=begins, is_recorded=is_recorded)
            case Ask():
                before = self._step_lines.before(step)
                question = self._question(step)
                return Reply((*lines, *before), notice=notice, choices=question, is_recorded=is_recorded)
        if not (is_recorded or text):
            line = "" if self._face_down is not None else self._line.text
            lines = [f"Not done: {line}" if line else NOTHING_DONE]
        return Reply(tuple(lines), notice=notice, is_recorded=is_recorded)

    def _next_step(self, lines: list[str]) -> Step:
        """The next step; the words of an error are added to `lines`, as the turns before it are recorded."""
        try:
            return self.conversation.proceed()
        except FAILURES as error:
            lines += self._error_reply(error).lines
            return Done()

    def _question(self, ask: Ask) -> KeyQuestion:
        answers, cards = ask.with_keys, self.audience.cards()

        def says(answer: Answer) -> str:
            words = answer.says or in_words(self.audience, answer.choice)
            return f"{words}: {cards[words].remarks}" if words in cards and cards[words].remarks else words

        choices = tuple(
            KeyChoice(answer.key, says(answer), answer.choice is not None and answer.choice.is_grave)
            for answer in answers
        )
        actions = [answer.choice.action for answer in answers if answer.choice is not None]
        is_unseen = self.eyes == TABLE and any(map(lies_face_down, actions))
        is_unseen = is_unseen or (ask.kind == "field" and self._face_down is not None)
        number = ask.with_number.key if ask.with_number is not None else ""
        words = ask.with_text.key if ask.with_text is not None and ask.is_about_words else ""
        return KeyQuestion(ask.why, choices, is_unseen, ask.drawn, number, words)

    # -- about a turn --------------------------------------------------------------------------------------

    def ask_about(self, turn: int) -> Reply:
        """The menu of a turn in the chronicle: what can be done to it; each change is previewed and confirmed."""
        entry = next(effective_turns(self.log, after=turn - 1, upto=None))
        undone_by, is_revision = entry.undone_by, isinstance(entry.action, REVISIONS)
        self.conversation.leave()
        self._face_down = None
        does: dict[str, Callable[[], Reply]] = {
            "why": partial(self._answer_question, Question("show", (f"T{turn}",))),
            "restore" if undone_by is not None else "undo": partial(self._take_back, undone_by or turn),
            "amend": partial(Reply, begins=f"T{turn} "),
            "move": partial(Reply, begins=f"T{turn} after "),
            "note": partial(Reply, begins=f"note turn=T{turn} "),
        }
        if turn == 1:  # which begins the log
            del does["undo"]
        for change in ("amend", "move") if turn == 1 or is_revision or undone_by is not None else ():
            del does[change]
        choices = tuple(KeyChoice(key, says) for key, says in zip(KEYS, does, strict=False))
        self._menu = {choice.key: does[choice.says] for choice in choices}
        return Reply(choices=KeyQuestion(f"T{turn}:", choices, is_menu=True))

    def _take_back(self, turn: int) -> Reply:
        self._line = tokenize(f"undo T{turn}")
        return self._reply_to(self.conversation.take_back(turn), "")

    # -- what goes wrong -----------------------------------------------------------------------------------

    def _answer_question(self, question: Question) -> Reply:
        """The reply of a reading command."""
        return answer_to(self.surface, self.audience, self.address, question)

    def unread(self, error: Exception) -> str:
        """The sentences about a log that cannot be read now."""
        return self._in_one_row(error)

    def _error_reply(self, error: Exception) -> Reply:
        """The sentences about what was done; of a face-down choice none that shows what was chosen."""
        if self._face_down is not None:
            if not isinstance(error, LineError) or not error.missing:
                return Reply((str(self._secret.refusal(self._face_down)),), REFUSED)
            error.nearest = ()
        return self._explanation_of(error)

    def _in_one_row(self, error: Exception) -> str:
        """The sentences about an error, whatever their indentation."""
        return " ".join(" ".join(self._explanation_of(error).lines).split())

    def _explanation_of(self, error: Exception) -> Reply:
        # the context is looked up for a choice alone: where the log cannot be read, there is none
        lines, code = explanation(error, lambda choice: line_of_choice(self.audience.context, choice))
        return Reply(tuple(row for line in lines for row in safe(line, lines=True).splitlines()), code)

    def _without_option(self, text: str, error: LineError) -> Reply:
        """The reply to a line that is not understood; the preview of one with --dry-run."""
        line = without_dry_run(text, error)
        if line is None:
            return self._error_reply(in_words_of_the_table(text, error))
        self._line = tokenize(line)
        self.conversation.dry_run = True
        try:
            step = self.conversation.say(tokenize(line), self.place)
            if isinstance(step, Ask | TypeOn | Question | Done | TurnsRecorded):
                return self._reply_to(step, line)
            understood = self.conversation.understand(tokenize(line), self.place)
            sentence = foretell(self.conversation, understood, backdating_of(understood, self.place))
            lines = self._step_lines.of_revision(step.preview) if step.preview.reaches_back else [sentence]
        except FAILURES as other:
            return self._error_reply(other)
        finally:
            self.conversation.dry_run = False
            self.conversation.leave()
        return Reply((*lines, "Nothing was recorded."))

    # -- while it is typed ---------------------------------------------------------------------------------

    def preview(self, text: str) -> LinePreview:
        """The preview of a line: what it would do, why it is refused, or what is missing. Nothing is drawn."""
        if not text.strip():
            return LinePreview()
        if self.is_key(text):
            return self._preview_of(text.strip())
        conversation, face_down, words = self.conversation, self._face_down_line(text), tokenize(text).words
        try:
            if (refusal := shell_only(self.audience, text, conversation.questions)) is not None:
                return LinePreview(refusal, "missing")
            understood = conversation.understand(conversation.whole(text, self.place), self.place)
            if understood.question is not None:
                enter: Enter = "leaves" if understood.question.command == "quit" else "shows"
                return LinePreview(preview_of_question(understood.question, self.system), "would", enter)
            place = backdating_of(understood, self.place)
            would, seen = foretold(conversation, understood, place)
            enter = conversation.comes_first(understood, place, seen)
            context = self.audience.context
            without = notice_of_absence(context, understood)
            without = without or outside_a_session(context, understood.actions, understood.manner)
            of_rules = self._about_rulings(understood.actions)
            return LinePreview(" ".join(filter(None, (would, without, of_rules))), "would", enter)
        except LineError as error:
            if (line := without_dry_run(text, error)) is not None:
                shown = self.preview(line)
                return replace(shown, enter="shows" if shown.enter else "")
            if face_down is not None:
                secret = error.reason if error.missing else str(self._secret.refusal(face_down.choice))
                if error.missing and face_down.choice.fields:  # of a character who is named the cards are asked for
                    return LinePreview(secret, "missing", "goes on")
                return LinePreview(secret, "missing" if error.missing else "refused")
            is_early = not error.missing and error.at == len(words) - 1 and words[-1].end == len(text)
            # while the first word is typed, it is no verb yet
            is_first = is_early and error.no_verb and len(words) == 1
            reason = NO_VERB if is_first else str(in_words_of_the_table(text, error))
            goes_on = bool(error.missing) and self.kind_of(text) not in (Amend, Track)  # which have no slots
            return LinePreview(reason, "missing", "goes on" if goes_on else "", is_early)
        except FAILURES as error:
            if face_down is not None:
                return LinePreview(str(self._secret.refusal(face_down.choice)), "refused")
            is_refused = self._explanation_of(error).code in (REFUSED, CONFLICT)
            enter = "draws" if isinstance(error, RestsOnDraw) else "asks" if self._asks(text) else ""
            return LinePreview(self._in_one_row(error), "refused" if is_refused else "missing", enter)

    def _asks(self, text: str) -> bool:
        """Whether the rules ask something about a line that cannot be done as it stands."""
        conversation = self.conversation
        try:
            understood = conversation.understand(conversation.whole(text, self.place), self.place)
            return conversation.first_question(understood, backdating_of(understood, self.place)) is not None
        except FAILURES:
            return False

    def _about_rulings(self, actions: Sequence[Action]) -> str:
        """Which paragraphs rulings are about, and that words alone set nothing, before they are recorded."""
        said = []
        own = self.audience.known().campaign.paragraphs
        for action in actions:
            if isinstance(action, Ruling):
                number = known_rule(self.system, action.rule, own)
                if (paragraph := paragraphs_of(self.system.key).get(number)) is not None:
                    said.append(f"About {self.system.cite} {number} ({paragraph.title}).")
                said.append("" if action.set else words_alone(self.system, number))
        return " ".join(filter(None, said))

    def _preview_of(self, key: str) -> LinePreview:
        """The preview of a proposal whose key is typed: what Enter does."""
        decision, choice = self.proposals.by_key()[key]
        if choice is None:
            return LinePreview(decision.leave, "would", "passes")
        line = in_words(self.audience, choice)
        if choice.asks or lies_face_down(choice.action):
            return LinePreview(line, "would", "goes on" if choice.asks else "records")
        would = self.preview(start_of_line(self.audience.context, choice))
        return replace(would, text=f"{line}: {would.text}", enter="goes on" if self.line_of_key(key) else would.enter)
