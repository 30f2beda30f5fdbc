"""What an assistant does at one table: preview, record and take back typed actions.

One face more of the conversation: what is recorded goes through it, with the questions of the rules.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from hashlib import blake2b
from itertools import islice
from typing import Any

import msgspec
from msgspec import Struct

from cli.assistant.arguments import (
    AmendArguments,
    Arguments,
    PreviewArguments,
    RecordArguments,
    RedoArguments,
    UndoArguments,
)
from cli.assistant.readings import Readings, ToolAnswer, line_of, point_of, question_line, waiting_lines
from cli.line.understanding import Understood
from cli.recording.authorship import author
from cli.recording.choosing import IN_THE_WAY, SETTLED
from cli.recording.conversation import Conversation
from cli.recording.foretelling import own_sentence, sentences_of_earlier
from cli.recording.steps import Answer, Ask, TurnsRecorded
from cli.shell.failures import system_failure
from cli.shell.partial_failure import AFTERWARDS
from cli.store.stored_log import StoredLog
from cli.terminal.answers import refusal_json
from domain.choice import Choice
from domain.common.revisions import REVISIONS, Amend, Redo, Undo
from domain.log.backdating import NOW, Backdating, with_conflict_answer
from domain.log.deciding import with_names
from domain.log.effective_history import effective_history
from domain.log.points import turn_at
from domain.log.port import turn_in
from domain.log.revising import ChangedTurn
from domain.refusal import Conflict, Invalid, LaterTurn, Refusal
from domain.registry import action_from, tag_of
from domain.system.rulesystem import RuleSystem
from domain.turn import Action
from projections.preview import ActionPreview, RestsOnDraw, simulate
from projections.revision_targets import revision_targets
from projections.sentences import plain

#: Changes of later turns that are told one by one.
MOST_LATER = 40
MOVED_ON = "The table has moved on since this was previewed: it is T{} now. Preview it again."
NOT_PREVIEWED = "This is not what was previewed with that fingerprint. Preview it again."
FOR_THE_KEEPER = "That is for whoever keeps the log."
RESTED_ON = "Later turns rest on it; whoever keeps the log can settle that."
#: What `record` answers before it has recorded anything.
NOTHING = ToolAnswer("", {"turns": [], "sentences": []})


class Assistant(Readings):
    """What an assistant can do at one table."""

    def __init__(self, log: StoredLog, system: RuleSystem, viewer: str | None = None) -> None:
        super().__init__(log, system, viewer)
        #: the questions that were put, by what they were about: doing the same again answers "as it stands"
        self._asked: set[str] = set()

    def answer(self, run: Callable[["Assistant", Any], ToolAnswer], given: Arguments) -> ToolAnswer:
        """What a tool answers; a refusal is an answer too. Raises Invalid and what the log raises."""
        try:
            return run(self, given)
        except Refusal as refusal:
            return _together([*([NOTHING] if isinstance(given, RecordArguments) else []), _refused(refusal)])
        except Conflict as conflict:
            reason = IN_THE_WAY if self.audience.eyes is None else RESTED_ON
            data = refusal_json(conflict) if self.audience.eyes is None else {}
            return ToolAnswer(reason, {**refusal_json(Refusal(None, reason)), **data})

    # -- before it is recorded -----------------------------------------------------------------------------

    def preview(self, given: PreviewArguments) -> ToolAnswer:
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
        after, before = (None if point is None else point_of(point) for point in (given.after, given.before))
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
        later: list[ToolAnswer] = []
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
    ) -> tuple[list[str], list[ToolAnswer], Sequence[LaterTurn]]:
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
            sentences += sentences_of_earlier(conversation, preview.changed, actions)
        return [*filter(None, sentences), *preview.unmoved], self._later(preview), preview.conflicts

    def _later(self, preview: ActionPreview) -> list[ToolAnswer]:
        """The earlier and later turns that would come out differently."""
        changes = [self._changed(change) for change in islice(preview.changed, MOST_LATER)]
        changes += [
            ToolAnswer(f"T{turn} moves to after T{place}.", {"turn": turn, "moved_after": place})
            for turn, place in preview.moved.items()
        ]
        left_out = len(preview.changed) - MOST_LATER
        if left_out > 0:
            changes.append(ToolAnswer(f"{left_out} more turns come out differently.", {"left_out": left_out}))
        return changes

    def _changed(self, change: ChangedTurn) -> ToolAnswer:
        before = None if change.before is None else self.audience.sentences(change.before)
        after = None if change.after is None or change.open else self.audience.sentences(change.after)
        became = "open until it is recorded" if change.open else after or "undone"
        data = {"turn": change.turn, "before": before, "after": after, **({"open": True} if change.open else {})}
        return ToolAnswer(f"T{change.turn}: {before or 'undone'} → {became}", data)

    def _targets(self, actions: Sequence[Action]) -> list[ToolAnswer]:
        """The turns that a revision names, as a player may know them beforehand."""
        assert self.audience.eyes is not None
        targets = (
            target for action in actions for target in revision_targets(self.handler, action, self.audience.eyes)
        )
        return [
            ToolAnswer(
                f"T{target.turn}: {plain(target.parts) or 'undone'} → {target.how}",
                {"turn": target.turn, "how": target.how, "before": plain(target.parts)},
            )
            for target in targets
        ]

    def _question(self, ask: Ask) -> dict[str, Any]:
        choices = [self.choice(answer.choice) for answer in ask.answers if answer.choice is not None]
        return {"text": ask.why or "Which?", "choices": choices, **({"drawn": True} if ask.drawn else {})}

    def _conflict_question(self, actions: Sequence[Action], backdating: Backdating) -> dict[str, Any]:
        """What becomes of later turns that are no longer legal: the same action with its answer."""
        choices = []
        for conflicts, says in SETTLED.items():
            settled = [with_conflict_answer(action, backdating, conflicts) for action in actions]
            again = {"conflicts": conflicts} if settled[0][1].conflicts else {}
            choices.append({"label": says, "action": _as_given(settled[0][0]), **again})
        return {"text": IN_THE_WAY, "choices": choices}

    # -- recording -----------------------------------------------------------------------------------------

    def record(self, given: RecordArguments) -> ToolAnswer:
        """Record actions: one turn each, or as one line that is done whole or not at all."""
        actions, backdating = self._actions(given), self._backdating(given)
        # nobody else writes between the look at the fingerprint and the append
        with self.log.exclusive_access() if given.fingerprint is not None else nullcontext():
            if given.fingerprint is not None:
                last = self.log.last()  # asked of the log itself, which nobody else writes to any more
                if given.fingerprint.partition(" ")[0] != str(last):
                    return _together([NOTHING, _refused(Refusal(None, MOVED_ON.format(last)))])
                foreseen = self._foreseen(actions, backdating, together=given.together)
                if foreseen.fingerprint != given.fingerprint:
                    return _together([NOTHING, _refused(Refusal(None, NOT_PREVIEWED))])
                self._asked.add(foreseen.fingerprint)  # perhaps by a process that is gone
            lines = [tuple(actions)] if given.together else [(action,) for action in actions]
            return self._record(lines, backdating, given.by)

    def _conversation(self, by: str | None) -> Conversation:
        return Conversation(self.handler, self.audience, by=author(by), confirms=False, via="assistant")

    def _record(self, lines: Sequence[tuple[Action, ...]], backdating: Backdating, by: str | None) -> ToolAnswer:
        """Do each line through the conversation, up to the first that is refused or asked about."""
        conversation, numbers, before = self._conversation(by), list[int](), self.handler.last()
        stopped: ToolAnswer | None = None
        for line in lines:
            try:
                stopped = self._do(conversation, line, backdating, numbers)
            except Refusal as refusal:
                stopped = _refused(refusal)
            except Conflict as conflict:
                stopped = self._in_the_way(conflict.turns, line, backdating)
            except (Invalid, *AFTERWARDS) as error:
                if not numbers:
                    raise
                failure = system_failure(error)
                stopped = _refused(Refusal(None, failure[0] if failure is not None else str(error)))
            if stopped is not None:
                conversation.leave()
                break
        entries = [entry for entry in self.audience.recent(before, self.handler.last()) if entry.turn in numbers]
        sentences = [entry.sentence for entry in entries]
        parts = [ToolAnswer("\n".join(map(line_of, entries)), {"turns": numbers, "sentences": sentences})]
        parts += [stopped] if stopped is not None else []
        if waits := self.waits():
            parts.append(ToolAnswer("\n".join(waiting_lines(waits)), {"waits": waits}))
        return _together(parts)

    def _do(
        self, conversation: Conversation, line: tuple[Action, ...], backdating: Backdating, numbers: list[int]
    ) -> ToolAnswer | None:
        """Do one line, and add its turns to `numbers`; what it stopped at, or None. Raises as the conversation does."""
        step = conversation.do(Understood(line), backdating)
        while True:
            match step:
                case TurnsRecorded(outcomes):
                    numbers += [outcome.turn.number for outcome in outcomes]
                    step = conversation.proceed()
                case Ask(kind="rules"):
                    answer = self._as_it_stands(step, line, backdating)
                    if answer is None:
                        return _asking(self._question(step))
                    step = conversation.choose(answer)
                case Ask():
                    return self._in_the_way(step.conflicts, line, backdating)
                case _:
                    return None

    def _as_it_stands(self, ask: Ask, line: tuple[Action, ...], backdating: Backdating) -> Answer | None:
        """The answer that leaves the action as it was sent, if this very question was put before; else None."""
        mark = _mark(self.handler.last(), line, backdating, [ask.why])
        is_asked = mark in self._asked or (
            not ask.drawn and self._foreseen(line, backdating, together=True).fingerprint in self._asked
        )
        self._asked.add(mark)
        if not is_asked:
            return None
        drafts = [_as_given(with_names(action, self.handler.state())) for action in line]
        return next((answer for answer in ask.answers if self._leaves(answer.choice, drafts)), None)

    def _leaves(self, choice: Choice | None, drafts: Sequence[dict[str, Any]]) -> bool:
        """Whether a choice is one of these actions unchanged."""
        if choice is None or choice.asks:
            return False
        return _as_given(action_from(self.log.rules, {"type": tag_of(choice.action), **choice.fields})) in drafts

    def _in_the_way(self, conflicts: Sequence[LaterTurn], line: Sequence[Action], backdating: Backdating) -> ToolAnswer:
        if self.audience.eyes is not None:
            return _refused(Refusal(None, RESTED_ON))
        return _together([_no_longer_legal(conflicts), _asking(self._conflict_question(line, backdating))])

    # -- taking back ---------------------------------------------------------------------------------------

    def undo(self, given: UndoArguments) -> ToolAnswer:
        """Undo turns; nothing is erased."""
        turns = None
        if given.turns is not None:
            several = given.turns if isinstance(given.turns, list) else [given.turns]
            turns = tuple(map(self._turn, several))
        return self._revise(Undo(turns=turns, last=given.last, why=given.why, conflicts=given.conflicts), given)

    def redo(self, given: RedoArguments) -> ToolAnswer:
        """Restore what an undo took back."""
        turn = None if given.turn is None else self._turn(given.turn)
        return self._revise(Redo(turn=turn, last=given.last, conflicts=given.conflicts), given)

    def amend(self, given: AmendArguments) -> ToolAnswer:
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

    def _revise(self, action: Undo | Redo | Amend, given: UndoArguments | RedoArguments | AmendArguments) -> ToolAnswer:
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
        return turn_at(point_of(turn), self.log)


class Foreseen(Struct, frozen=True):
    """What recording actions would come to, when `last` is the last turn."""

    last: int
    actions: Sequence[Action]
    backdating: Backdating
    sentences: list[str]
    later: list[ToolAnswer]
    conflicts: Sequence[LaterTurn]
    question: dict[str, Any] | None
    refusal: Refusal | None

    @property
    def fingerprint(self) -> str:
        """A short text of what would be recorded, and what was said of it."""
        asked = [self.question["text"]] if self.question is not None else []
        refused = [str(self.refusal)] if self.refusal is not None else []
        return _mark(self.last, self.actions, self.backdating, [*self.sentences, *asked, *refused])

    def answer(self) -> ToolAnswer:
        """It as a tool answers it."""
        said = {"fingerprint": self.fingerprint, "sentences": self.sentences}
        parts = [ToolAnswer("\n".join(self.sentences), said)]
        if self.refusal is not None and self.question is None:
            parts.append(_refused(self.refusal))
        changes = [change.data for change in self.later]
        parts.append(ToolAnswer("\n".join(change.text for change in self.later), {"changes_later": changes}))
        if self.conflicts:
            parts.append(_no_longer_legal(self.conflicts))
        if self.question is not None:
            parts.append(_asking(self.question))
        return _together(parts)


def _mark(last: int, actions: Sequence[Action], backdating: Backdating, said: Sequence[str]) -> str:
    value = msgspec.json.encode([list(map(_as_given, actions)), msgspec.to_builtins(backdating), said], order="sorted")
    return f"{last} {blake2b(value, digest_size=9).hexdigest()}"


def _as_given(action: Action) -> dict[str, Any]:
    """An action as `preview` and `record` take it, with lists, which builtins of it would not have."""
    value: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(action))
    return value


def _refused(refusal: Refusal) -> ToolAnswer:
    return ToolAnswer(f"Refused: {refusal}", refusal_json(refusal))


def _no_longer_legal(turns: Sequence[LaterTurn]) -> ToolAnswer:
    sentences = (f"T{later.turn} would no longer be legal: {later.reason}" for later in turns)
    return ToolAnswer("\n".join(sentences), {"conflicts": [msgspec.to_builtins(later) for later in turns]})


def _asking(question: dict[str, Any]) -> ToolAnswer:
    return ToolAnswer(question_line("The rules ask", question), {"question": question})


def _together(parts: Sequence[ToolAnswer]) -> ToolAnswer:
    """One answer of its parts: their sentences in their order, and all their data."""
    text = "\n".join(part.text for part in parts if part.text)
    return ToolAnswer(text or "Nothing would change.", {key: part.data[key] for part in parts for key in part.data})
