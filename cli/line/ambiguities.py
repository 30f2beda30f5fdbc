"""What has to be asked about a whole reading before it is done: the questions, in the order in which they come.

A reading that is whole may still mean something else. Each question is a function that is given the reading and answers
with the lines that would mean one thing alone, or with None. They stand in files by what they are about: words of the
remark that may be values, names, things without a list, dice and cards. Such a file is imported where a reading has
anything of the kind: most have not.
"""

from cli.line.clause import Clause
from cli.line.errors import Ambiguous
from cli.line.reading import Piece, Reading
from cli.line.search import Result
from cli.line.values import number_of


def ambiguity_of(result: Result) -> Ambiguous | None:
    """The first question about a whole reading; None: it means one thing. Raises Missing for half a value in words."""
    clause, reading = result.clause, result.best
    ambiguity = _about_names(clause, reading) or _about_numbers(clause, reading) or _about_new_names(clause, reading)
    if ambiguity is None and reading.words is not None and not clause.grammar.words_alone:
        return _about_words(clause, reading, reading.words)
    return ambiguity


def _about_names(clause: Clause, reading: Reading) -> Ambiguous | None:
    """The question about a name that is not on the log's list."""
    if reading.unlisted is None:
        return None
    from cli.line.ambiguous.names import unlisted_name

    return unlisted_name(clause, reading, reading.unlisted)


def _about_numbers(clause: Clause, reading: Reading) -> Ambiguous | None:
    """The questions about dice, and about which of several results counts."""
    has_dice = any(piece.how == "dice" for piece in reading.pieces)
    if not has_dice and all(field.of_several is None for field in clause.grammar.fields.values()):
        return None
    from cli.line.ambiguous.numbers import dice_behind_several, which_of_one

    return which_of_one(clause, reading) or (dice_behind_several(clause, reading) if has_dice else None)


def _about_new_names(clause: Clause, reading: Reading) -> Ambiguous | None:
    """The questions about the name of somebody new: somebody is called nearly so, or it holds another value."""
    texts = {field.key for field in clause.grammar.order if field.kind.shape == "text"}
    if all(piece.how != "value" or piece.field not in texts for piece in reading.pieces):
        return None
    from cli.line.ambiguous.names import class_within_a_name, name_beside_another

    return name_beside_another(clause, reading) or class_within_a_name(clause, reading)


def _about_words(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:
    """The questions about the words of a remark; in quotes they are words alone, but for an option in a ruling."""
    from cli.line.ambiguous.words import (
        correction_among_words,
        hint_among_words,
        more_behind_a_join,
        option_of_a_ruling,
        value_among_words,
    )

    if (option := option_of_a_ruling(clause, reading, words)) is not None:
        return option
    remark = clause.words[words.start : words.end]
    if all(word.quoted for word in remark):
        return None
    has_number = any(number_of(word.text) is not None for word in remark)
    return (
        (_about_things(clause, reading, words) if clause.grammar.fields[words.field].thing else None)
        or (_about_numbered_names(clause, reading, words) if has_number else None)
        or (_about_a_group(clause, reading, words) if len(reading.names) > 1 else None)
        or (correction_among_words(clause, reading, words) if clause.grammar.verb.kind.number_sign else None)
        or value_among_words(clause, reading, words)
        or hint_among_words(clause, reading, words)
        or more_behind_a_join(clause, reading, words)
    )


def _about_things(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:
    """The questions about a remark that names a thing: `attack brann GUARD 3`."""
    from cli.line.ambiguous.things import number_in_a_name, several_things, used_with_a_thing

    return (
        number_in_a_name(clause, reading, words)
        or used_with_a_thing(clause, reading, words)
        or several_things(clause, reading, words)
    )


def _about_a_group(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:
    """The question about a remark that says something of one of several people."""
    from cli.line.ambiguous.names import left_out_of_a_group

    return left_out_of_a_group(clause, reading, words)


def _about_numbered_names(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:
    """The questions about a number in a remark that may belong to somebody."""
    from cli.line.ambiguous.names import misspelt_name, number_behind_a_name

    return number_behind_a_name(clause, reading, words) or misspelt_name(clause, reading, words)
