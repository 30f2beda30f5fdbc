"""JSON as it comes from outside: one object a line, nothing silently repaired."""

import json
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from msgspec import ValidationError, convert

from cli.recording.authorship import moment
from domain.log.backdating import Backdating
from domain.refusal import Invalid
from domain.registry import action_from, action_kinds
from domain.system.field_schema import stored_fields
from domain.turn import unsound

#: No action of a table is longer; a line that is would be a mistake or an attack.
LONGEST_LINE = 1_000_000


def stream_of(file: str) -> AbstractContextManager[BinaryIO]:
    """The file of this name, or standard input for "-". Raises Invalid if it cannot be read."""
    if file != "-":
        try:
            return Path(file).open("rb")
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "that is not the name of a file"
            raise Invalid(f"{file} cannot be read: {why.lower()}.") from None
    if sys.stdin is None:
        raise Invalid("Standard input is closed; name a file of JSON lines instead.")
    return nullcontext(sys.stdin.buffer)


def lines_of(stream: BinaryIO, longest: int = LONGEST_LINE) -> Iterator[bytes | None]:
    """The lines of a stream, None for one that is longer than so many bytes (the rest of it is skipped)."""
    while line := stream.readline(longest + 1):
        if len(line) > longest and not line.endswith(b"\n"):
            yield None  # said before the rest is skipped, which may have no end
            while (more := stream.readline(LONGEST_LINE)) and not more.endswith(b"\n"):
                pass
        else:
            yield line


def strict_object(line: bytes | None) -> dict[str, Any]:
    """One JSON object. Raises Invalid for broken JSON, doubled names, NaN, numbers and depths beyond bounds."""
    if line is None:
        raise Invalid(f"The line is longer than {LONGEST_LINE:,} bytes; an action is a short line of JSON.")
    try:
        text = line.decode("utf-8-sig").rstrip("\r\n")  # else an error at the end would be told of the next line
        value = json.loads(text, object_pairs_hook=_without_doubles, parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise Invalid("The line is not UTF-8 text.") from None
    except json.JSONDecodeError as error:
        raise Invalid(f"The line is not JSON: {error.msg} at column {error.colno}.") from None
    except RecursionError:
        raise Invalid("The line is nested too deeply to be an action.") from None
    except ValueError:
        raise Invalid("The line holds a number with too many digits; whole numbers go up to ±2^53.") from None
    if not isinstance(value, dict):
        raise Invalid('The line is not an action; one looks like {"type": "note", "text": "…"}.')
    return value


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        doubled = next(name for name in names if names.count(name) > 1)
        raise Invalid(f"The line names {doubled!r} twice.")
    return found


def _no_constant(text: str) -> NoReturn:
    raise Invalid(f"{text} is not a number that can be kept.")


#: What a line may say besides its action, and what the command handler calls it.
ABOUT = {"by": "by", "at": "at", "id": "turn_id"}
#: Where it happened, told late: directly after a turn, or before one.
PLACE = ("after", "before")


def action_and_author(rules: str, value: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The action of a line, and who said it, when, under which id.

    Where an action has a field of such a name (healing is by "magic" or an "item"), a value fit for that field
    is the action's.
    """
    about: dict[str, Any] = {}
    place: dict[str, Any] = {}
    for key in (*ABOUT, *PLACE, "conflicts", "cites"):
        if _is_of_the_action(rules, value, key):
            continue
        told = value.pop(key, None)
        if told is None:
            continue
        if key == "cites":
            about[key] = _paragraphs(told)
            continue
        if key in PLACE and type(told) is int and told > 0:  # turns are numbers in JSON
            told = f"T{told}"
        if not isinstance(told, str) or not told.strip() or len(told) > 200 or unsound(told):
            raise Invalid(f"{key} is a short text of 1 to 200 characters.")
        (about if key in ABOUT else place)[ABOUT.get(key, key)] = told
    if place:
        about["backdating"] = _telling(place)
    if "at" in about:
        about["at"] = _zoned(about["at"])
    action = action_from(rules, value)
    return action, about


def _paragraphs(told: Any) -> list[str]:
    if not isinstance(told, list) or not all(isinstance(each, str) for each in told):
        raise Invalid('cites is a list of paragraphs, like ["6.4", "6.5"].')
    return told


def _telling(place: dict[str, str]) -> Backdating:
    try:
        backdating = convert(place, Backdating)
    except ValidationError:
        raise Invalid("conflicts are settled with drop or keep.") from None
    if not backdating:
        raise Invalid("conflicts goes with after or before, or with an action that revises others.")
    return backdating


def _is_of_the_action(rules: str, value: dict[str, Any], key: str) -> bool:
    if key not in value or not isinstance(value.get("type"), str):
        return False
    kind = action_kinds(rules).get(value["type"])
    field = stored_fields(kind).get(key) if kind else None
    if field is None or key == "conflicts":
        return field is not None
    try:
        return convert(value[key], field.type) is not None
    except (ValidationError, UnicodeError):  # the latter for half of a surrogate pair
        return False


def _zoned(text: str) -> datetime | None:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        when = None
    if when is None or when.tzinfo is None:
        raise Invalid(f"at is an ISO time with its zone, like 2026-01-31T19:30:00+01:00, not {text[:60]!r}.")
    return moment(text)
