"""A phrase: a line that may say what it means in another way than verb first, as the readers of phrases get it.

`cli.line.phrase_readers` is the table of these readers.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from cli.line.errors import Misread, NoVerb
from cli.line.search import Result
from cli.line.values import Context, people_first
from cli.line.verbs import Verb
from cli.line.vocabulary import ARTICLES, STOPS
from cli.line.words import Line, rest_of, tokenize
from domain.refusal import Invalid, Refusal
from domain.turn import Action


class Actions(Struct, frozen=True):
    """The actions of a line as JSON, its options, and whom its `all` leaves out; like a Result of the search."""

    values: tuple[dict[str, Any], ...]
    manner: Mapping[str, str]
    without: tuple[str, ...] = ()

    def actions(self) -> list[dict[str, Any]]:
        """The actions as JSON has them."""
        return [dict(value) for value in self.values]


#: What a reader makes of a phrase: a line to read instead, what it records, an offer of lines, what is wrong with it.
#: None: nothing.
Meant = Line | Actions | Misread | Refusal | None


#: The actions that a line means, or what keeps it from meaning any.
Outcome = Sequence[Action] | Invalid | Refusal


class LinePhrase(Struct, frozen=True, dict=True):
    """A line, what it is understood against, and how far it is understood."""

    line: Line
    context: Context
    #: the reading commands that are answered beside verbs
    questions: Sequence[str]
    #: what another line comes to, and what one does that says one thing
    outcome_of: Callable[[Line], Outcome]
    outcome_of_one_thing: Callable[[Line], Outcome]
    #: the actions of the words behind a place that begin with their verb, and the options among them
    whole_from: Callable[[Line, int, Context], tuple[tuple[Action, ...], Mapping[str, str]]]
    #: the place behind the verb; where there is none, the place of the word that should be one
    at: int = 0
    verb: Verb | None = None
    no_verb: NoVerb | None = None
    #: whether it is not to be read as several things
    is_one_thing: bool = False
    #: what the words behind the verb were read as
    result: Result | None = None
    #: why nothing comes of it
    error: Misread | Refusal | None = None

    @cached_property
    def bare(self) -> tuple[str, ...]:
        """Its words in small letters, without the signs of the sentence."""
        return tuple(word.text.casefold().strip(STOPS) for word in self.line.words)

    @cached_property
    def alone(self) -> str:
        """What it says without an article, as something of few words: `a minus one` says -1."""
        if self.bare[:1] == () or self.bare[0] not in ARTICLES:
            return self.line.text.strip(" .!")
        from cli.line.speech import in_plain_words  # hardly any line begins so

        behind = tokenize(" ".join(rest_of(self.line, 1)))
        return (in_plain_words(behind) or behind).text.strip(" .!")

    @cached_property
    def behind_people(self) -> int:
        """The place behind those whom it names first; 0: nobody. Raises PlaysSeveral."""
        return people_first(self.line, self.context)
