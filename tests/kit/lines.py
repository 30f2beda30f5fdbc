"""Lines typed at a table of the kit: what they mean, what is unclear about them, and what they come to."""

from typing import Any

import msgspec
import pytest

from cli.line.context import Context
from cli.line.errors import LineError
from cli.line.understanding import Understood, understand
from cli.line.words import Line, line_of_arguments, tokenize
from domain.refusal import Invalid, Refusal

from .given import Given

#: The questions that a surface answers besides verbs.
QUESTIONS = ("why", "show", "status", "stats", "log")


def context(table: Given) -> Context:
    """What a line is understood against at this table."""
    return Context(table.system, table.handler.state(), table.log)


def understood(table: Given, line: str | Line) -> Understood:
    """What a line means at this table."""
    return understand(tokenize(line) if isinstance(line, str) else line, context(table), QUESTIONS)


def means(table: Given, line: str | Line) -> list[dict[str, Any]]:
    """The actions of a line as JSON, each without its tag's system."""
    meanings = [msgspec.to_builtins(action) for action in understood(table, line).actions]
    return [msgspec.json.decode(msgspec.json.encode(continuation)) for continuation in meanings]


def one(table: Given, line: str | Line) -> dict[str, Any]:
    """The only action of a line as JSON, without its type."""
    (action,) = means(table, line)
    return {key: value for key, value in action.items() if key != "type"}


def on_shell(*arguments: str) -> Line:
    """A line as a shell hands it over."""
    return line_of_arguments(arguments)


def unclear(table: Given, line: str, reason: str) -> None:
    """The line may mean any of these, and nothing is guessed: it is refused, and names them."""
    with pytest.raises(LineError) as error:
        understood(table, line)
    assert error.value.reason == reason


def lacks(table: Given, line: str, *fields: str) -> None:
    """The line does not say these fields yet."""
    with pytest.raises(LineError) as error:
        understood(table, line)
    assert list(error.value.missing) == list(fields), str(error.value)


def misread(table: Given, line: str, saying: str) -> None:
    """The line is not understood, and says so."""
    with pytest.raises(LineError) as error:
        understood(table, line)
    assert saying in str(error.value), str(error.value)


def refused(table: Given, line: str, saying: str) -> None:
    """Somebody or something is not there, or no such value is taken."""
    with pytest.raises((Refusal, Invalid)) as error:
        understood(table, line)
    assert not isinstance(error.value, LineError)
    assert saying in str(error.value), str(error.value)
