"""The characters that a line is about: named first, implied by whose turn it is, or named later with other values."""

from cli.line.clause import FILLER, VALUE, Clause, Readings
from cli.line.errors import Misread, Unclear
from cli.line.reading import People, Piece, Reading
from cli.line.values import people_at, without_article
from cli.line.vocabulary import ALL
from cli.line.words import joins
from domain.naming import listed
from domain.system.pending import choices_in


def beginnings(clause: Clause) -> list[Reading]:
    """The readings that a line may begin with: of the characters named first, or of whoever's turn it is."""
    reading, here, who = Reading.of_nothing(clause.grammar), clause.start, clause.grammar.who
    reading.pieces = (Piece(0, here, "filler"),)
    if who is None:
        return [reading]
    readings = []
    try:
        people = people_in_a_row(clause, reading, here)
    except Unclear as error:
        return [clause.failed(reading, error)]
    if people is not None:
        with_names = clause.taking(reading, here, people[1], "name", VALUE, who.key)
        remember(clause, with_names, people, here)
        with_names.groups = [People(people[0])]
        if not people[0]:
            return [clause.failed(reading, Misread(f"{clause.words[here].text} means nobody yet; say the name.", here))]
        readings.append(with_names)
    system, state = clause.context.system, clause.context.state
    reading.implied_person = _pending_character(clause) if people is None else system.whose_turn(state)
    if people is None or (reading.implied_person is not None and _is_theirs(clause, reading.implied_person, here)):
        reading.groups = [People([reading.implied_person] if reading.implied_person is not None else [])]
        reading.cost = FILLER if readings else 0
        readings.append(reading)
    return readings


def _is_theirs(clause: Clause, whose: str, here: int) -> bool:
    """Whether a word that looks like a name may be a card of whoever's turn it is."""
    reading = Reading.of_nothing(clause.grammar)
    reading.groups = [People([whose])]
    return clause.begins_a_value(reading, here)


def _pending_character(clause: Clause) -> str | None:
    """Whose turn it is, or the only character with a pending decision for this action; None otherwise."""
    system, state, who = clause.context.system, clause.context.state, clause.grammar.who
    turn = system.whose_turn(state)
    if turn is not None or who is None:
        return turn
    choices = choices_in(decision for name in state.characters for decision in system.pending_for(state, name))
    names = {choice.fields.get(who.key) for choice in choices if choice.action is clause.grammar.verb.kind}
    return names.pop() if len(names) == 1 else None


def people_in_a_row(clause: Clause, reading: Reading, here: int) -> tuple[list[str], int] | None:
    """The names in a row and the place behind them; several only if a value follows or no remark may."""
    first = people_at(clause.words, here, clause.context)
    if first is None:
        here = without_article(clause.words, here, tuple(clause.context.state.characters))
        first = people_at(clause.words, here, clause.context)
    if first is None:
        return None
    names, beyond = list(first[0]), first[1]
    if clause.grammar.names_another:
        return names, beyond  # the next name belongs to another field
    row, after = list(names), beyond
    while after < len(clause.words) and not clause.begins_a_value(reading, after):
        try:
            more = people_at(clause.words, after + joins(clause.words, after), clause.context)
        except Unclear:
            more = None
        if more is None:
            break
        row, after = [*row, *more[0]], more[1]
    if after > beyond and (clause.begins_a_value(reading, after) or clause.takes_no_words(reading)):
        return row, after
    return names, beyond


def remember(clause: Clause, reading: Reading, people: tuple[list[str], int], here: int) -> None:
    """Note in a reading how its characters were named: together by one word, or as everybody."""
    last = clause.words[people[1] - 1].text
    reading.is_group = len(people[0]) > 1 and (people[1] == here + 1 or "," in last or last.casefold() in ALL)
    reading.is_everybody = reading.is_everybody or clause.words[here].text.casefold() in ALL


def further_people(clause: Clause, reading: Reading, here: int) -> Readings:
    """Read a further character with values of their own, or the character of the line behind a value."""
    grammar, who = clause.grammar, clause.grammar.who
    if who is None or grammar.names_another:
        return
    if reading.implied_person is None and not reading.groups[0].names:
        people = people_at(clause.words, here, clause.context)
        if people is not None and people[0]:
            other = clause.taking(reading, here, people[1], "name", VALUE, who.key)
            other.groups[0].names = list(people[0])
            yield other
        return
    if not grammar.several and not reading.groups[-1].values:
        return
    first = here + joins(clause.words, here)
    try:
        more_people = people_in_a_row(clause, reading, first)
    except Unclear:
        if clause.begins_a_value(reading, first + 1):
            raise
        return
    if more_people is None or not more_people[0]:
        return
    names, beyond = more_people
    if not clause.begins_a_value(reading, beyond) and not (grammar.several and clause.takes_no_words(reading)):
        return
    other = clause.taking(reading, here, beyond, "name", VALUE, who.key)
    remember(clause, other, more_people, first)
    if not grammar.several:
        other.groups.append(People(names))
    elif twice := set(names) & set(reading.groups[-1].names):
        raise Misread(f"{listed(sorted(twice))} is named twice.", here)
    else:
        other.groups[-1].names += names
    yield other
