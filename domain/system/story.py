"""The part of an event in the story of a session: a sentence of its own, a share of a sum, a rest, a new scene.

`Event.in_story` returns one of these; None means a sentence of its own. So the events of a rule system declare what is
grave, what is summed up in one sentence, and where a scene or a round begins.
"""

from typing import Literal

from msgspec import Struct

from domain.turn import Event

#: Degrees of gravity: the turning points of a session are its gravest events.
NOTABLE, SERIOUS, SEVERE, FATAL = 1, 2, 3, 4


#: Prepositions with which a typed cause can begin.
OF_A_CAUSE = ("by ", "from ", "because of ", "because ", "through ", "for ", "to ")


def cause_alone(source: str | None) -> str:
    """The cause without its preposition, for `by`: "a ghoul" of "from a ghoul"; empty if there is none."""
    if source is None:
        return ""
    word = next((word for word in OF_A_CAUSE if source.casefold().startswith(word)), "")
    return source[len(word) :]


class Own(Struct, frozen=True):
    """A sentence of its own."""

    #: The sentence; empty: that of the event.
    text: str = ""
    #: 0: no turning point.
    gravity: int = 0
    #: The character. What happens to a foe is no turning point.
    who: str = ""
    #: The cause, which later events of the same character inherit. None: the last cause; empty: none, or unknown.
    by: str | None = None
    #: The paragraph that a ruling is on; the text goes on after "The group rules on" and its title.
    rules_on: str = ""


class Share(Struct, frozen=True):
    """One of several similar events that are summed up: "Brog loses 14 hit points, Wen 6 to a ghoul"."""

    who: str
    #: "loses", "kills", "picks up"
    does: str
    #: The amount of `unit` ("hit points"); 0: the sentence lists `what`, or only tells that it was done.
    amount: int = 0
    unit: str = ""
    #: The singular of the unit; empty: the unit without its s.
    one: str = ""
    #: The names of what was killed, tried or lost.
    what: tuple[str, ...] = ()
    #: How it went each time: "✔✔".
    how: str = ""
    #: The cause, as in `Own`: empty if unknown, None if this is no harm.
    by: str | None = None
    #: What was said about it: "a bribe".
    remark: str = ""


class AfterRest(Struct, frozen=True):
    """The figures after a rest: "After a short rest Brog has 7 hit points, Ada 6 (8 before)"."""

    who: str
    #: "After a short rest", "In the morning"
    when: str
    has: int
    unit: str
    #: The figure before the rest, if it was better; the event does not know it.
    had: int | None = None


class Begins(Struct, frozen=True):
    """The beginning of a scene, or of a round of it."""

    kind: Literal["scene", "round"]
    #: The heading; empty: the sentence of the event.
    title: str = ""


class Elsewhere(Struct, frozen=True):
    """No part in the story: other events tell it, or it does not matter afterwards."""


StoryPart = Own | Share | AfterRest | Begins | Elsewhere

#: What `Event.in_story` returns for an event that is left out.
ELSEWHERE = Elsewhere()


def left_out(_event: Event) -> Elsewhere:
    """The `in_story` of an event that is always left out."""
    return ELSEWHERE
