"""What has to be asked about a whole reading before it is done: the questions, in the order in which they come.

A reading that is whole may still mean something else. Each question is a function that is given the reading and answers
with the lines that would mean one thing alone, or with None. They stand in files by what they are about: words of the
remark that may be values, names, things without a list, dice and cards.
"""

from collections.abc import Callable, Sequence

from cli.line.ambiguous_names import (
    class_within_a_name,
    misspelt_name,
    name_beside_another,
    number_behind_a_name,
    unlisted_name,
)
from cli.line.ambiguous_numbers import dice_behind_several, which_of_one
from cli.line.ambiguous_things import number_in_a_name, several_things, used_with_a_thing
from cli.line.ambiguous_words import hint_among_words, more_behind_a_join, option_of_a_ruling, value_among_words
from cli.line.clause import Clause
from cli.line.errors import Ambiguous
from cli.line.reading import How, Piece, Reading
from cli.line.search import Result

#: The questions about values: as what a word has to be understood for one to be asked, and the question.
ABOUT_VALUES: tuple[tuple[Sequence[How], Callable[[Clause, Reading], Ambiguous | None]], ...] = (
    (("value", "named", "option", "flag"), which_of_one),
    (("dice",), dice_behind_several),
    (("value",), name_beside_another),
    (("value",), class_within_a_name),
)
#: The questions about a remark that is not in quotes.
ABOUT_WORDS: tuple[Callable[[Clause, Reading, Piece], Ambiguous | None], ...] = (
    number_in_a_name,
    used_with_a_thing,
    several_things,
    number_behind_a_name,
    misspelt_name,
    value_among_words,
    hint_among_words,
    more_behind_a_join,
)


def ambiguity_of(result: Result) -> Ambiguous | None:
    """The first question about a whole reading; None: it means one thing. Raises Missing for half a value in words."""
    clause, reading = result.clause, result.best
    if reading.unlisted is not None:
        return unlisted_name(clause, reading, reading.unlisted)
    understood_as = {piece.how for piece in reading.pieces}
    for concerned, about_values in ABOUT_VALUES:
        if not understood_as.isdisjoint(concerned) and (ambiguity := about_values(clause, reading)) is not None:
            return ambiguity
    words = reading.words
    if words is None or clause.grammar.words_alone:
        return None
    if (option := option_of_a_ruling(clause, reading, words)) is not None:
        return option
    if all(clause.words[place].quoted for place in range(words.start, words.end)):
        return None
    ambiguities = (about_words(clause, reading, words) for about_words in ABOUT_WORDS)
    return next((ambiguity for ambiguity in ambiguities if ambiguity is not None), None)
