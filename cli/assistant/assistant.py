"""What an assistant can do at one table: preview, record and take back typed actions, and read the log.

One face more of the conversation: what is recorded goes through it, with the questions of the rules. Every answer has a
text, in sentences, and the same as data beside it. Texts of the log are data: nothing here acts on what they say.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from hashlib import blake2b
from itertools import islice
from typing import Any

import msgspec
from msgspec import Struct

from cli.assistant.shapes import (
    AmendArguments,
    Arguments,
    DescribeArguments,
    LogArguments,
    PreviewArguments,
    QueryArguments,
    RecapArguments,
    RecordArguments,
    RedoArguments,
    RulesArguments,
    TableArguments,
    UndoArguments,
    WhenArguments,
    WhyArguments,
    schema_of,
)
from cli.line.understanding import Understood
from cli.recording.audience import Audience
from cli.recording.authorship import author
from cli.recording.choosing import IN_THE_WAY, SETTLED, question_of
from cli.recording.conversation import Conversation
from cli.recording.foretelling import own_sentence, sentences_of_earlier
from cli.recording.steps import Answer as AskedAnswer
from cli.recording.steps import Ask, TurnsRecorded
from cli.shell import readings
from cli.shell.command_context import handler_for
from cli.shell.failures import system_failure
from cli.shell.partial_failure import AFTERWARDS
from cli.shell.references import session_number
from cli.store.streams import StoredLog
from cli.terminal.sheet import brief_lines
from domain.choice import Choice
from domain.common.revisions import REVISIONS, Amend, Redo, Undo
from domain.common.start import CampaignStart
from domain.log.backdating import NOW, Backdating, with_conflict_answer
from domain.log.deciding import with_names
from domain.log.effective_history import effective_history
from domain.log.folding import state_at
from domain.log.points import turn_at
from domain.log.port import turn_in
from domain.naming import called, capitalised, ended
from domain.refusal import Conflict, Invalid, LaterTurn, Refusal
from domain.registry import action_from, action_kinds, tag_of, verb_name
from domain.system.drafts import about
from domain.system.field_schema import fields_of
from domain.system.rulesystem import RuleSystem
from domain.turn import Action
from domain.values import in_words
from projections.chronicle import Entry, plain
from projections.preview import ActionPreview, RestsOnDraw, simulate
from projections.revision_targets import revision_targets
from projections.sheets import status_of
from projections.views.rulebook import LivingParagraph

#: Columns of a character's line in the text of `table`.
COLUMNS = 100
#: Changes of later turns that are told one by one.
MOST_LATER = 40
MOVED_ON = "The table has moved on since this was previewed: it is T{} now. Preview it again."
NOT_PREVIEWED = "This is not what was previewed with that fingerprint. Preview it again."
FOR_THE_KEEPER = "That is for whoever keeps the log."
RESTED_ON = "Later turns rest on it; whoever keeps the log can settle that."


class Answer(Struct, frozen=True):
    """What a tool answers: sentences, and the same as data."""

    text: str
    data: dict[str, Any]


class Assistant:
    """One open campaign, as the keeper or one player (`viewer`) may know it."""

    def __init__(self, log: StoredLog, system: RuleSystem, viewer: str | None = None) -> None:
        self.log, self.system, self.viewer = log, system, viewer
        self.handler = handler_for(log)
        self.audience = Audience(log, system, self.handler.state, viewer=viewer, keeper=viewer is None)
        #: the questions that were put, by what they were about: doing the same again answers "as it stands"
        self._asked: set[str] = set()

    # -- before it is recorded -----------------------------------------------------------------------------

    def preview(self, given: PreviewArguments) -> Answer:
        """What actions would do, what the rules refuse or ask, and what would change later; nothing is drawn."""
        foreseen = self._foreseen(self._actions(given), self._backdating(given), together=given.together)
        self._asked.add(foreseen.fingerprint)
        return foreseen.answer()

    def _actions(self, given: PreviewArguments) -> list[Action]:
        actions = [action_from(self.log.rules, value) for value in given.actions]
        for action in actions:
            self._admit(action, late=given.after is not None or given.before is not None)
        return actions

    def _admit(self, action: Action, *, late: bool = False) -> None:
        """Raise Refusal for what a player may not do where players keep secrets."""
        if self.audience.eyes is None:
            return
        self.audience.must_be_own(action)
        if late or not self.audience.may_record(action):
            raise Refusal(None, FOR_THE_KEEPER)

    def _backdating(self, given: PreviewArguments) -> Backdating:
        after, before = (None if point is None else _point(point) for point in (given.after, given.before))
        return Backdating(after, before, given.conflicts)

    def _foreseen(self, actions: Sequence[Action], backdating: Backdating, *, together: bool) -> "Foreseen":
        """What recording these actions would come to. Raises Invalid for values that no table takes."""
        conversation, question, refusal = self._conversation(None), None, None
        for number, action in enumerate(actions):
            ask = conversation.first_question(Understood((action,)), backdating)
            if ask is not None:
                question = {**self._question(ask), "about": number}
                break
        sentences: list[str] = []
        later: list[dict[str, Any]] = []
        conflicts: Sequence[LaterTurn] = ()
        # one by one, those before the first refusal would be recorded
        for count in range(len(actions), 0, -1):
            try:
                sentences, later, conflicts = self._effects(conversation, actions[:count], backdating)
                break
            except Refusal as error:
                refusal = refusal or error
                if together:
                    break
        if conflicts and question is None:
            question = self._conflict_question(actions, backdating)
        return Foreseen(self.handler.last(), actions, backdating, sentences, later, conflicts, question, refusal)

    def _effects(
        self, conversation: Conversation, actions: Sequence[Action], backdating: Backdating
    ) -> tuple[list[str], list[dict[str, Any]], Sequence[LaterTurn]]:
        """The sentences of actions, the turns that come out differently, and those that are no longer legal."""
        if not all(map(self.audience.may_see_preview_of, actions)):
            return [own_sentence(conversation, None, action) for action in actions], [], ()
        commands = conversation.commands(actions, Understood(tuple(actions)), backdating)
        try:
            preview = simulate(self.handler, *commands)
        except RestsOnDraw as unknown:
            return [str(unknown)], [], ()
        if self.audience.eyes is not None and any(isinstance(action, REVISIONS) for action in actions):
            return [], self._targets(actions), ()
        sentences = [
            own_sentence(conversation, change, action) for change, action in zip(preview.own, actions, strict=True)
        ]
        if any(isinstance(action, REVISIONS) for action in actions):
            sentences += sentences_of_earlier(conversation, preview.changed)
        return [*filter(None, sentences), *preview.unmoved], self._later(preview), preview.conflicts

    def _later(self, preview: ActionPreview) -> list[dict[str, Any]]:
        """The earlier and later turns that would come out differently."""
        changes = [
            {
                "turn": change.turn,
                "before": None if change.before is None else self.audience.sentences(change.before),
                "after": None if change.after is None or change.open else self.audience.sentences(change.after),
                **({"open": True} if change.open else {}),
            }
            for change in islice(preview.changed, MOST_LATER)
        ]
        changes += [{"turn": turn, "moved_after": place} for turn, place in preview.moved.items()]
        left_out = len(preview.changed) - MOST_LATER
        return [*changes, {"left_out": left_out}] if left_out > 0 else changes

    def _targets(self, actions: Sequence[Action]) -> list[dict[str, Any]]:
        """The turns that a revision names, as a player may know them beforehand."""
        assert self.audience.eyes is not None
        return [
            {"turn": target.turn, "how": target.how, "before": plain(target.parts)}
            for action in actions
            for target in revision_targets(self.handler, action, self.audience.eyes)
        ]

    def _question(self, ask: Ask) -> dict[str, Any]:
        choices = [self._choice(answer.choice) for answer in ask.answers if answer.choice is not None]
        return {"text": ask.why or "Which?", "choices": choices, **({"drawn": True} if ask.drawn else {})}

    def _choice(self, choice: Choice) -> dict[str, Any]:
        """One way to settle something. `fill_in`: the fields that somebody at the table has to say."""
        return {
            "label": choice.says or self._label(choice),
            "action": {"type": tag_of(choice.action), **choice.fields},
            **({"fill_in": list(choice.asks)} if choice.asks else {}),
        }

    def _label(self, choice: Choice) -> str:
        who = about(choice)
        values = [value for value in choice.fields.values() if value != who and not isinstance(value, bool)]
        words = " ".join((verb_name(choice.action).replace("-", " "), *map(in_words, values)))
        return f"{called(who)}: {words}" if who else capitalised(words)

    def _conflict_question(self, actions: Sequence[Action], backdating: Backdating) -> dict[str, Any]:
        """What becomes of later turns that are no longer legal: the same action with its answer."""
        choices = []
        for conflicts, says in SETTLED.items():
            settled = [with_conflict_answer(action, backdating, conflicts) for action in actions]
            again = {"conflicts": conflicts} if settled[0][1].conflicts else {}
            choices.append({"label": says, "action": _as_given(settled[0][0]), **again})
        return {"text": IN_THE_WAY, "choices": choices}

    # -- recording -----------------------------------------------------------------------------------------

    def record(self, given: RecordArguments) -> Answer:
        """Record actions: one turn each, or as one line that is done whole or not at all."""
        actions, backdating = self._actions(given), self._backdating(given)
        # nobody else writes between the look at the fingerprint and the append
        with self.log.exclusive_access() if given.fingerprint is not None else nullcontext():
            if given.fingerprint is not None:
                last = self.log.last()  # asked of the log itself, which nobody else writes to any more
                if given.fingerprint.partition(" ")[0] != str(last):
                    return _refused(Refusal(None, MOVED_ON.format(last)), turns=[], sentences=[])
                foreseen = self._foreseen(actions, backdating, together=given.together)
                if foreseen.fingerprint != given.fingerprint:
                    return _refused(Refusal(None, NOT_PREVIEWED), turns=[], sentences=[])
                self._asked.add(foreseen.fingerprint)  # perhaps by a process that is gone
            lines = [tuple(actions)] if given.together else [(action,) for action in actions]
            return self._record(lines, backdating, given.by)

    def _conversation(self, by: str | None) -> Conversation:
        return Conversation(self.handler, self.audience, by=author(by), confirms=False, via="assistant")

    def _record(self, lines: Sequence[tuple[Action, ...]], backdating: Backdating, by: str | None) -> Answer:
        """Do each line through the conversation, up to the first that is refused or asked about."""
        conversation, numbers, before = self._conversation(by), list[int](), self.handler.last()
        outcome: dict[str, Any] = {}
        for line in lines:
            try:
                step = conversation.do(Understood(line), backdating)
                while True:
                    match step:
                        case TurnsRecorded(outcomes):
                            numbers += [outcome.turn.number for outcome in outcomes]
                            step = conversation.proceed()
                        case Ask(kind="rules"):
                            answer = self._as_it_stands(step, line, backdating)
                            if answer is None:
                                outcome = {"question": self._question(step)}
                                break
                            step = conversation.choose(answer)
                        case Ask():
                            outcome = self._in_the_way(step.conflicts, line, backdating)
                            break
                        case _:
                            break
            except Refusal as refusal:
                outcome = _refusal(refusal)
            except Conflict as conflict:
                outcome = self._in_the_way(conflict.turns, line, backdating)
            except (Invalid, *AFTERWARDS) as error:
                if not numbers:
                    raise
                failure = system_failure(error)
                outcome = {"refused": {"rule": None, "reason": failure[0] if failure is not None else str(error)}}
            if outcome:
                conversation.leave()
                break
        entries = [entry for entry in self._entries_after(before) if entry.turn in numbers]
        data = {"turns": numbers, "sentences": [entry.sentence for entry in entries], **outcome}
        if waits := self.waits():
            data["waits"] = waits
        return Answer(_text([_line(entry) for entry in entries], data), data)

    def _as_it_stands(self, ask: Ask, line: tuple[Action, ...], backdating: Backdating) -> AskedAnswer | None:
        """The answer that leaves the action as it was sent, if this very question was put before; else None."""
        mark = _mark(self.handler.last(), line, backdating, [ask.why])
        is_asked = mark in self._asked or (not ask.drawn and self._was_previewed(line, backdating))
        self._asked.add(mark)
        if not is_asked:
            return None
        drafts = [_as_given(with_names(action, self.handler.state())) for action in line]
        return next((answer for answer in ask.answers if self._leaves(answer.choice, drafts)), None)

    def _was_previewed(self, line: tuple[Action, ...], backdating: Backdating) -> bool:
        return self._foreseen(line, backdating, together=True).fingerprint in self._asked

    def _leaves(self, choice: Choice | None, drafts: Sequence[dict[str, Any]]) -> bool:
        """Whether a choice is one of these actions unchanged."""
        if choice is None or choice.asks:
            return False
        return _as_given(action_from(self.log.rules, {"type": tag_of(choice.action), **choice.fields})) in drafts

    def _in_the_way(
        self, conflicts: Sequence[LaterTurn], line: Sequence[Action], backdating: Backdating
    ) -> dict[str, Any]:
        if self.audience.eyes is not None:
            return {"refused": {"rule": None, "reason": RESTED_ON}}
        return {"conflicts": _conflicts(conflicts), "question": self._conflict_question(line, backdating)}

    def _entries_after(self, number: int) -> Iterator[Entry]:
        return self.audience.recent(number, self.handler.last())

    # -- taking back ---------------------------------------------------------------------------------------

    def undo(self, given: UndoArguments) -> Answer:
        """Undo turns; nothing is erased."""
        turns = None if given.turns is None else tuple(self._turn(turn) for turn in _several(given.turns))
        return self._revise(Undo(turns=turns, last=given.last, why=given.why, conflicts=given.conflicts), given)

    def redo(self, given: RedoArguments) -> Answer:
        """Restore what an undo took back."""
        turn = None if given.turn is None else self._turn(given.turn)
        return self._revise(Redo(turn=turn, last=given.last, conflicts=given.conflicts), given)

    def amend(self, given: AmendArguments) -> Answer:
        """Correct what an earlier turn says."""
        turn = self._turn(given.turn)
        recorded = turn_in(self.log, turn)
        action: dict[str, Any] = {**_as_given(effective_history(self.log).action(recorded)), **given.set}
        action = {name: value for name, value in action.items() if value is not None}
        return self._revise(
            Amend(
                turn=turn,
                action=_as_given(action_from(self.log.rules, action)),
                why=given.why,
                conflicts=given.conflicts,
            ),
            given,
        )

    def _revise(self, action: Undo | Redo | Amend, given: UndoArguments | RedoArguments | AmendArguments) -> Answer:
        action.check()
        if self.audience.eyes is not None:
            self._check_own(action)
        if not given.dry_run:
            return self._record([(action,)], NOW, given.by)
        return self._foreseen([action], NOW, together=True).answer()

    def _check_own(self, action: Undo | Redo | Amend) -> None:
        """Raise Refusal unless a player undoes turns of the own characters: what rests on others may tell of them."""
        if not isinstance(action, Undo) or not action.turns or action.conflicts:
            raise Refusal(None, FOR_THE_KEEPER)
        for number in action.turns:
            turn = turn_in(self.log, number)
            if not self.audience.may_record(turn.action):
                raise Refusal(None, FOR_THE_KEEPER)

    def _turn(self, turn: int | str) -> int:
        return turn_at(_point(turn), self.log)

    # -- reading -------------------------------------------------------------------------------------------

    def table(self, given: TableArguments) -> Answer:
        """The sheets, what the table waits for, and what may be done."""
        last = self.handler.last()
        point = last if given.at is None else turn_at(_point(given.at), self.log)
        state = self.handler.state() if point == last else state_at(self.system, self.log, point)
        data = status_of(self.log, self.system, state, point, self.audience.eyes)
        session = f", session {state.campaign.session}" if state.campaign.session else ""
        lines = [f"{data['campaign']['name']} ({self.system.key}), T{point}{session}"]
        sheets = data["characters"]
        for line in brief_lines(self.system, state, sheets, columns=COLUMNS):
            lines.append("".join(part if isinstance(part, str) else part.text for part in line).rstrip())
        if point == last:
            data["waits"] = self.waits()
            acting = self.system.whose_turn(state)
            if acting is not None:
                data["turn_of"] = acting
                lines.append(f"It is {called(acting)}'s turn.")
            data["now"] = [tag_of(kind) for kind in self._verbs()]
        return Answer(_text(lines, data), data)

    def waits(self) -> list[dict[str, Any]]:
        """What the table waits for, with the actions that settle it."""
        return [
            {
                "text": question_of(decision) or "Next:",
                "choices": [self._choice(choice) for choice in decision.choices],
                **({"or": decision.leave} if decision.leave else {}),
            }
            for decision in self.audience.pending()
        ]

    def _verbs(self) -> list[type[Action]]:
        """The actions that people enter; those that only answer what is pending, while it is."""
        pending = {choice.action for choice in self.audience.choices()}
        kinds = action_kinds(self.log.rules).values()
        return [kind for kind in kinds if kind in pending or (_is_entered(kind) and not kind.only_when_pending)]

    def describe(self, given: DescribeArguments) -> Answer:
        """The fields of one action as JSON Schema, or all actions in brief."""
        kinds = {tag: kind for tag, kind in action_kinds(self.log.rules).items() if _is_entered(kind)}
        if given.verb is None:
            verbs = [_in_brief(tag, kind) for tag, kind in kinds.items()]
            lines = [f"{verb['type']} ({', '.join(verb['needs'])}): {verb['help']}" for verb in verbs]
            return Answer("\n".join(lines), {"verbs": verbs})
        sought = given.verb.strip().casefold().replace("_", "-")
        for tag, kind in kinds.items():
            names = {tag.replace("_", "-"), tag.rpartition(".")[2].replace("_", "-"), verb_name(kind), *kind.shorts}
            if sought in {name.casefold() for name in names}:
                data = {**_in_brief(tag, kind), "help": (kind.__doc__ or "").strip(), "schema": schema_of(kind)}
                return Answer(f"{tag}: {data['help']}\n{_json(data['schema'])}", data)
        action_from(self.log.rules, {"type": given.verb})  # says which are near
        raise Invalid(f"{given.verb[:60]!r} is recorded by the program itself.")

    def log_(self, given: LogArguments) -> Answer:
        """The turns, oldest first, as this viewer may know them."""
        upto = None if given.at is None else turn_at(_point(given.at), self.log)
        session = "" if given.session is None else str(_session(given.session))
        search = readings.LogSearch(given.grep or "", given.character or "", session)
        found = readings.matches_of(self.log, self.system, self.viewer, search, upto)
        entries = list(found.turns)[: given.n][::-1]
        more = found.more or len(found.turns) > given.n
        rows = [
            {
                "turn": entry.turn,
                "session": entry.session,
                "by": entry.by,
                "sentence": entry.sentence,
                "standing": entry.standing,
                **({"undone_by": entry.undone_by} if not entry.standing else {}),
                **({"via": entry.via} if entry.via else {}),
            }
            for entry in entries
        ]
        lines = [*map(_line, entries), *(["There are earlier ones."] if more else [])]
        return Answer("\n".join(lines) or "No turn matches.", {"turns": rows, "more": more})

    def why(self, given: WhyArguments) -> Answer:
        """The turns that made a value what it is, newest first."""
        page = readings.why(self.log, self.system, self.viewer, given.what)
        links = page.links[: given.n]
        changes = [
            {
                "turn": link.turn,
                "old": link.old,
                "new": link.new,
                "sentence": link.sentence,
                "rules": list(link.rules),
                "rulings": msgspec.to_builtins(link.rulings),
            }
            for link in links
        ]
        value = links[0].new if links else None
        lines = [f"{page.about}: {'nothing' if value is None else in_words(value)}"]
        for link in links:
            rules = f" ({', '.join(link.rules)})" if link.rules else ""
            lines.append(f"T{link.turn} {in_words(link.old)} → {in_words(link.new)}: {link.sentence}{rules}")
        left_out = page.left_out or len(page.links) > given.n
        data = {"character": page.about.character or None, "field": page.about.path, "value": value}
        return Answer("\n".join(lines), {**data, "changes": changes, "more": left_out})

    def when(self, given: WhenArguments) -> Answer:
        """The turns at which a condition became true, newest first."""
        rows = readings.when(self.log, self.system, self.viewer, given.condition)
        lines = [f"T{row.turn} {row.sentence} ({f'until T{row.until}' if row.until else 'still so'})" for row in rows]
        return Answer("\n".join(lines) or "That was never true.", {"times": msgspec.to_builtins(rows)})

    def rules(self, given: RulesArguments) -> Answer:
        """The rules as they are played: one paragraph with its history, those that say some words, or all in brief."""
        book = readings.rules(self.log, self.system, self.viewer)
        shown: Sequence[LivingParagraph]
        if given.rule is None:
            shown = book.paragraphs
        elif any(sign.isdecimal() for sign in given.rule):
            shown = [readings.rule(self.log, self.system, self.viewer, given.rule)]
        else:
            shown = readings.rules(self.log, self.system, self.viewer, given.rule).paragraphs
        rows = [
            {
                "rule": paragraph.cited,
                "title": paragraph.title,
                "text": paragraph.text,
                "options": {option.name: option.value for option in paragraph.options},
                "in_force": paragraph.in_force,
                **({"history": msgspec.to_builtins(paragraph.history)} if len(shown) == 1 else {}),
            }
            for paragraph in shown
        ]
        if len(shown) == 1:
            from cli.pages.rulebook import paragraphs  # a reader of Markdown, which a start does without

            return Answer(paragraphs(book, shown), {"rules": rows})
        return Answer("\n".join(f"{row['rule']} {row['title']}" for row in rows), {"rules": rows})

    def recap(self, given: RecapArguments) -> Answer:
        """One evening as a story."""
        number = None if given.session is None else _session(given.session)
        evening = readings.recap(self.log, self.system, self.viewer, number)
        from cli.pages.recap import markdown_of

        return Answer(markdown_of(evening), evening.as_json())

    def query(self, given: QueryArguments) -> Answer:
        """One select on the tables, in a process that can do nothing else."""
        result = readings.query(self.log, self.system, self.viewer, given.sql)
        rows = [list(row) for row in result.rows[: given.limit]]
        more = result.cut or len(result.rows) > given.limit
        lines = [" | ".join(map(str, row)) for row in (result.columns, *rows)]
        data = {"columns": list(result.columns), "rows": rows, "more": more}
        return Answer("\n".join([*lines, *(["There are more rows."] if more else [])]), data)

    # -- resources -----------------------------------------------------------------------------------------

    def sheets(self) -> dict[str, dict[str, Any]]:
        """The sheet of each character, as this viewer may know it."""
        return self.audience.sheets(self.handler.state())

    def rulebook(self) -> str:
        """The rules as they are played, as Markdown."""
        from cli.pages.rulebook import markdown_of

        return markdown_of(readings.rules(self.log, self.system, self.viewer))

    def answer(self, run: Callable[["Assistant", Any], Answer], given: Arguments) -> Answer:
        """What a tool answers; a refusal is an answer too. Raises Invalid and what the log raises."""
        try:
            return run(self, given)
        except Refusal as refusal:
            blank: dict[str, Any] = {"turns": [], "sentences": []} if isinstance(given, RecordArguments) else {}
            return _refused(refusal, **blank)
        except Conflict as conflict:
            reason = IN_THE_WAY if self.audience.eyes is None else RESTED_ON
            data = {"conflicts": _conflicts(conflict.turns)} if self.audience.eyes is None else {}
            return Answer(reason, {"refused": {"rule": None, "reason": reason}, **data})


class Foreseen(Struct, frozen=True):
    """What recording actions would come to, when `last` is the last turn."""

    last: int
    actions: Sequence[Action]
    backdating: Backdating
    sentences: list[str]
    later: list[dict[str, Any]]
    conflicts: Sequence[LaterTurn]
    question: dict[str, Any] | None
    refusal: Refusal | None

    @property
    def fingerprint(self) -> str:
        """A short text of what would be recorded, and what was said of it."""
        asked = [self.question["text"]] if self.question is not None else []
        refused = [str(self.refusal)] if self.refusal is not None else []
        return _mark(self.last, self.actions, self.backdating, [*self.sentences, *asked, *refused])

    def answer(self) -> Answer:
        data: dict[str, Any] = {
            "fingerprint": self.fingerprint,
            "sentences": self.sentences,
            "changes_later": self.later,
        }
        if self.refusal is not None and self.question is None:
            data |= _refusal(self.refusal)
        if self.question is not None:
            data["question"] = self.question
        if self.conflicts:
            data["conflicts"] = _conflicts(self.conflicts)
        return Answer(_text(self.sentences, data), data)


def _mark(last: int, actions: Sequence[Action], backdating: Backdating, said: Sequence[str]) -> str:
    value = msgspec.json.encode([list(map(_as_given, actions)), msgspec.to_builtins(backdating), said], order="sorted")
    return f"{last} {blake2b(value, digest_size=9).hexdigest()}"


def _as_given(action: Action) -> dict[str, Any]:
    """An action as `preview` and `record` take it."""
    value: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(action))
    return value


def _refusal(refusal: Refusal) -> dict[str, Any]:
    return {"refused": {"rule": refusal.rule, "reason": refusal.reason}}


def _refused(refusal: Refusal, **data: Any) -> Answer:
    return Answer(f"Refused: {refusal}", {**data, **_refusal(refusal)})


def _conflicts(turns: Sequence[LaterTurn]) -> list[dict[str, Any]]:
    return [{"turn": later.turn, "rule": later.rule, "reason": later.reason} for later in turns]


def _text(lines: Sequence[str], data: dict[str, Any]) -> str:
    """Sentences, and behind them what is refused, asked, changed and waited for."""
    more = []
    if "refused" in data:
        rule = f" ({data['refused']['rule']})" if data["refused"]["rule"] else ""
        more.append(f"Refused: {data['refused']['reason'].removesuffix('.')}{rule}.")
    for change in data.get("changes_later", ()):
        if "left_out" in change:
            more.append(f"{change['left_out']} more turns come out differently.")
        elif "moved_after" in change:
            more.append(f"T{change['turn']} moves to after T{change['moved_after']}.")
        else:
            became = change.get("how") or (
                "open until it is recorded" if change.get("open") else change["after"] or "undone"
            )
            more.append(f"T{change['turn']}: {change['before'] or 'undone'} → {became}")
    more += [f"T{later['turn']} would no longer be legal: {later['reason']}" for later in data.get("conflicts", ())]
    for key, lead in (("question", "The rules ask"), ("waits", "The table waits")):
        questions = data.get(key) or ()
        for question in [questions] if isinstance(questions, dict) else questions:
            ways = "; ".join(choice["label"] for choice in question["choices"])
            more.append(f"{lead}: {question['text']} [{ways}]")
    return "\n".join([*lines, *more]) or "Nothing would change."


def _line(entry: Entry) -> str:
    undone = f" [undone by T{entry.undone_by}]" if not entry.standing else ""
    by = f" ({entry.recorded_by})" if entry.recorded_by else ""
    return f"T{entry.turn}{entry.mark} {entry.sentence}{undone}{by}"


def _is_entered(kind: type[Action]) -> bool:
    """Whether people enter it by itself, in a log that has begun."""
    return kind.has_verb and kind is not CampaignStart


def _in_brief(tag: str, kind: type[Action]) -> dict[str, Any]:
    needs = [field.key for field in fields_of(kind) if field.required]
    return {
        "type": tag,
        "verb": verb_name(kind),
        "shorts": list(kind.shorts),
        "help": ended((kind.__doc__ or "").strip().partition("\n")[0]),
        "needs": needs,
    }


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _point(point: int | str) -> str:
    """A place in the log as it is written: a bare number is a turn."""
    text = str(point).strip()
    return f"T{text}" if text.isdecimal() and len(text) < 7 else text


def _several(turns: Any) -> list[Any]:
    return list(turns) if isinstance(turns, list) else [turns]


def _session(session: int | str) -> int:
    return session_number(str(session))
