"""What a rule system offers besides its actions: files of other programs that it reads, and what its log can be asked.

Each becomes a verb of the system, or an option of one of its verbs. Who types it, and where the files lie, is the
surface's matter.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from domain.system.rows import Row

#: What was given to read: the name of each file within it -> its content.
Files = Mapping[str, bytes]


class Reading(Struct, frozen=True):
    """What files come to."""

    #: to be done together, as `campaign act` would read each
    actions: tuple[Mapping[str, Any], ...]
    #: what the files do not tell, a sentence each; nothing of it is guessed
    left_open: tuple[str, ...] = ()


class Reader(Struct, frozen=True):
    """Files that people have of another program, read as actions."""

    #: the verb that reads them, or the verb that has them read by an option
    verb: str
    help: str
    #: (files, the state now) -> what they come to. Raises Invalid for what is no such file.
    read: Callable[[Files, Any], Reading]
    option: str = ""
    #: what may stand behind the verb, for its help
    examples: tuple[str, ...] = ()


class Lookup(Struct, frozen=True):
    """Something that the log knows and no sheet shows, asked for by its name under a verb of its own."""

    verb: str
    help: str
    #: what there is
    names: Callable[[Any], Sequence[str]]
    #: (the state, a name as typed) -> all that is known of it, as JSON. Raises Refusal if there is no such thing.
    to_view: Callable[[Any, str], Mapping[str, Any]]
    #: the same as rows to look at
    rows: Callable[[Any, str], Sequence[Row]]
    #: an action's verb and its option that lists what there is, like `learn --list`
    also: tuple[str, str] | None = None
    #: what may stand behind the verb, for its help
    examples: tuple[str, ...] = ()
