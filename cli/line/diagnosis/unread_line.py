"""Why a line cannot be read, in a sentence that says what to type: looked for in the reading that came nearest.

The reader stops where nothing fits; what is wrong may be something else. The findings stand in files by what they are
about: whom the line means, what it does not say, and words that have no place in it.
"""

import re

from cli.line.clause import Clause
from cli.line.diagnosis.misplaced_words import misplaced_words
from cli.line.diagnosis.missing_people import name_with_its_number, nobody_of_this_name, not_in_turn
from cli.line.diagnosis.missing_values import missing_values, value_between, with_each_choice
from cli.line.errors import Misread, NoField
from cli.line.reading import Reading
from cli.line.search import Result
from domain.naming import did_you_mean
from domain.refusal import Refusal


def error_of(result: Result) -> Misread | Refusal:
    """What is wrong with a line of which no reading is whole; a Refusal: it is about somebody who cannot be meant."""
    clause, reading = result.clause, result.best
    error = reading.fault or _dead_end(clause, reading)
    kind = clause.grammar.verb.kind
    out_of_turn = (not_in_turn(clause.context, kind, name) for name in reading.names)
    return (
        nobody_of_this_name(clause, reading, error)
        or next((refusal for refusal in out_of_turn if refusal is not None), None)
        or name_with_its_number(clause, reading, error)
        or error
    )


def _dead_end(clause: Clause, reading: Reading) -> Misread:
    """What is wrong where nothing fits any more, or where the line ends too early."""
    grammar, here = clause.grammar, reading.place
    if here >= len(clause.words):
        words, missing = reading.words, reading.missing()
        if words is None:
            return missing_values(clause, reading, missing)
        unclear = with_each_choice(clause, reading, missing, words.start)
        return unclear or missing_values(clause, reading, missing, words.start)
    if name := clause.option_named(here):
        advice = did_you_mean(name, list(grammar.fields), otherwise="it has none.")
        return NoField(f"{grammar.name} has no field {name!r}; {advice}", name, here)
    missing = [field for field in reading.missing() if field not in (grammar.who, grammar.remark, grammar.loose)]
    if missing and not _is_option_of_a_remark(clause, here):
        return (
            value_between(clause, reading, missing, here)
            or with_each_choice(clause, reading, missing, here)
            or missing_values(clause, reading, missing, here)
        )
    return misplaced_words(clause, reading, here)


def _is_option_of_a_remark(clause: Clause, here: int) -> bool:
    """Whether a word that cannot be part of the remark stands at a place: `-x`."""
    word = clause.words[here]
    return clause.grammar.remark is not None and not word.quoted and re.match("-[A-Za-z]", word.text) is not None
