"""One campaign at the table: what a typed line does, and what it would do; nothing of how it is shown.

Every surface of the table (the screen, the plain prompt, standard input) is a sitting with something around it. An
answered line is in the log before its answer is given.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import partial
from io import StringIO
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from cli.line.choosing import (
    IN_THE_WAY,
    KEYS,
    LEFT_ALONE,
    SETTLED,
    Choosing,
    asked_of,
    counted_off,
    decided,
    decided_after,
    left_open,
    taken,
)
from cli.line.completing import Completions, completions
from cli.line.errors import Misread, Missing, NoField, NoVerb
from cli.line.spelling import begun, line_of, shown
from cli.line.tracking import verb_in
from cli.line.understanding import (
    Question,
    Understood,
    example_line,
    line_meant,
    options_among_words,
    understand,
    without_told,
)
from cli.line.values import Context, people_at
from cli.line.verbs import verb_name
from cli.line.words import quoted, typed
from cli.shell.catalogue import COMMANDS, SAID
from cli.shell.command_line import run
from cli.shell.failures import CONFLICT, DONE, REFUSED, USAGE, explain
from cli.shell.line_command import is_offered
from cli.shell.words import author, from_file, moment
from cli.store.failures import Unopenable
from cli.terminal.answers import print_answer, print_preview, print_revision_targets, print_sheets
from cli.terminal.screen import Page, Screen, Span, width
from domain.common.notes import Note
from domain.common.revisions import REVISIONS, Amend, Conflicts, Undo
from domain.log.backdating import NOW, Backdating, reaches_back, settling
from domain.log.command_handler import Command, CommandHandler
from domain.log.deciding import names_in
from domain.log.effective_history import effective_history, effective_turns, since_of
from domain.log.points import turn_at
from domain.log.port import DamagedLog, Log, MaybeSaved, NotSaved
from domain.log.revising import Outcome
from domain.naming import called, listed
from domain.refusal import Conflict, Invalid, Refusal
from domain.system.drafts import about
from domain.system.extensions import Reader
from domain.system.pending import Choice, PendingDecision, besides
from domain.system.rulesystem import RuleSystem
from domain.system.secrets import secrets_of
from domain.system.state import Game
from domain.turn import Action, Event, Turn
from projections.chronicle import Entry, entry_for, joined, parts_of, plain, readable
from projections.preview import ActionPreview, Expected, draws_in_words, sheets_unseen, simulate
from projections.revision_targets import revision_targets
from projections.secrecy import TABLE, Onlooker, as_known_to, face_down, keeps_turn, owns, played_by, sheet_for

#: Commands that a table answers beside the verbs. What makes, chooses or opens something else is for the shell.
QUESTIONS = (
    "why", "when", "status", "log", "show", "diff", "rules", "recap", "stats", "query", "help", "quit",
)  # fmt: skip
#: Options of every verb on the shell that a line of the table does not take.
OF_THE_SHELL = ("as", "campaign", "color", "dry-run", "json", "output", "yes")
#: How many turns are decided again while somebody types: so many fit into one picture of the screen.
FAR = 100
#: Said while a line begins with no verb, and none is near.
NO_VERB = "No verb begins so; ? lists them."
#: Said where one line is to be of another seat than the screen is.
OF_A_SEAT = "Whose seat it is is said when it is opened: campaign play --as NAME."
#: Said instead of why something cannot be chosen face down: that would tell what it was.
FACE_DOWN = "That cannot be chosen; look at your cards and choose again."
#: What help begins with: lines of every campaign that are no verbs of their own.
HOW_TO_TYPE = (
    "A line is a verb, who, values, words: VERB NAME 4 what it was. Beginnings of words will do.",
    "u takes the latest line back, r lets it stand again, n TEXT is a note, why NAME tells where a value comes from.",
    "T12 looks at a turn, T12 amount=2 amends it, amend 2 the latest; --after T12 tells a line late.",
)
#: The keys for why, undo, amend, move and note.
ABOUT_A_TURN = "wuamn"
#: What goes wrong in doing a line, and is told.
FAILURES = (Invalid, Refusal, Conflict, NotSaved, MaybeSaved, DamagedLog, Unopenable, OSError)
#: What goes wrong in reading the log, where a server is gone for example.
UNREAD = (DamagedLog, Unopenable)


class KeyChoice(Struct, frozen=True):
    """One answer to a question: the key that gives it, and what it means."""

    key: str
    says: str


class KeyQuestion(Struct, frozen=True):
    """A question that is answered with one key: `Sitting.choose`."""

    why: str
    choices: tuple[KeyChoice, ...]
    #: What is chosen lies face down: the key is not shown.
    unseen: bool = False


class Reply(Struct, frozen=True):
    """What one line came to: lines to show (with codes for colours if the sitting paints), and its exit code."""

    lines: tuple[str, ...] = ()
    code: int = DONE
    #: What is said besides of a line that was done.
    notice: str = ""
    #: The rules ask something first.
    choices: KeyQuestion | None = None
    #: The line as far as it is said, to be typed on: what was chosen, or a line that ends too early.
    begins: str | None = None
    #: The line asked to leave the table.
    leaves: bool = False


class LinePreview(Struct, frozen=True):
    """What a line would do, in one sentence."""

    text: str = ""
    kind: Literal["nothing", "would", "refused", "missing"] = "nothing"


class Proposal(Struct, frozen=True):
    """One way to settle what the table waits for: its key, what it means, and the line as far as it is known."""

    key: str
    says: str
    line: str


class Waiting(Struct, frozen=True):
    """Something that the table waits for."""

    why: str
    proposals: tuple[Proposal, ...]


class Sitting:
    """A campaign that is open for writing, for as long as people play."""

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
        reads: Callable[[str], Any] | None = from_file,
        paints: bool = False,
        hints: bool = True,
    ) -> None:
        self.log, self.system, self.handler = log, system, handler
        #: whether the keeper alone looks at the screen, who knows everything
        self.keeper = keeper
        #: what a file of this name holds, where a line may name one
        self.reads = reads
        #: whether an answer says what is open now
        self.hints = hints
        #: how the shell names the campaign, for the questions that its commands answer
        self.named = named
        self.by, self.viewer, self.paints = author(by), viewer, paints
        #: how many columns there are for an answer, where it is laid out
        self.columns: int | None = None
        #: what each key means while a question is open
        self._answers: dict[str, Callable[[], Reply]] = {}
        #: what was left as it is, and is not asked again
        self._left: list[PendingDecision] = []
        #: how a line begins that was left to be typed on
        self._beginning = ""

    @property
    def eyes(self) -> str | None:
        """For whom the screen is: one seat, or all who look at it together; None: nothing is kept from anybody."""
        if self.keeper or not self.system.keeps_secrets:
            return None
        if self.viewer is not None:
            return self.viewer
        sheets = self.handler.state().characters.values()
        players = {getattr(sheet, "player", None) for sheet in sheets}
        return None if len(sheets) < 2 or (len(players) == 1 and None not in players) else TABLE

    def known(self) -> Game:
        """The state as those who look at the screen may know it."""
        state, eyes = self.handler.state(), self.eyes
        return state if eyes is None else as_known_to(self.system, state, eyes)

    @property
    def context(self) -> Context:
        eyes = self.eyes
        keeps = None if eyes is None else partial(self._keeps, eyes)
        return Context(self.system, self.known(), self.log, self.reads, keeps)

    def _keeps(self, eyes: str, turn: Turn) -> bool:
        return keeps_turn(self.system, self.log, turn, eyes)

    @property
    def questions(self) -> tuple[str, ...]:
        """What a line may ask: the reading commands, and what the log knows under these rules besides sheets."""
        return (*QUESTIONS, *(lookup.verb for lookup in self.system.lookups))

    # -- one line ----------------------------------------------------------------------------------------

    def answer(self, text: str, *, asking: bool = True, after: str | None = None) -> Reply:
        """Do what a line says. What changes earlier turns is asked for first, where somebody can be asked.

        `after` is where one looks back to: what is typed there is told late, after that turn.
        """
        self._answers = {}
        meant, backdating, text = Understood(), NOW, self._whole(text)
        self._beginning = ""
        if not text.strip():
            return Reply()
        if (said := self._for_the_shell(text)) is not None:
            return Reply((said,), USAGE)
        try:
            meant = self._understood(text)
            if meant.question is not None:
                return self._asked(meant.question)
            backdating = _telling(meant, after)
            if not asking:
                return self._record(meant.actions, meant, backdating)
            asked = decided(self.handler, meant.actions, self.known(), backdating)
            return self._go_on(asked, None, partial(self._shown_first, meant, backdating))
        except Missing as error:
            if not asking or error.of is None:
                return self._failed(error, text)
            question = counted_off(self.system, self.known(), error)
            if question is not None:
                return self._complete(text, *question, after)
            return replace(self._failed(error, text), begins=self._begun(left_open(self.system, typed(text), error)))
        except NoField as error:
            return self._option(text, error, after)
        except Conflict as error:
            return self._settle(error, meant, backdating) if asking else self._failed(error, text)
        except FAILURES as error:
            return self._failed(error, text)

    def _begun(self, beginning: str) -> str:
        """How a line begins that is left to be typed on."""
        self._beginning = beginning
        return beginning

    def _whole(self, text: str) -> str:
        """The line that is meant where one was left to be typed on, and perhaps all of it was typed behind that."""
        beginning = self._beginning
        if not beginning or not text.startswith(beginning):
            return text
        return line_meant(typed(text), text[len(beginning) :], self.context, self.questions).text

    def _understood(self, text: str) -> Understood:
        """What a line means. Raises NoField for an option of the shell, which no remark holds but a note's."""
        line = typed(text)
        meant = understand(line, self.context, self.questions)
        for at in options_among_words(line, meant):
            name = line.words[at].text.removeprefix("--").partition("=")[0]
            if name in OF_THE_SHELL and not any(isinstance(each, Note) for each in meant.actions):
                raise NoField(f"{line.words[at].text} is an option of the shell.", name, at)
        return meant

    def _shown_first(self, meant: Understood, backdating: Backdating, actions: Sequence[Action]) -> Reply:
        """Record what was decided; what changes earlier turns is shown first, and asked for."""
        told = replace(meant, actions=tuple(actions))
        try:
            changes = self.what_changes(told, backdating)
            if changes is not None:
                return self._confirm(
                    changes, partial(self._record, actions, told, backdating, shown=self._seen(changes))
                )
            return self._record(actions, meant, backdating, asking=True)
        except Conflict as error:
            return self._settle(error, told, backdating)

    def _record(
        self,
        actions: Sequence[Action],
        meant: Understood,
        backdating: Backdating,
        *,
        asking: bool = False,
        shown: ActionPreview | None = None,
    ) -> Reply:
        """Record what a line means, and tell what came of it; what was `shown` beforehand is told once."""
        screen, out = self._screen()
        notice = without_told(self.context, meant)
        before = self.handler.state().copy()
        waited_for = self.system.pending_for_table(before)
        outcomes = self._recorded(self.lines(actions, meant, backdating))
        for outcome in outcomes:
            print_answer(
                self.system,
                outcome,
                self.handler.state(),
                screen,
                table_before=waited_for,
                hints=self.hints,
                spell=self._spelled,
                viewer=self.eyes,
                shown_before=shown is not None,
            )
        if any(reaches_back(each, backdating) for each in meant.actions):
            state = self.handler.state()
            unseen = sheets_unseen(shown.sheets if shown else (), self.system, before, state, viewer=self.eyes)
            print_sheets(self.system, unseen, screen)
        screen.flush()
        lines = tuple(out.getvalue().splitlines())
        if not asking or len(outcomes) != 1 or tuple(actions) != meant.actions:
            return Reply(lines, notice=notice)
        asked = decided_after(self.handler, outcomes[0], before)
        then = self._go_on(asked, None, lambda amended: self._record(amended, meant, NOW) if amended else Reply())
        return replace(then, lines=(*lines, *then.lines), notice=notice)

    # -- what the rules ask ------------------------------------------------------------------------------

    def choose(self, key: str) -> Reply:
        """Answer the open question with a key. Any other key leaves it open."""
        answer = self._answers.get(key)
        if answer is None:
            return Reply((), USAGE)
        self._answers = {}
        try:
            return answer()
        except FAILURES as error:
            return self._failed(error, "")

    def pick(self, key: str) -> Reply | None:
        """Settle what the table waits for with the way of this key; None: there is no such way."""
        ways = self._ways()
        if key not in ways:
            return None
        matter, way = ways[key]
        if way is None:
            self._left.append(matter)
            return Reply()
        try:
            asked = taken(self.handler, way, self.known())
            told_now = Understood()
            return self._go_on(asked, None, lambda actions: self._record(actions, told_now, NOW))
        except FAILURES as error:
            return self._failed(error, "")

    def _go_on(self, asked: Choosing, way: Choice | None, then: Callable[[tuple[Action, ...]], Reply]) -> Reply:
        """Ask the next question, or do what was decided."""
        try:
            matter = next(asked) if way is None else asked.send(way)
        except StopIteration as stop:
            if isinstance(stop.value, Choice):
                return Reply(begins=self._begun(begun(self.context, stop.value)))
            return then(stop.value)
        unseen = self.eyes == TABLE and any(_lies_face_down(each.action) for each in matter.choices)
        told = [(self._says(each), partial(self._go_on, asked, each, then)) for each in matter.choices]
        return self._ask(matter.why, told, unseen=unseen)

    def _ask(
        self,
        why: str,
        told: Sequence[tuple[str, Callable[[], Reply]]],
        *,
        keys: str = KEYS,
        unseen: bool = False,
        lines: Sequence[str] = (),
    ) -> Reply:
        """A question with an answer for each key."""
        keyed = list(zip(keys, told, strict=False))
        self._answers = {key: answer for key, (_, answer) in keyed}
        return Reply(
            tuple(lines), choices=KeyQuestion(why, tuple(KeyChoice(key, says) for key, (says, _) in keyed), unseen)
        )

    def ask_about(self, turn: int) -> Reply:
        """What can be done about a turn of the chronicle; a change of it is shown before it is done, and asked for."""
        undone_by = next((told.undone_by for told in effective_turns(self.log, after=turn - 1, upto=None)), None)
        again = undone_by is not None
        told: list[tuple[str, Callable[[], Reply]]] = [
            ("why", partial(self._asked, Question("show", (f"T{turn}",)))),
            ("let it stand again" if again else "undo", partial(self._take_back, undone_by or turn)),
            ("amend", partial(Reply, begins=f"T{turn} ")),
            ("move", partial(Reply, begins=f"T{turn} --after T")),
            ("note", partial(Reply, begins=f"note turn=T{turn} ")),
        ]
        return self._ask(f"T{turn}:", told, keys=ABOUT_A_TURN)

    def _take_back(self, turn: int) -> Reply:
        """Undo a turn, or an undo; what comes of it is shown first, whatever it is."""
        text = f"undo T{turn}"
        meant = understand(typed(text), self.context, self.questions)
        told = simulate(self.handler, *self.lines(meant.actions, meant, NOW))
        if told.conflicts:
            return self._settle(Conflict(told.conflicts), meant, NOW)
        return self._confirm(told, partial(self._record, meant.actions, meant, NOW, shown=self._seen(told)))

    def _seen(self, changes: ActionPreview) -> ActionPreview | None:
        """What was shown of a change beforehand; None where not all of it may be seen."""
        return changes if self.eyes is None else None

    def _settle(self, error: Conflict, meant: Understood, backdating: Backdating) -> Reply:
        """Ask what becomes of later turns that are not legal any more."""

        def settled(conflicts: Conflicts) -> Reply:
            so = [settling(action, backdating, conflicts) for action in meant.actions]
            return self._record([action for action, _ in so], meant, so[0][1])

        told: list[tuple[str, Callable[[], Reply]]] = [
            *((says, partial(settled, how)) for how, says in SETTLED.items()),
            (LEFT_ALONE, partial(Reply, ("Nothing was done.",))),
        ]
        lines = [f"T{later.turn}: {Refusal(later.rule, later.reason)}" for later in error.turns]
        return self._ask(IN_THE_WAY, told, keys="".join(how[0] for how in SETTLED) + "l", lines=lines)

    def _confirm(self, changes: ActionPreview, then: Callable[[], Reply]) -> Reply:
        """Show what a change of earlier turns comes to, and ask for it."""
        lines = self.change_told(changes.turns[0].action, changes)
        told: list[tuple[str, Callable[[], Reply]]] = [
            ("yes", then), ("no", partial(Reply, ("Nothing was done.",))),
        ]  # fmt: skip
        return self._ask("Do this?", told, keys="yn", lines=lines)

    def change_told(self, action: Action, changes: ActionPreview) -> list[str]:
        """What an action makes of earlier turns, as far as those who look at the screen may know it beforehand."""
        screen, out = self._screen()
        if (eyes := self.eyes) is not None:
            print_revision_targets(revision_targets(self.handler, action, eyes), screen, as_json=False)
        else:
            print_preview(self.system, changes, screen, as_json=False)
        screen.flush()
        return out.getvalue().splitlines()

    def _complete(self, text: str, why: str, choices: Sequence[tuple[str, str]], after: str | None) -> Reply:
        """What a line does not say yet, where it can be counted off: the line goes on with what is chosen."""
        line = text.rstrip()
        told = [(says, partial(self.answer, f"{line} {quoted(each)}", after=after)) for each, says in choices]
        return self._ask(why, told, unseen=self.unseen_from(text) is not None)

    def _option(self, text: str, error: NoField, after: str | None) -> Reply:
        """A line with an option of the shell: a dry run shows what the rest would do, of others it is said."""
        line = _without_dry_run(text, error)
        if line is None:
            return self._failed(error, text)
        try:
            meant = self._understood(line)
            backdating = _telling(meant, after)
            changes = self.what_changes(meant, backdating)
            told = [self.would(meant, backdating)] if changes is None else self.change_told(meant.actions[0], changes)
        except FAILURES as other:
            return self._failed(other, line)
        return Reply((*told, "Nothing was recorded."))

    def _says(self, way: Choice) -> str:
        return way.says or self._spelled(way)

    def lines(self, actions: Sequence[Action], meant: Understood, backdating: Backdating) -> list[Command]:
        at, by = moment(meant.manner.get("when")), author(meant.manner.get("by")) or self.by
        return [Command(action, by=by, at=at, backdating=backdating) for action in actions]

    def _recorded(self, lines: Sequence[Command]) -> list[Outcome]:
        if len(lines) > 1:
            return self.handler.record_together(lines)
        (line,) = lines
        return [self.handler.record(line.action, by=line.by, at=line.at, backdating=line.backdating)]

    def what_changes(self, meant: Understood, backdating: Backdating) -> ActionPreview | None:
        """What a line would change of earlier turns; None if there is nothing to be asked."""
        if not any(reaches_back(each, backdating) for each in meant.actions):
            return None
        told = simulate(self.handler, *self.lines(meant.actions, meant, backdating))
        if told.conflicts or told.only_latest:
            return None
        return told

    def _asked(self, question: Question) -> Reply:
        """The answer of a reading command, as the shell gives it."""
        if question.command == "quit":
            return Reply(leaves=True)
        if question.command == "help":
            told = self.help(question.words)
            if not told:  # it says why
                verb_in(self.context, typed(" ".join(question.words)), 0, self.questions)
            return Reply(told)
        eyes, options = self.eyes, {word.partition("=")[0] for word in question.words}
        if eyes is not None and (question.command == "query" or (question.command == "stats" and eyes != TABLE)):
            command = question.command
            raise Refusal(None, f"{command} cannot keep secrets; ask it on the shell: campaign {command}.")
        if options & {"-c", "--campaign"}:
            raise Refusal(None, f"This table is of {self.known().campaign.name}; ask the shell about another campaign.")
        if eyes is not None and "--as" in options:
            raise Misread(OF_A_SEAT)
        seat = ["--as", eyes] if eyes is not None and question.command in _SEATED else []
        of_rules = [] if question.command in QUESTIONS else [self.system.key]
        with self._heard() as (out, err):
            code = run([*of_rules, question.command, *question.words, "-c", self.named, *seat])
        return Reply((*out.getvalue().splitlines(), *err.getvalue().splitlines()), code)

    def unread(self, error: Exception) -> str:
        """What is said where the log cannot be read just now."""
        return " ".join(self._failed(error, "").lines)

    def _failed(self, error: Exception, text: str) -> Reply:
        if self.unseen_from(text) is not None and not isinstance(error, Missing):
            return Reply((FACE_DOWN,), REFUSED)
        if isinstance(error, NoField):
            error = _of_the_shell(error)
        with self._heard() as (out, err):
            code = explain(error, self._spelled)
        return Reply((*out.getvalue().splitlines(), *err.getvalue().splitlines()), code)

    def _for_the_shell(self, text: str) -> str | None:
        """What is said where a line is for the shell: a command that no question stands for, or files to be read."""
        words = [word.text for word in typed(text).words]
        if words[0] not in self.questions and is_offered(self.system, words):
            return f"Files are read by the shell, and not at the table: campaign {' '.join(words)}"
        try:
            verb_in(self.context, typed(text), 0, self.questions)
        except NoVerb:
            if words[0] in COMMANDS and words[0] not in SAID:
                return f"{words[0]} is a command of the shell, and not of the table: campaign {words[0]}."
        except Misread:
            pass  # it is about what is meant
        return None

    def _screen(self) -> tuple[Screen, Page]:
        out = Page(self.columns, paints=self.paints)
        return Screen("auto", out), out

    @contextmanager
    def _heard(self) -> Iterator[tuple[StringIO, StringIO]]:
        """What is said on stdout and stderr meanwhile."""
        with (
            redirect_stdout(Page(self.columns, paints=self.paints, hints=False)) as out,
            redirect_stderr(StringIO()) as err,
        ):
            yield out, err

    # -- while it is typed ---------------------------------------------------------------------------------

    def preview(self, text: str, after: str | None = None) -> LinePreview:
        """What a line would do: its sentence, the refusal, or what is missing; nothing random before it is done."""
        text = self._whole(text)
        if not text.strip():
            return LinePreview()
        if (said := self._for_the_shell(text)) is not None:
            return LinePreview(said, "missing")
        try:
            meant = self._understood(text)
            if meant.question is not None:
                return LinePreview(f"asks: {' '.join((meant.question.command, *meant.question.words))}", "would")
            told = self.would(meant, _telling(meant, after))
            return LinePreview(" ".join(filter(None, (told, without_told(self.context, meant)))), "would")
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
            with self._heard() as (_, err):
                code = explain(error, self._spelled)
            return LinePreview(
                " ".join(err.getvalue().split()), "refused" if code in (REFUSED, CONFLICT) else "missing"
            )

    def unseen_from(self, text: str) -> int | None:
        """From which sign on a line is typed unseen: what it chooses lies face down. None: nobody need look away."""
        if self.eyes != TABLE:
            return None
        line = typed(text)
        try:
            verb, at = verb_in(self.context, line, 0, self.questions)
            if isinstance(verb, str) or not _lies_face_down(verb.kind):
                return None
            who = people_at(line.words, at, self.context)
        except Misread:
            return None
        place = who[1] if who is not None else at
        return line.words[place].start if place < len(line.words) else len(text)

    def _may_be_tried(self, action: Action) -> bool:
        """Whether what an action would come to may be shown: not at one seat, of another player's cards.

        What names nobody may rest on what everybody holds (who acts first, once all is revealed), but for mere words.
        """
        if self.viewer is None or not self.system.keeps_secrets:
            return True
        state, names = self.handler.state(), names_in(action)
        return isinstance(action, Note) or (bool(names) and all(owns(state, name, self.viewer) for name in names))

    def _reach(self, meant: Understood, backdating: Backdating) -> int | None:
        """The earliest turn that would be decided again, where a line says which; None: only what comes is decided."""
        points = [backdating.after, backdating.before]
        numbers = [turn_at(point, self.log) for point in points if point is not None]
        for action in meant.actions:
            numbers += [action.turn] if isinstance(action, Amend) else []
            numbers += action.turns or () if isinstance(action, Undo) else ()
            since = since_of(action)
            numbers += [since] if since is not None else []
        return min(numbers, default=None)

    def would(self, meant: Understood, backdating: Backdating) -> str:
        reach = self._reach(meant, backdating)
        if reach is not None and self.log.last() - reach > FAR:
            line = " ".join(map(self._line_of, meant.actions))
            return f"{line}: all from T{reach} on is decided again; Enter shows what that changes."
        if not all(map(self._may_be_tried, meant.actions)):
            return " ".join(map(self._line_of, meant.actions))
        told = simulate(self.handler, *self.lines(meant.actions, meant, backdating))
        if told.conflicts:
            many = len(told.conflicts)
            stand, them = ("turn stands", "it") if many == 1 else ("turns stand", "them")
            return f"{many} later {stand} in the way; Enter asks what becomes of {them}."
        parts = [self._own(each, action) for each, action in zip(told.own, meant.actions, strict=True)]
        parts += self._of_earlier(told.changed)
        return " ".join(part for part in parts if part) or " ".join(map(self._line_of, meant.actions))

    def _of_earlier(self, changed: Sequence[Expected]) -> Iterator[str]:
        """What becomes of earlier turns: of one it is told, of more which they are."""
        if len(changed) == 1 and not changed[0].open:
            (each,) = changed
            how = "Takes back" if each.after is None else "Lets stand again" if each.before is None else "Changes"
            yield f"{how} T{each.turn}: {self._told((each.before if each.after is None else each.after) or ())}"
            return
        back = [f"T{each.turn}" for each in changed if each.after is None and not each.open]
        others = [f"T{each.turn}" for each in changed if f"T{each.turn}" not in back]
        if back:
            yield f"Takes back {listed(back)}."
        if others:
            yield f"Changes {listed(others)}."

    def _own(self, told: Expected, action: Action) -> str:
        if told.open:
            return f"{self._line_of(action)}: {draws_in_words(told.draws) or 'draws cards'}."
        return self._told(told.after or ())

    def _told(self, facts: Sequence[Event]) -> str:
        """The sentences of a turn, as those who look at the screen may know them."""
        eyes = self.eyes
        if eyes is None:
            return plain(parts_of(facts))
        sees = Onlooker(self.system, self.handler.state(), eyes)
        return plain(joined([sees.event(each, readable(self.system, each), None)[1] for each in facts]))

    def _line_of(self, action: Action) -> str:
        return verb_name(type(action)) if _lies_face_down(type(action)) else line_of(self.context, action)

    def completions(self, text: str, cursor: int) -> Completions:
        """How the line may go on. What is typed unseen goes on in no way that could be read."""
        if self.unseen_from(text[:cursor]) is not None:
            return Completions(cursor, cursor, ())
        return completions(text, cursor, self.context, self.questions)

    def example(self) -> str:
        """A line that can be typed now, where there is one."""
        return example_line(replace(self.context, acts_for=played_by(self.handler.state(), self.viewer)))

    # -- what is open --------------------------------------------------------------------------------------

    def matters(self) -> list[PendingDecision]:
        """What is open, without what was left as it is, and what is another seat's."""
        state = self.handler.state()
        matters = self.system.pending_for_anyone(state)
        matters += besides(matters, self.system.pending_for_table(state))
        self._left = [matter for matter in self._left if matter in matters]
        return [
            matter for matter in matters if matter.choices and matter not in self._left and self._is_asked_here(matter)
        ]

    def _is_asked_here(self, matter: PendingDecision) -> bool:
        who = about(matter.choices[0])
        return self.viewer is None or who is None or owns(self.handler.state(), who, self.viewer)

    def _ways(self) -> dict[str, tuple[PendingDecision, Choice | None]]:
        """Each way to settle what is open, by its key; None: it is left as it is."""
        told = [
            (matter, way) for matter in self.matters() for way in (*matter.choices, *((None,) if matter.leave else ()))
        ]
        return dict(zip(KEYS, told, strict=False))

    def waiting(self) -> tuple[Waiting, ...]:
        """What the table waits for, each way to settle it with its key."""
        ways = self._ways()
        found = []
        for matter in self.matters():
            proposals = [
                Proposal(key, matter.leave, "")
                if way is None
                else Proposal(key, way.says or self._spelled(way), begun(self.context, way))
                for key, (of, way) in ways.items()
                if of is matter or of == matter
            ]
            found.append(Waiting(asked_of(matter), tuple(proposals)))
        return tuple(found)

    def has_chosen(self, columns: int | None = None) -> str:
        """Who has chosen what lies face down: "Bea has chosen, 2 of 3"; nothing while nobody chooses.

        Where that takes more columns than there are, only how many have.
        """
        state = self.handler.state()
        chosen = face_down(self.system, state) if self.eyes is not None else []
        if not chosen:
            return ""
        ways = [way for matter in self.system.pending_for_anyone(state) for way in matter.choices]
        of = len({*chosen, *(about(way) for way in ways if _lies_face_down(way.action))} - {None})
        who = [str(getattr(state.characters[name], "player", None) or called(name)) for name in chosen]
        told = f"{listed(who)} {'has' if len(who) == 1 else 'have'} chosen, {len(chosen)} of {of}"
        return told if columns is None or width(told) <= columns else f"{len(chosen)} of {of} have chosen"

    def _spelled(self, way: Choice) -> str:
        return shown(self.context, way)

    # -- the chronicle -------------------------------------------------------------------------------------

    def chronicle(self, after: int, upto: int | None = None) -> Iterator[Entry]:
        """The turns after one, as those who look at the screen may know them: what lay face down stays so.

        With `upto` the log is read no further; a later turn that happened earlier may be among them.
        """
        now, eyes = self.handler.state(), self.eyes
        history = effective_history(self.log, after=after) if upto is not None else None
        turns = effective_turns(self.log, upto, history, after=after)
        return (entry_for(self.system, each, None, now, eyes) for each in turns)

    def sheets(self, state: Game) -> dict[str, dict[str, Any]]:
        """Every sheet at some point, as those who look at the screen may know it."""
        eyes = self.eyes
        return {name: sheet_for(self.system, state, name, eyes) for name in state.characters}

    def help(self, words: Sequence[str]) -> tuple[str, ...]:
        """How a line is typed, and the verbs with their short names; or the verbs that begin so."""
        from cli.line.verbs import verbs_of

        screen, out = self._screen()
        first = words[0] if words else ""
        by_kind: dict[type[Action], list[str]] = {}
        told: dict[type[Action], str] = {}
        for verb in verbs_of(self.system.key):
            by_kind.setdefault(verb.kind, []).append(verb.name)
            told.setdefault(verb.kind, verb.help)
        if not first:
            for row in HOW_TO_TYPE:
                screen.line(row, indent=2)
            screen.line(f"Questions: {', '.join(self.questions)}.", indent=2)
            if reads := [self._reads(each) for each in self.system.readers]:
                screen.line(f"Files are read by the shell: {', '.join(reads)}.", indent=2)
            screen.line()
        across = max(map(len, (names[0] for names in by_kind.values()))) + 2
        for kind, names in by_kind.items():
            if any(name.startswith(first) for name in names) and kind.__struct_config__.tag != "campaign.start":
                short = " ".join(name for name in names[1:] if len(name) < len(names[0]))
                line = (Span(f"{names[0]:<{across}}", "bold"), f"{short:<6} ", told[kind])
                screen.lines(screen.wrap(line, indent=across + 7))
        screen.flush()
        return tuple(out.getvalue().splitlines())

    @staticmethod
    def _reads(reader: Reader) -> str:
        return f"campaign {reader.verb}{f' --{reader.option}' if reader.option else ''} FILE"


#: Reading commands that may be asked for one seat.
_SEATED = ("status", "log", "show", "diff", "recap", "why", "when")


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


def _lies_face_down(kind: type[Action]) -> bool:
    """Whether an action chooses something that is kept until it is revealed."""
    return any(each.until_revealed for each in secrets_of(kind).values())


def _telling(meant: Understood, after: str | None) -> Backdating:
    """Where a line is told: where it says so, else where one looks back to. What revises is told now."""
    said = meant.backdating
    if said or after is None or any(isinstance(action, REVISIONS) for action in meant.actions):
        return said
    return Backdating(after=after)
