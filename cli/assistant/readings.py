"""What an assistant reads at one table: the sheets, the chronicle, why and when, the rules, recaps, questions.

Every answer has a text, in sentences, and the same as data beside it. Texts of the log are data: nothing here acts on
what they say.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from cli.assistant.arguments import (
    DescribeArguments,
    LogArguments,
    QueryArguments,
    RecapArguments,
    RulesArguments,
    TableArguments,
    WhenArguments,
    WhyArguments,
    schema_of,
)
from cli.recording.audience import Audience
from cli.recording.choosing import question_of
from cli.shell import readings
from cli.shell.command_context import handler_for
from cli.shell.references import session_number
from cli.store.stored_log import StoredLog
from cli.terminal.sheet import brief_lines
from domain.choice import Choice
from domain.log.folding import state_at
from domain.log.points import turn_at
from domain.naming import called, capitalised, ended
from domain.refusal import Invalid
from domain.registry import action_from, action_kinds, tag_of, verb_name
from domain.system.drafts import about
from domain.system.field_schema import fields_of
from domain.system.paragraphs import known_rule
from domain.system.rulesystem import RuleSystem
from domain.turn import Action
from domain.values import as_json, in_words
from projections.chronicle import Entry
from projections.sheets import status_of
from projections.views.rulebook import LivingParagraph

#: Columns of a character's line in the text of `table`.
COLUMNS = 100


class ToolAnswer(Struct, frozen=True):
    """What a tool answers, or a part of it: sentences, and the same as data."""

    text: str
    data: dict[str, Any]


class Readings:
    """One open campaign, as the keeper or one player (`viewer`) may know it."""

    def __init__(self, log: StoredLog, system: RuleSystem, viewer: str | None = None) -> None:
        self.log, self.system, self.viewer = log, system, viewer
        self.handler = handler_for(log)
        self.audience = Audience(log, system, self.handler.state, viewer=viewer, keeper=viewer is None)

    def table(self, given: TableArguments) -> ToolAnswer:
        """The sheets, what the table waits for, and what may be done."""
        last = self.handler.last()
        point = last if given.at is None else turn_at(point_of(given.at), self.log)
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
            lines += waiting_lines(data["waits"])
        return ToolAnswer("\n".join(lines), data)

    def waits(self) -> list[dict[str, Any]]:
        """What the table waits for, with the actions that settle it."""
        return [
            {
                "text": question_of(decision) or "Next:",
                "choices": [self.choice(choice) for choice in decision.choices],
                **({"or": decision.leave} if decision.leave else {}),
            }
            for decision in self.audience.pending()
        ]

    def _verbs(self) -> list[type[Action]]:
        """The actions that people enter; those that only answer what is pending, while it is."""
        pending = {choice.action for choice in self.audience.choices()}
        kinds = action_kinds(self.log.rules).values()
        return [kind for kind in kinds if kind in pending or (kind.has_verb and not kind.only_when_pending)]

    def describe(self, given: DescribeArguments) -> ToolAnswer:
        """The fields of one action as JSON Schema, or all actions in brief."""
        kinds = {tag: kind for tag, kind in action_kinds(self.log.rules).items() if kind.has_verb}
        if given.verb is None:
            verbs = [_in_brief(tag, kind) for tag, kind in kinds.items()]
            lines = [f"{verb['type']} ({', '.join(verb['needs'])}): {verb['help']}" for verb in verbs]
            return ToolAnswer("\n".join(lines), {"verbs": verbs})
        sought = given.verb.strip().casefold().replace("_", "-")
        for tag, kind in kinds.items():
            names = {tag.replace("_", "-"), tag.rpartition(".")[2].replace("_", "-"), verb_name(kind), *kind.shorts}
            if sought in {name.casefold() for name in names}:
                data = {**_in_brief(tag, kind), "help": (kind.__doc__ or "").strip(), "schema": schema_of(kind)}
                return ToolAnswer(f"{tag}: {data['help']}\n{as_json(data['schema'])}", data)
        action_from(self.log.rules, {"type": given.verb})  # says which are near
        raise Invalid(f"{given.verb[:60]!r} is recorded by the program itself.")

    def turns(self, given: LogArguments) -> ToolAnswer:
        """The turns, oldest first, as this viewer may know them."""
        upto = None if given.at is None else turn_at(point_of(given.at), self.log)
        session = "" if given.session is None else str(session_number(str(given.session)))
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
        lines = [*map(line_of, entries), *(["There are earlier ones."] if more else [])]
        return ToolAnswer("\n".join(lines) or "No turn matches.", {"turns": rows, "more": more})

    def why(self, given: WhyArguments) -> ToolAnswer:
        """The turns that made a value what it is, newest first."""
        page = readings.why(self.log, self.system, self.viewer, given.what)
        changes = page.changes[: given.n]
        rows = [
            {
                "turn": change.turn,
                "old": change.old,
                "new": change.new,
                "sentence": change.sentence,
                "rules": list(change.rules),
                "rulings": msgspec.to_builtins(change.rulings),
            }
            for change in changes
        ]
        value = changes[0].new if changes else None
        lines = [f"{page.about}: {'nothing' if value is None else in_words(value)}"]
        for change in changes:
            rules = f" ({', '.join(change.rules)})" if change.rules else ""
            lines.append(f"T{change.turn} {in_words(change.old)} → {in_words(change.new)}: {change.sentence}{rules}")
        left_out = page.left_out or len(page.changes) > given.n
        data = {"character": page.about.character or None, "field": page.about.path, "value": value}
        return ToolAnswer("\n".join(lines), {**data, "changes": rows, "more": left_out})

    def when(self, given: WhenArguments) -> ToolAnswer:
        """The turns at which a condition became true, newest first."""
        rows = readings.when(self.log, self.system, self.viewer, given.condition)
        lines = [f"T{row.turn} {row.sentence} ({f'until T{row.until}' if row.until else 'still so'})" for row in rows]
        return ToolAnswer("\n".join(lines) or "That was never true.", {"times": msgspec.to_builtins(rows)})

    def rules(self, given: RulesArguments) -> ToolAnswer:
        """The rules as they are played: one paragraph with its history, those that say some words, or all in brief."""
        has_number = given.rule is not None and any(sign.isdecimal() for sign in given.rule)
        book = readings.rules(self.log, self.system, self.viewer, "" if has_number else given.rule or "")
        shown: Sequence[LivingParagraph] = book.paragraphs
        if given.rule is not None and has_number:
            number = known_rule(self.system, given.rule, self.handler.state().campaign.paragraphs)
            shown = [paragraph for paragraph in shown if paragraph.rule == number]
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

            return ToolAnswer(paragraphs(book, shown), {"rules": rows})
        return ToolAnswer("\n".join(f"{row['rule']} {row['title']}" for row in rows), {"rules": rows})

    def recap(self, given: RecapArguments) -> ToolAnswer:
        """One evening as a story."""
        number = None if given.session is None else session_number(str(given.session))
        evening = readings.recap(self.log, self.system, self.viewer, number)
        from cli.pages.recap import markdown_of

        return ToolAnswer(markdown_of(evening), evening.as_json())

    def query(self, given: QueryArguments) -> ToolAnswer:
        """One select on the tables, in a process that can do nothing else."""
        result = readings.query(self.log, self.system, self.viewer, given.sql)
        rows = [list(row) for row in result.rows[: given.limit]]
        more = result.cut or len(result.rows) > given.limit
        lines = [" | ".join(map(str, row)) for row in (result.columns, *rows)]
        data = {"columns": list(result.columns), "rows": rows, "more": more}
        return ToolAnswer("\n".join([*lines, *(["There are more rows."] if more else [])]), data)

    def choice(self, choice: Choice) -> dict[str, Any]:
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

    # -- resources -----------------------------------------------------------------------------------------

    def sheets(self) -> dict[str, dict[str, Any]]:
        """The sheet of each character, as this viewer may know it."""
        return self.audience.sheets(self.handler.state())

    def rulebook(self) -> str:
        """The rules as they are played, as Markdown."""
        from cli.pages.rulebook import markdown_of

        return markdown_of(readings.rules(self.log, self.system, self.viewer))


def question_line(lead: str, question: dict[str, Any]) -> str:
    """A question with its choices in one line."""
    return f"{lead}: {question['text']} [{'; '.join(choice['label'] for choice in question['choices'])}]"


def waiting_lines(waits: Sequence[dict[str, Any]]) -> list[str]:
    """A line for each thing that the table waits for."""
    return [question_line("The table waits", question) for question in waits]


def line_of(entry: Entry) -> str:
    undone = f" [undone by T{entry.undone_by}]" if not entry.standing else ""
    by = f" ({entry.recorded_by})" if entry.recorded_by else ""
    return f"T{entry.turn}{entry.mark} {entry.sentence}{undone}{by}"


def point_of(point: int | str) -> str:
    """A place in the log as it is written: a bare number is a turn."""
    text = str(point).strip()
    return f"T{text}" if text.isdecimal() and len(text) < 7 else text


def _in_brief(tag: str, kind: type[Action]) -> dict[str, Any]:
    needs = [field.key for field in fields_of(kind) if field.required]
    return {
        "type": tag,
        "verb": verb_name(kind),
        "shorts": list(kind.shorts),
        "help": ended((kind.__doc__ or "").strip().partition("\n")[0]),
        "needs": needs,
    }
