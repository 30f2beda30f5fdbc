"""Whom a line cannot mean: a name of nobody, somebody out of turn, a number that may be part of a name."""

from msgspec.structs import replace

from cli.line.clause import FREE, Clause
from cli.line.diagnosis.missing_values import somebody_first
from cli.line.errors import Ambiguous, Meaning, Misread, Missing, Unclear
from cli.line.offers import line_if_read
from cli.line.people import beginnings
from cli.line.reading import Reading
from cli.line.search import continuations, read
from cli.line.values import Context, people_at, without_number
from cli.line.vocabulary import SIGNS
from cli.line.words import quote, words_to_type
from domain.naming import find_name, nearest, not_their_turn, somebody
from domain.refusal import Invalid, Refusal, Unknown
from domain.system.pending import choices_in
from domain.system.rulesystem import RuleSystem
from domain.system.type_descriptions import either
from domain.turn import Action


def not_in_turn(context: Context, kind: type[Action], name: str) -> Refusal | None:
    """The refusal of an action that is done in one's own turn alone, where it is not somebody's; None: it may be done.

    Where nobody's turn is open it says what comes first.
    """
    system, state = context.system, context.state
    turn = system.whose_turn(state)
    if not kind.own_turn_rule or turn == name:
        return None
    pending = (system.pending_for(state, name) or system.pending_for_table(state)) if turn is None else ()
    return Refusal(kind.own_turn_rule, not_their_turn(name, turn), choices_in(pending))


def nobody_of_this_name(clause: Clause, reading: Reading, error: Misread) -> Refusal | None:
    """The refusal of a line whose first word is meant as a name and is nobody's; None: it is somebody's, or no name."""
    grammar, start = clause.grammar, clause.start
    if grammar.who is None or start >= len(clause.words) or (error.at == start and isinstance(error, Unclear)):
        return None
    word, context = clause.words[start], clause.context
    names = context.state.characters
    try:
        names_somebody = people_at(clause.words, start, context) is not None
    except Unclear:
        return None
    first = beginnings(clause)[0]
    ways = [way for way in continuations(clause, first, start) if way.fault is None and way.cost < first.cost + FREE]
    is_no_name = not word.quoted and ("=" in word.text or word.text[0] in SIGNS)
    if names_somebody or ways or is_no_name:
        return None  # whom it is about is left out
    implied, near = reading.implied_person, nearest(word.text, names)
    if implied is None and near is None and _goes_by_turns(context.system, names):
        return Refusal(
            None,
            f"Nobody's turn is open, and {word.text!r} is not a character; say whose: {either(names)}.",
            choices_in(context.system.pending_for_table(context.state)),
        )
    if implied is None or near is not None or _is_whole_with_somebody(clause):
        return _unknown(clause, word.text)
    return None


def _unknown(clause: Clause, name: str) -> Unknown | None:
    """That there is no such character, with the line of somebody whom it names further on; None: there is one."""
    try:
        find_name(name, clause.context.state.characters)
    except Unknown as error:
        lines = somebody_first(clause, doubted=True)
        return Unknown(error.kind, error.sought, f"{error.reason} Like: {lines[0]}") if lines else error
    return None


def _is_whole_with_somebody(clause: Clause) -> bool:
    """Whether nothing is wrong with a line but its first word: somebody in its place, and all is understood."""
    words, start = clause.words, clause.start
    somebody_there = replace(words[start], text=somebody(clause.context.state.characters), quoted=True)
    line = replace(clause.line, words=(*words[:start], somebody_there, *words[start + 1 :]))
    try:
        return read(clause.context, clause.grammar.verb, line, start).whole
    except (Invalid, Refusal):
        return False


def _goes_by_turns(system: RuleSystem, characters: object) -> bool:
    """Whether the one it is about may be left out under these rules, while a turn is open."""
    return bool(characters) and type(system).whose_turn is not RuleSystem.whose_turn


def name_with_its_number(clause: Clause, reading: Reading, error: Misread) -> Ambiguous | None:
    """`d goblin 2`, where Goblin is there beside Goblin 2: the line of Goblin, who loses 2; None: it is none such."""
    piece = next((piece for piece in reversed(reading.pieces) if piece.how == "name"), None)
    if not isinstance(error, Missing) or [field.kind.shape for field in error.fields] != ["number"]:
        return None
    if piece is None or piece.end - piece.start < 2 or not reading.names:
        return None
    bare = without_number(reading.names[-1], tuple(clause.context.state.characters))
    if bare is None:
        return None
    words = words_to_type(clause.line)
    # by its name, as a shell takes quotes off
    value = f"{error.fields[0].key}={words[piece.end - 1]}"
    first = [*words[: piece.start], quote(bare), value, *words[piece.end :]]
    meanings = [Meaning(line, line) for line in line_if_read(clause, first)]
    question = f"Is it {reading.names[-1]} or {bare}?"
    return Ambiguous(f"{error} Or say:", question, meanings, piece.start) if meanings else None
