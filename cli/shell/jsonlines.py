"""The strict reader of JSON lines: one object a line, nothing repaired; actions with their author, time and place."""

import json
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from msgspec import ValidationError, convert

from domain.log.backdating import PLACES, Backdating
from domain.refusal import Invalid
from domain.registry import action_from, action_kinds
from domain.system.field_schema import stored_fields
from domain.times import moment_of
from domain.turn import unsound

#: Bytes of a line at most; no real action is longer.
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


class AnyLineEnd:
    """The bytes of a stream in lines that may end with CR alone, too, as some programs write them."""

    def __init__(self, stream: TextIOWrapper) -> None:
        stream.reconfigure(encoding="latin-1", newline=None)  # each byte as it is, and each line end as \n
        self._stream = stream

    def readline(self, size: int, /) -> bytes:
        """The next line, of at most so many bytes."""
        return self._stream.readline(size).encode("latin-1")


def lines_of(stream: BinaryIO | AnyLineEnd, longest: int = LONGEST_LINE) -> Iterator[bytes | None]:
    """The lines of a stream; None for one of more than `longest` bytes, the rest of which is skipped."""
    while line := stream.readline(longest + 1):
        if len(line) > longest and not line.endswith(b"\n"):
            yield None  # before the rest is skipped, which may have no end
            while (more := stream.readline(LONGEST_LINE)) and not more.endswith(b"\n"):
                pass
        else:
            yield line


def strict_object(line: bytes | None) -> dict[str, Any]:
    """Decode one JSON object. Raises Invalid for broken JSON, duplicate names, NaN, too large numbers or depths."""
    if line is None:
        raise Invalid(f"The line is longer than {LONGEST_LINE:,} bytes; an action is a short line of JSON.")
    try:
        text = line.decode("utf-8-sig").rstrip("\r\n")  # so that an error at the end is reported for this line
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
    names_and_values = dict(pairs)
    if len(names_and_values) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Invalid(f"The line names {twice!r} twice.")
    return names_and_values


def _no_constant(text: str) -> NoReturn:
    raise Invalid(f"{text} is not a number that can be kept.")


#: The keys of a line beside its action, and the command handler's names for them.
ABOUT = {"by": "by", "at": "at", "id": "turn_id"}


def action_and_author(rules: str, value: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The action of a line, and its author, time, id and place.

    If an action has a field of such a name (healing is by "magic" or an "item"), a value that fits the field belongs to
    the action.
    """
    about: dict[str, Any] = {}
    place: dict[str, Any] = {}
    for key in (*ABOUT, *PLACES, "conflicts", "cites"):
        if _is_of_the_action(rules, value, key):
            continue
        field_value = value.pop(key, None)
        if field_value is None:
            continue
        if key == "cites":
            about[key] = _paragraphs(field_value)
            continue
        if key in PLACES and type(field_value) is int and field_value > 0:  # turns are numbers in JSON
            field_value = f"T{field_value}"
        if (
            not isinstance(field_value, str)
            or not field_value.strip()
            or len(field_value) > 200
            or unsound(field_value)
        ):
            raise Invalid(f"{key} must be a short text of 1 to 200 characters.")
        (about if key in ABOUT else place)[ABOUT.get(key, key)] = field_value
    if place:
        about["backdating"] = _backdating(place)
    if "at" in about:
        about["at"] = _time_with_zone(about["at"])
    action = action_from(rules, value)
    return action, about


def _paragraphs(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(paragraph, str) for paragraph in value):
        raise Invalid('cites must be a list of paragraphs, like ["6.4", "6.5"].')
    return value


def _backdating(place: dict[str, str]) -> Backdating:
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


def _time_with_zone(text: str) -> datetime:
    try:
        has_zone = datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        has_zone = False
    when = moment_of(text, str) if has_zone else None
    if when is None:
        raise Invalid(f"at must be an ISO time with its zone, like 2026-01-31T19:30:00+01:00, not {text[:60]!r}.")
    return when
