"""What an event is to whoever retells an evening: a sentence of its own, one of many alike, a rest, a new scene.

Each event answers `Event.in_story` with one of these; without an answer it stands by itself, in its own sentence. So a
rule system says on its events what is grave, which are gathered into one sentence, and where a scene or a round begins.
"""

from typing import Literal

from msgspec import Struct

#: How grave something is: the turning points of an evening are the gravest that happened in it.
NOTABLE, SERIOUS, SEVERE, FATAL = 1, 2, 3, 4


class Own(Struct, frozen=True):
    """It stands by itself."""

    #: How it is retold; empty: in the sentence of the event.
    text: str = ""
    #: 0: no turning point.
    gravity: int = 0
    #: Whom it befalls. What befalls a foe is no turning point.
    who: str = ""
    #: What did it: what becomes of it later is put down to the same cause. None: what harmed them last; empty: nothing,
    #: or nobody said what.
    by: str | None = None


class Share(Struct, frozen=True):
    """One of many alike, gathered into one sentence: "Brog loses 14 hit points, Wen 6, most of it to a ghoul"."""

    who: str
    #: "loses", "kills", "picks up"
    does: str
    #: So many of `unit` ("hit points"); 0: what is told is `what`, or that it was done.
    amount: int = 0
    unit: str = ""
    #: What one of them is called; empty: the unit without its s.
    one: str = ""
    #: What was killed, tried or lost, where that has a name.
    what: tuple[str, ...] = ()
    #: What did it, as in `Own`: empty where nobody said it, None where this is no harm.
    by: str | None = None


class AfterRest(Struct, frozen=True):
    """A rest, after which the story goes on: "After a short rest Brog has 7 hit points, Ada 6"."""

    who: str
    #: "After a short rest", "In the morning"
    when: str
    has: int
    unit: str


class Begins(Struct, frozen=True):
    """A part of the evening begins: a scene, or a round of one."""

    kind: Literal["scene", "round"]
    #: The heading; empty: the sentence of the event.
    title: str = ""


class Elsewhere(Struct, frozen=True):
    """Other events tell it as well, or nobody needs to know it who was not there."""


StoryPart = Own | Share | AfterRest | Begins | Elsewhere

#: The answer of an event that is left out.
ELSEWHERE = Elsewhere()
