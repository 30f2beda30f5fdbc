"""One campaign at the table, as text: what a line or a key comes to, and what it would come to.

Every surface of the table (the screen, the plain prompt, standard input) is one of these with something around it.
What is asked and recorded is the conversation's; here its steps become lines to show.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from cli.line.choosing import KEYS, asked_of
from cli.line.completing import Completions
from cli.line.errors import Misread, Missing, NoField, NoVerb
from cli.line.spelling import begun, shown
from cli.line.understanding import Question, Understood, options_among_words, without_told
from cli.line.words import typed
from cli.recording.audience import Audience, lies_face_down
from cli.recording.conversation import Conversation, placed
from cli.recording.foretelling import foretell
from cli.recording.steps import Ask, Done, Step, TurnsRecorded, TypeOn
from cli.shell.failures import CONFLICT, REFUSED, USAGE, explain
from cli.shell.words import from_file
from cli.store.failures import Unopenable
from cli.table.answering import OF_A_SEAT, answered, for_the_shell
from cli.table.questions import questions_of
from cli.table.replies import KeyChoice, KeyQuestion, LinePreview, Proposal, Reply, Waiting
from cli.table.surface import Surface
from cli.terminal.answers import print_answer, print_seal, print_sheets
from cli.terminal.revisions import revision_lines
from cli.terminal.screen import Page, Screen, width
from domain.choice import Choice
from domain.common.notes import Note
from domain.log.command_handler import CommandHandler
from domain.log.effective_history import effective_turns
from domain.log.port import DamagedLog, Log, MaybeSaved, NotSaved
from domain.refusal import Conflict, Invalid, Refusal
from domain.system.pending import PendingDecision
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from projections.chronicle import Entry
from projections.preview import ActionPreview, sheets_unseen
from projections.secrecy import TABLE

#: Options of every verb on the shell that a line of the table does not take.
OF_THE_SHELL = ("as", "campaign", "color", "dry-run", "json", "output", "yes")
#: Said while a line begins with no verb, and none is near.
NO_VERB = "No verb begins so; ? lists them."
#: Said instead of why something cannot be chosen face down: that would tell what it was.
FACE_DOWN = "That cannot be chosen; look at your cards and choose again."
#: Said where a question was answered with no.
NOTHING_DONE = "Nothing was done."
#: The keys for why, undo, amend, move and note.
ABOUT_A_TURN = "wuamn"
#: What goes wrong in doing a line, and is said.
FAILURES = (Invalid, Refusal, Conflict, NotSaved, MaybeSaved, DamagedLog, Unopenable, OSError)
#: What goes wrong in reading the log, where a server is gone for example.
UNREAD = (DamagedLog, Unopenable)


class OpenTable:
    """A campaign that is open for writing, for as long as people play.

    `named` is how the shell calls the campaign, for the questions that its commands answer; `keeper`: whoever looks
    knows everything; `viewer`: one seat alone looks; `paints`: answers hold codes for colours; `hints`: an answer says
    what is open now.
    """

    def __init__(
        self,
        log: Log,
        system: RuleSystem,
        handler: CommandHandler,
        *,
        named: str = "",
        by: str | None = None,
        viewer: str | None = None,
        keeper: bool = False,
        paints: bool = False,
        hints: bool = True,
    ) -> None:
        self.log, self.system, self.handler = log, system, handler
        self.named, self.hints, self.surface = named, hints, Surface(paints=paints)
        self.audience = Audience(log, system, handler.state, viewer=viewer, keeper=keeper, reads=from_file)
        self.conversation = Conversation(
            handler, self.audience, by=by, questions=questions_of(system), admits=self._refuse_options
        )
        #: what each key does about the turn that one looks at
        self._menu: dict[str, Callable[[], Reply]] = {}
        #: what was left as it is, and is not asked again
        self._left: list[PendingDecision] = []
        self._line = typed("")

    @property
    def eyes(self) -> str | None:
        """For whom the screen is: one seat, or all who look at it together; None: nothing is kept from anybody."""
        return self.audience.eyes

    def sheets(self, state: Game) -> dict[str, dict[str, Any]]:
        """Every sheet at some point, as those who look at the screen may know it."""
        return self.audience.sheets(state)

    def chronicle(self, after: int) -> Iterator[Entry]:
        """The turns after one, as those who look at the screen may know them."""
        return self.audience.chronicle(after)

    def has_chosen(self, columns: int | None = None) -> str:
        """Who has chosen what lies face down; only how many where there is no room for who."""
        whole = self.audience.has_chosen()
        return whole if columns is None or width(whole) <= columns else self.audience.has_chosen(whole=False)

    def completions(self, text: str, cursor: int) -> Completions:
        """How the line may go on."""
        return self.audience.completions(text, cursor, self.conversation.questions)

    def unseen_from(self, text: str) -> int | None:
        """From which sign on a line is typed unseen; None: nobody need look away."""
        return self.audience.unseen_from(text, self.conversation.questions)

    def example(self) -> str:
        """A line that can be typed now, where there is one."""
        return self.audience.example()

    # -- one line ------------------------------------------------------------------------------------------

    def answer(self, text: str, *, asking: bool = True, after: str | None = None) -> Reply:
        """Do what a line says. What changes earlier turns is asked for first, where somebody can be asked.

        `after` is where one looks back to: what is typed there is told late, after that turn.
        """
        self._menu = {}
        open_line = self.conversation.step
        if not text.strip():
            return Reply()
        self.conversation.asks = self.conversation.confirms = asking
        self._line = typed(text)
        goes_on = isinstance(open_line, TypeOn) and bool(text[len(open_line.beginning) :].strip())
        try:
            if (refusal := for_the_shell(self.audience, text, self.conversation.questions)) is not None:
                return Reply((refusal,), USAGE)
            step = self.conversation.type(text, after) if goes_on else self.conversation.say(self._line, after)
            return self._replied(step, text)
        except NoField as error:
            return self._without_option(text, error, after)
        except FAILURES as error:
            return self._failed(error, text)

    def choose(self, key: str) -> Reply:
        """Answer the open question with a key. Any other key leaves it open."""
        if key in self._menu:
            action, self._menu = self._menu[key], {}
            return self._guarded(action)
        ask = self.conversation.step
        if not isinstance(ask, Ask) or ask.answered_by(key) is None:
            return Reply((), USAGE)
        return self._guarded(lambda: self._replied(self.conversation.choose(key), ""))

    def leave(self) -> None:
        """Leave the open question unanswered: nothing more is done."""
        self._menu = {}
        self.conversation.leave()

    def pick(self, key: str) -> Reply | None:
        """Settle what the table waits for with the choice of this key; None: there is no such choice."""
        keyed = self._keyed()
        if key not in keyed:
            return None
        decision, choice = keyed[key]
        if choice is None:
            self._left.append(decision)
            return Reply()
        self.conversation.asks = self.conversation.confirms = True
        return self._guarded(lambda: self._replied(self.conversation.take(choice), ""))

    def _guarded(self, do: Callable[[], Reply]) -> Reply:
        try:
            return do()
        except FAILURES as error:
            return self._failed(error, "")

    def _replied(self, step: Step, text: str) -> Reply:
        """A step, and those behind it that are only shown, as lines."""
        lines: list[str] = []
        notice = ""
        is_recorded = False
        was_asked = not text
        while isinstance(step, TurnsRecorded):
            is_recorded = True
            lines += self._recorded(step)
            notice = notice or step.without
            step = self._proceeded(lines)
        match step:
            case Question():
                self.conversation.leave()
                return self._asked(step)
            case TypeOn():
                failed = self._failed(step.error, text) if step.error is not None else Reply()
                begins = text if text.startswith(step.beginning) and text != step.beginning else step.beginning
                return Reply((*lines, *failed.lines), failed.code, notice, begins=begins)
            case Ask():
                return Reply((*lines, *self._shown_first(step)), notice=notice, choices=self._question(step))
        return Reply(tuple(lines) if is_recorded or not was_asked else (NOTHING_DONE,), notice=notice)

    def _proceeded(self, lines: list[str]) -> Step:
        """The next step; what goes wrong there is said behind what is recorded already."""
        try:
            return self.conversation.proceed()
        except FAILURES as error:
            lines += self._failed(error, "").lines
            return Done()

    def _recorded(self, recorded: TurnsRecorded) -> list[str]:
        """What was recorded; what was shown beforehand is told once."""
        screen, out = self._screen()
        state = self.handler.state()
        for outcome in recorded.outcomes:
            print_answer(
                self.system,
                outcome,
                state,
                screen,
                table_before=self.system.pending_for_table(recorded.before),
                hints=self.hints,
                spell=self._spelled,
                viewer=self.eyes,
                shown_before=recorded.shown is not None and self.eyes is None,
            )
        print_seal(self.log, recorded.outcomes, screen)
        if recorded.revises:
            shown_sheets = recorded.shown.sheets if recorded.shown is not None and self.eyes is None else ()
            unseen = sheets_unseen(shown_sheets, self.system, recorded.before, state, viewer=self.eyes)
            print_sheets(self.system, unseen, screen)
        screen.flush()
        return out.getvalue().splitlines()

    def _shown_first(self, ask: Ask) -> list[str]:
        """What is shown before a question: what it would change, or what stands in the way."""
        if ask.conflicts:
            return [f"T{later.turn}: {Refusal(later.rule, later.reason)}" for later in ask.conflicts]
        return [] if ask.preview is None else self._revision_lines(ask.preview)

    def _revision_lines(self, preview: ActionPreview) -> list[str]:
        return revision_lines(self.handler, preview, self.eyes, self.surface.page())

    def _question(self, ask: Ask) -> KeyQuestion:
        choices = tuple(KeyChoice(each.key, each.says or self._says(each.choice)) for each in ask.answers)
        actions = [each.choice.action for each in ask.answers if each.choice is not None]
        unseen = self.eyes == TABLE and any(map(lies_face_down, actions))
        unseen = unseen or (ask.kind == "field" and self.unseen_from(self._line.text) is not None)
        stands = f"T{ask.stands} stands; Esc keeps it as it is" if ask.stands is not None else ""
        return KeyQuestion(ask.why, choices, unseen, stands)

    # -- about a turn --------------------------------------------------------------------------------------

    def ask_about(self, turn: int) -> Reply:
        """What can be done about a turn of the chronicle; a change of it is shown before it is done, and asked for."""
        undone_by = next((each.undone_by for each in effective_turns(self.log, after=turn - 1, upto=None)), None)
        self.conversation.leave()
        menu: list[tuple[str, Callable[[], Reply]]] = [
            ("why", partial(self._asked, Question("show", (f"T{turn}",)))),
            ("restore" if undone_by is not None else "undo", partial(self._take_back, undone_by or turn)),
            ("amend", partial(Reply, begins=f"T{turn} ")),
            ("move", partial(Reply, begins=f"T{turn} --after T")),
            ("note", partial(Reply, begins=f"note turn=T{turn} ")),
        ]
        self._menu = {key: do for key, (_, do) in zip(ABOUT_A_TURN, menu, strict=True)}
        choices = tuple(KeyChoice(key, says) for key, (says, _) in zip(ABOUT_A_TURN, menu, strict=True))
        return Reply(choices=KeyQuestion(f"T{turn}:", choices))

    def _take_back(self, turn: int) -> Reply:
        self.conversation.asks = self.conversation.confirms = True
        return self._replied(self.conversation.take_back(turn), "")

    # -- what goes wrong -----------------------------------------------------------------------------------

    def _asked(self, question: Question) -> Reply:
        """The answer of a reading command."""
        return answered(self.surface, self.audience, self.named, question)

    def unread(self, error: Exception) -> str:
        """What is said where the log cannot be read just now."""
        return " ".join(self._failed(error, "").lines)

    def _failed(self, error: Exception, text: str) -> Reply:
        if self.unseen_from(text) is not None and not isinstance(error, Missing):
            return Reply((FACE_DOWN,), REFUSED)
        if isinstance(error, NoField):
            error = _of_the_shell(error)
        with self.surface.heard() as (out, err):
            code = explain(error, self._spelled)
        return Reply((*out.getvalue().splitlines(), *err.getvalue().splitlines()), code)

    def _refuse_options(self, understood: Understood) -> Understood:
        """The same. Raises NoField for an option of the shell among the words, which no text holds but a note's."""
        for at in options_among_words(self._line, understood):
            name = self._line.words[at].text.removeprefix("--").partition("=")[0]
            if name in OF_THE_SHELL and not any(isinstance(each, Note) for each in understood.actions):
                raise NoField(f"{self._line.words[at].text} is an option of the shell.", name, at)
        return understood

    def _without_option(self, text: str, error: NoField, after: str | None) -> Reply:
        """A line with an option of the shell: a dry run shows what the rest would do, of others it is said."""
        line = _without_dry_run(text, error)
        if line is None:
            return self._failed(error, text)
        self._line = typed(line)
        self.conversation.dry_run = True
        try:
            step = self.conversation.say(typed(line), after)
            if isinstance(step, Ask | TypeOn | Question | Done | TurnsRecorded):
                return self._replied(step, line)
            understood = self.conversation.understand(typed(line))
            sentence = foretell(self.conversation, understood, placed(understood, after))
            lines = self._revision_lines(step.preview) if step.preview.reaches_back else [sentence]
        except FAILURES as other:
            return self._failed(other, line)
        finally:
            self.conversation.dry_run = False
            self.conversation.leave()
        return Reply((*lines, "Nothing was recorded."))

    def _screen(self) -> tuple[Screen, Page]:
        out = self.surface.page()
        return Screen("auto", out), out

    # -- while it is typed ---------------------------------------------------------------------------------

    def preview(self, text: str, after: str | None = None) -> LinePreview:
        """What a line would do: its sentence, the refusal, or what is missing; nothing random before it is done."""
        if not text.strip():
            return LinePreview()
        conversation = self.conversation
        self._line = typed(text)
        try:
            if (refusal := for_the_shell(self.audience, text, conversation.questions)) is not None:
                return LinePreview(refusal, "missing")
            understood = conversation.understand(conversation.whole(text))
            if understood.question is not None:
                words = (understood.question.command, *understood.question.words)
                return LinePreview(f"asks: {' '.join(words)}", "would")
            self._refuse_options(understood)
            would = foretell(conversation, understood, placed(understood, after))
            without = without_told(self.audience.context, understood)
            return LinePreview(" ".join(filter(None, (would, without))), "would")
        except Missing as error:
            return LinePreview(error.reason, "missing")
        except NoField as error:
            line = _without_dry_run(text, error)
            return LinePreview(str(_of_the_shell(error)), "missing") if line is None else self.preview(line, after)
        except NoVerb as error:
            # while somebody types, the whole list of them is in the way
            return LinePreview(error.reason if "?" in error.reason else NO_VERB, "missing")
        except FAILURES as error:
            if self.unseen_from(text) is not None:
                return LinePreview(FACE_DOWN, "refused")
            if isinstance(error, Misread):
                return LinePreview(error.reason, "missing")
            with self.surface.heard() as (_, err):
                code = explain(error, self._spelled)
            kind = "refused" if code in (REFUSED, CONFLICT) else "missing"
            return LinePreview(" ".join(err.getvalue().split()), kind)  # type: ignore[arg-type]

    # -- what is open --------------------------------------------------------------------------------------

    def _pending(self) -> list[PendingDecision]:
        """What is open, without what was left as it is."""
        pending = self.audience.pending()
        self._left = [each for each in self._left if each in pending]
        return [each for each in pending if each not in self._left]

    def _keyed(self) -> dict[str, tuple[PendingDecision, Choice | None]]:
        """Each way to settle what is open, by its key; None: it is left as it is."""
        ways = [
            (decision, choice)
            for decision in self._pending()
            for choice in (*decision.choices, *((None,) if decision.leave else ()))
        ]
        return dict(zip(KEYS, ways, strict=False))

    def waiting(self) -> tuple[Waiting, ...]:
        """What the table waits for, each way to settle it with its key."""
        keyed, found = self._keyed(), []
        for decision in self._pending():
            proposals = [
                Proposal(key, decision.leave, "")
                if choice is None
                else Proposal(key, self._says(choice), begun(self.audience.context, choice))
                for key, (of, choice) in keyed.items()
                if of is decision or of == decision
            ]
            found.append(Waiting(asked_of(decision), tuple(proposals)))
        return tuple(found)

    def _says(self, choice: Choice | None) -> str:
        return "" if choice is None else choice.says or self._spelled(choice)

    def _spelled(self, choice: Choice) -> str:
        return shown(self.audience.context, choice)


def _without_dry_run(text: str, error: NoField) -> str | None:
    """The line that a dry run is asked of; None: none is."""
    if error.name != "dry-run" or error.at is None:
        return None
    word = typed(text).words[error.at]
    return f"{text[: word.start]}{text[word.end :]}"


def _of_the_shell(error: NoField) -> Misread:
    """The same, where it is an option of the shell: what the table has for it."""
    if error.name == "as":
        return Misread(OF_A_SEAT, error.at)
    if error.name in OF_THE_SHELL:
        return Misread(f"--{error.name} is an option of the shell, and not of the table.", error.at)
    return error
