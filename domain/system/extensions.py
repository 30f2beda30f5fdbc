"""Extensions of a rule system: readers for files of other programs, and look-ups in its log.

Each becomes a verb of the system or an option of one of its verbs. The surface decides how it is typed and finds the
files.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from domain.system.rows import Row

#: File name -> content.
Files = Mapping[str, bytes]


class ReadResult(Struct, frozen=True):
    """The result of reading files."""

    #: To be recorded together, each as `campaign act` reads it.
    actions: tuple[Mapping[str, Any], ...]
    #: What the files do not contain, one sentence each. Nothing is guessed.
    left_open: tuple[str, ...] = ()


class FileReader(Struct, frozen=True):
    """Turns files of another program into actions."""

    #: The verb that reads them, or the verb whose option does.
    verb: str
    help: str
    #: (files, current state) -> result. Raises Invalid if a file has another format.
    read: Callable[[Files, Any], ReadResult]
    option: str = ""
    #: Examples of what follows the verb, for its help.
    examples: tuple[str, ...] = ()


class Lookup(Struct, frozen=True):
    """Something that the log knows and no sheet shows, looked up by name under a verb of its own."""

    verb: str
    help: str
    #: State -> the names that can be looked up.
    names: Callable[[Any], Sequence[str]]
    #: (state, typed name) -> what is known as JSON. Raises Refusal if there is no such thing.
    to_view: Callable[[Any, str], Mapping[str, Any]]
    #: The same as rows for display.
    rows: Callable[[Any, str], Sequence[Row]]
    #: an action's verb and its option that lists what there is, like `learn --list`
    also: tuple[str, str] | None = None
    #: Examples of what follows the verb, for its help.
    examples: tuple[str, ...] = ()
