"""What each tool takes, as a Struct: its JSON Schema is derived from it, and what is sent is checked by it."""

from typing import Annotated, Any, ClassVar, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from domain.refusal import Invalid
from domain.registry import tag_of
from domain.system.field_schema import fields_of
from domain.turn import Action, Positive

#: A place in the log, or a turn, as people write it: T12, 12, S3, @-3.
Point = Annotated[int | str, Meta(description="a place in the log: 12 or T12 for a turn, S3 for the end of a session")]
TurnNumber = Annotated[int | str, Meta(description="a turn: 12 or T12")]
Why = Annotated[str | None, Meta(description="the reason, which is kept")]
DryRun = Annotated[bool, Meta(description="only say what it would change")]
Conflicts = Annotated[
    Literal["drop", "keep"] | None,
    Meta(description="of later turns that would no longer be legal: undo them too (drop), or keep them as they were"),
]
Actions = Annotated[
    list[dict[str, Any]],
    Meta(
        min_length=1,
        max_length=20,
        description='what happened, each with its type and fields as `describe` says: [{"type": "note", "text": "…"}]',
    ),
]


class Arguments(Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of one tool. `like` shows a call of it."""

    like: ClassVar[str] = "{}"


class TableArguments(Arguments, frozen=True):
    at: Annotated[Point | None, Meta(description="as of here (default: now)")] = None


class DescribeArguments(Arguments, frozen=True):
    like: ClassVar = '{"verb": "note"}'

    verb: Annotated[str | None, Meta(description="one verb, its short name or its type (default: all in brief)")] = None


class PreviewArguments(Arguments, frozen=True, kw_only=True):
    like: ClassVar = '{"actions": [{"type": "note", "text": "…"}]}'

    actions: Actions
    together: Annotated[bool, Meta(description="all of them or none, as one line at the table")] = False
    after: Annotated[TurnNumber | None, Meta(description="told late: it happened directly after this turn")] = None
    before: Annotated[TurnNumber | None, Meta(description="told late: it happened directly before this turn")] = None
    conflicts: Conflicts = None


class RecordArguments(PreviewArguments, frozen=True, kw_only=True):
    by: Annotated[str | None, Meta(description="who says that it happened, a person at the table")] = None
    fingerprint: Annotated[
        str | None,
        Meta(description="that of the preview which the table saw; refused if the table has moved on since"),
    ] = None


class UndoArguments(Arguments, frozen=True, kw_only=True):
    like: ClassVar = '{"turns": [12], "why": "it was Ada"}'

    turns: Annotated[list[int | str] | int | str | None, Meta(description="these turns (default: the latest line)")] = (
        None
    )
    last: Annotated[Positive | None, Meta(description="so many of the latest turns")] = None
    why: Why = None
    dry_run: DryRun = False
    conflicts: Conflicts = None
    by: Annotated[str | None, Meta(description="who takes it back")] = None


class RedoArguments(Arguments, frozen=True, kw_only=True):
    turn: Annotated[TurnNumber | None, Meta(description="the turn of the undo (default: the latest undo)")] = None
    last: Annotated[Positive | None, Meta(description="so many of the latest undos")] = None
    dry_run: DryRun = False
    conflicts: Conflicts = None
    by: Annotated[str | None, Meta(description="who restores it")] = None


class AmendArguments(Arguments, frozen=True, kw_only=True):
    like: ClassVar = '{"turn": 12, "set": {"amount": 11}}'

    turn: TurnNumber
    set: Annotated[dict[str, Any], Meta(description="the fields of its action that change; null clears one")]
    why: Why = None
    dry_run: DryRun = False
    conflicts: Conflicts = None
    by: Annotated[str | None, Meta(description="who corrects it")] = None


class LogArguments(Arguments, frozen=True):
    like: ClassVar = '{"character": "Brog", "n": 10}'

    at: Annotated[Point | None, Meta(description="nothing after this place (default: now)")] = None
    session: Annotated[int | str | None, Meta(description="only this session: 3 or S3")] = None
    character: Annotated[str | None, Meta(description="only turns of this character")] = None
    grep: Annotated[str | None, Meta(description="only sentences with all of these words")] = None
    n: Annotated[int, Meta(ge=1, le=100, description="only the last n of them")] = 20


class WhyArguments(Arguments, frozen=True):
    like: ClassVar = '{"what": "Brog.hp"}'

    what: Annotated[str, Meta(description="a value on a sheet as CHARACTER.FIELD, or a character alone")]
    n: Annotated[int, Meta(ge=1, le=40, description="only the newest n changes")] = 10


class WhenArguments(Arguments, frozen=True):
    like: ClassVar = '{"condition": "Brog.hp < 5"}'

    condition: Annotated[str, Meta(description="fields compared with < <= > >= = != contains; any.hp is anybody's")]


class RulesArguments(Arguments, frozen=True):
    like: ClassVar = '{"rule": "6.4"}'

    rule: Annotated[str | None, Meta(description="one paragraph, or words to look for (default: all in brief)")] = None


class RecapArguments(Arguments, frozen=True):
    like: ClassVar = '{"session": 3}'

    session: Annotated[int | str | None, Meta(description="3 or S3 (default: the last one)")] = None


class QueryArguments(Arguments, frozen=True):
    like: ClassVar = '{"sql": "select turn, sentence from turns order by turn desc", "limit": 5}'

    sql: Annotated[str, Meta(description="one select on the tables turns, events, changes, sheets and others")]
    limit: Annotated[int, Meta(ge=1, le=200, description="rows at most")] = 50


A = TypeVar("A", bound=Arguments)


def arguments_of(tool: str, kind: type[A], given: dict[str, Any] | None) -> A:
    """The arguments that were sent to a tool. Raises Invalid, which says what would be right."""
    try:
        return msgspec.convert(given or {}, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        fields = [f"{field.encode_name}{'' if field.required else '?'}" for field in msgspec.structs.fields(kind)]
        raise Invalid(f"{tool}: {str(error).rstrip('.')}. It takes {', '.join(fields)}, like {kind.like}") from None


def schema_of(kind: type[Struct]) -> dict[str, Any]:
    """The JSON Schema of the arguments of a tool, or of an action as `preview` and `record` take it."""
    _, definitions = msgspec.json.schema_components((kind,))
    schema: dict[str, Any] = {**definitions.pop(kind.__name__), **({"$defs": definitions} if definitions else {})}
    if issubclass(kind, Action):
        for field in fields_of(kind):
            if field.otherwise:
                schema["properties"][field.key]["description"] = field.description
        schema["properties"]["type"] = {"const": tag_of(kind)}
        return schema
    return {name: value for name, value in schema.items() if name not in ("title", "description")}
