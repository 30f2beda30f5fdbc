"""One campaign at the table: what a typed line does, and what it would do; nothing of how it is shown.

Every surface of the table (the screen, the plain prompt, standard input) is a sitting with something around it. An
answered line is in the log before its answer is given.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any, Literal

from msgspec import Struct

from cli.line.completing import Completions, completions
from cli.line.errors import Misread, Missing, NoVerb
from cli.line.spelling import GAP, spelled
from cli.line.understanding import Question, Understood, understand
from cli.line.values import Context
from cli.line.words import typed
from cli.shell.catalogue import COMMANDS
from cli.shell.desk import revises
from cli.shell.failures import CONFLICT, DONE, REFUSED, USAGE, explain
from cli.shell.running import run
from cli.shell.words import author, moment
from cli.terminal.answers import print_answer, print_preview
from cli.terminal.screen import Screen
from domain.common.revisions import REVISIONS
from domain.log.chance import COUNTED, Drawn
from domain.log.placing import Telling
from domain.log.port import Damaged, Log, MaybeSaved, NotSaved
from domain.log.revising import Outcome
from domain.log.scribe import Line, Scribe
from domain.naming import called, listed
from domain.refusal import Conflict, Invalid, Refusal
from domain.system.rulesystem import Matter, RuleSystem, Way
from domain.turn import Action

#: Commands that a table answers beside the verbs. What makes, chooses or opens something else is for the shell.
QUESTIONS = (
    "why", "when", "status", "log", "show", "diff", "rules", "recap", "stats", "query", "help", "quit",
)  # fmt: skip
#: What goes wrong in doing a line, and is told.
FAILURES = (Invalid, Refusal, Conflict, NotSaved, MaybeSaved, Damaged, OSError)


class Answer(Struct, frozen=True):
    """What one line came to: lines to show (with codes for colours if the sitting paints), and its exit code."""

    lines: tuple[str, ...] = ()
    code: int = DONE
    #: Somebody has to say yes first: `Sitting.answer` with `agreed`.
    asks: bool = False
    #: The line asked to leave the table.
    leaves: bool = False


class Preview(Struct, frozen=True):
    """What a line would do, in one sentence."""

    text: str = ""
    kind: Literal["nothing", "would", "refused", "missing"] = "nothing"


class Proposal(Struct, frozen=True):
    """One way to settle what the table waits for: the line, and whether it can be done as it stands."""

    line: str
    whole: bool


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
        scribe: Scribe,
        *,
        named: str = "",
        by: str | None = None,
        viewer: str | None = None,
        paints: bool = False,
    ) -> None:
        self.log, self.system, self.scribe = log, system, scribe
        #: how the shell names the campaign, for the questions that its commands answer
        self.named = named
        self.by, self.viewer, self.paints = author(by), viewer, paints

    @property
    def context(self) -> Context:
        return Context(self.system, self.scribe.state(), self.log)

    # -- one line ----------------------------------------------------------------------------------------

    def answer(self, text: str, *, agreed: bool = False, asking: bool = True, after: str | None = None) -> Answer:
        """Do what a line says. What changes earlier turns is asked for first, where somebody can be asked.

        `after` is where one looks back to: what is typed there is told late, after that turn.
        """
        if not text.strip():
            return Answer()
        try:
            meant = understand(typed(text), self.context, QUESTIONS)
            if meant.question is not None:
                return self._asked(meant.question)
            telling = _telling(meant, after)
            if asking and not agreed and (preview := self._what_changes(meant, telling)) is not None:
                return preview
            return self._record(meant, telling)
        except FAILURES as error:
            return self._failed(error, text)

    def _record(self, meant: Understood, telling: Telling) -> Answer:
        screen, out = self._screen()
        waited_for = self.system.table_matters(self.scribe.state())
        at, by = moment(meant.manner.get("when")), author(meant.manner.get("by")) or self.by
        for outcome in self._recorded(meant.actions, by, at, telling):
            print_answer(
                self.system, outcome, self.scribe.state(), screen, table_before=waited_for, spell=self._spelled
            )
        screen.flush()
        return Answer(tuple(out.getvalue().splitlines()))

    def _recorded(self, actions: Sequence[Action], by: str | None, at: Any, telling: Telling) -> list[Outcome]:
        if len(actions) == 1:
            return [self.scribe.record(actions[0], by=by, at=at, telling=telling)]
        said_together = [Line(action, by=by, at=at, telling=telling) for action in actions]
        return self.scribe.record_together(said_together)

    def _what_changes(self, meant: Understood, telling: Telling) -> Answer | None:
        """What a line would change of earlier turns; None if there is nothing to be asked."""
        if len(meant.actions) != 1 or not (telling or revises(meant.actions[0])):
            return None
        outcome = self.scribe.record(meant.actions[0], dry_run=True, telling=telling)
        if outcome.conflicts or not [each for each in outcome.changed if each.before and each.after]:
            return None
        screen, out = self._screen()
        print_preview(self.system, outcome, screen, as_json=False)
        screen.flush()
        return Answer(tuple(out.getvalue().splitlines()), asks=True)

    def _asked(self, question: Question) -> Answer:
        """The answer of a reading command, as the shell gives it."""
        if question.command == "quit":
            return Answer(leaves=True)
        if question.command == "help":
            return Answer(tuple(self.help(question.words)))
        seat = ["--as", self.viewer] if self.viewer and question.command in _SEATED else []
        color = ["--color", "always"] if self.paints and question.command != "query" else []
        with _heard() as (out, err):
            code = run([question.command, *question.words, "-c", self.named, *seat, *color])
        return Answer((*out.getvalue().splitlines(), *err.getvalue().splitlines()), code)

    def _failed(self, error: Exception, text: str) -> Answer:
        first = typed(text).words[0].text if isinstance(error, NoVerb) else ""
        if first in COMMANDS:
            said = f"{first} is a command of the shell, and not of the table: campaign {first}."
            return Answer((said,), USAGE)
        with _heard() as (out, err):
            code = explain(error, self._spelled)
        return Answer((*out.getvalue().splitlines(), *err.getvalue().splitlines()), code)

    def _screen(self) -> tuple[Screen, StringIO]:
        out = StringIO()
        return Screen("always" if self.paints else "never", out), out

    # -- while it is typed ---------------------------------------------------------------------------------

    def preview(self, text: str, after: str | None = None) -> Preview:
        """What a line would do: its sentence, the refusal, or what is missing; nothing random before it is done."""
        if not text.strip():
            return Preview()
        try:
            meant = understand(typed(text), self.context, QUESTIONS)
            if meant.question is not None:
                return Preview(f"asks: {' '.join((meant.question.command, *meant.question.words))}", "would")
            told = [self._would(action, _telling(meant, after)) for action in meant.actions]
            return Preview(" ".join(told), "would")
        except Missing as error:
            return Preview(error.reason, "missing")
        except Misread as error:
            return Preview(error.reason, "missing")
        except FAILURES as error:
            with _heard() as (_, err):
                code = explain(error, self._spelled)
            return Preview(" ".join(err.getvalue().split()), "refused" if code in (REFUSED, CONFLICT) else "missing")

    def _would(self, action: Action, telling: Telling) -> str:
        outcome = self.scribe.record(action, dry_run=True, telling=telling)
        drawn = drawn_in(outcome)
        if drawn:
            return f"{self._line_of(action)}: draws {listed(drawn)}."
        if outcome.conflicts:
            return f"{len(outcome.conflicts)} later turns stand in the way: say drop or keep."
        told = "".join(part for event in outcome.turn.facts for part in (*event.told(), " ")).strip()
        changed = [each for each in outcome.changed if each.turn != outcome.turn.number]
        turns = listed(f"T{each.turn}" for each in changed)
        return " ".join(part for part in (told, f"Changes {turns}." if changed else "") if part) or self._line_of(
            action
        )

    def _line_of(self, action: Action) -> str:
        from cli.line.spelling import line_of

        return line_of(self.context, action)

    def completions(self, text: str, cursor: int) -> Completions:
        """How the line may go on."""
        return completions(text, cursor, self.context, QUESTIONS)

    # -- what is open --------------------------------------------------------------------------------------

    def waiting(self) -> tuple[Waiting, ...]:
        """What the table waits for, each way to settle it as a line."""
        state = self.scribe.state()
        matters: list[Matter] = []
        for name in state.characters:
            matters += [matter for matter in self.system.open_matters(state, name) if matter not in matters]
        matters += [matter for matter in self.system.table_matters(state) if matter not in matters]
        return tuple(
            Waiting(matter.why, tuple(self._proposed(way) for way in matter.ways)) for matter in matters if matter.ways
        )

    def _spelled(self, way: Way) -> str:
        line = spelled(self.context, way.action, way.fields)
        return line if GAP in line or not way.asks else f"{line} {GAP}"

    def _proposed(self, way: Way) -> Proposal:
        line = spelled(self.context, way.action, way.fields)
        return Proposal(line.partition(GAP)[0] if GAP in line else line, not way.asks and GAP not in line)

    def help(self, words: Sequence[str]) -> Iterator[str]:
        """The verbs with their short names, or those that begin so."""
        from cli.line.verbs import verbs_of

        begun = words[0] if words else ""
        by_kind: dict[type[Action], list[str]] = {}
        told: dict[type[Action], str] = {}
        for verb in verbs_of(self.system.key):
            by_kind.setdefault(verb.kind, []).append(verb.name)
            told.setdefault(verb.kind, verb.help)
        for kind, names in by_kind.items():
            if any(name.startswith(begun) for name in names) and kind.__struct_config__.tag != "campaign.start":
                yield f"{names[0]:<18}{' '.join(names[1:]):<8}{told[kind]}"
        if not begun:
            yield f"and asks: {', '.join(QUESTIONS)}. T12 looks at a turn; u takes the latest line back."


#: Reading commands that may be asked for one seat.
_SEATED = ("status", "log", "show", "diff", "recap", "why", "when")


def _telling(meant: Understood, after: str | None) -> Telling:
    """Where a line is told: where it says so, else where one looks back to. What revises is told now."""
    said = meant.telling
    if said or after is None or any(isinstance(action, REVISIONS) for action in meant.actions):
        return said
    return Telling(after=after)


def drawn_in(outcome: Outcome) -> list[str]:
    """What a turn would draw: "2 dice for Brog's re-roll". What the table reports is not drawn."""
    told = []
    for key, drawn in outcome.turn.chance.items():
        new = len(drawn.values) - drawn.reported
        if new <= 0 or key.endswith(COUNTED) or not isinstance(drawn, Drawn):  # a bare one was drawn long ago
            continue
        what = ("die" if new == 1 else "dice") if drawn.sides is not None else ("card" if new == 1 else "cards")
        owner = f"{called(drawn.whose)}'s " if drawn.whose else ""
        told.append(f"{new} {what} for {owner}{drawn.purpose}")
    return told


@contextmanager
def _heard() -> Iterator[tuple[StringIO, StringIO]]:
    """What is said on stdout and stderr meanwhile."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        yield out, err
