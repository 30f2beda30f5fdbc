"""Whom a line is about: who is named first, whoever's turn it is, and others with values of their own."""

from cli.line.errors import Misread, Unclear
from cli.line.reading import People, Piece, Reading
from cli.line.table import FILLER, VALUE, Readings, Table
from cli.line.values import ALL, people_at
from domain.naming import listed


def beginnings(table: Table) -> list[Reading]:
    """The readings that a line may begin with: of whoever is named first, or of whoever's turn it is."""
    reading, here, who = Reading(table.grammar), table.start, table.grammar.who
    reading.pieces = (Piece(0, here, "filler"),)
    if who is None:
        return [reading]
    found = []
    try:
        people = people_in_a_row(table, reading, here)
    except Unclear as error:
        return [table.wrong(reading, error)]
    if people is not None:
        named = table.on(reading, here, people[1], "name", VALUE, who.key)
        remember(table, named, people, here)
        named.groups = [People(people[0])]
        if not people[0]:
            return [table.wrong(reading, Misread(f"{table.words[here].text} is nobody now.", here))]
        found.append(named)
    reading.left_out = _awaited(table) if people is None else table.context.system.whose_turn(table.context.state)
    if people is None or (reading.left_out is not None and _is_theirs(table, reading.left_out, here)):
        reading.groups = [People([reading.left_out] if reading.left_out is not None else [])]
        reading.cost = FILLER if found else 0
        found.append(reading)
    return found


def _is_theirs(table: Table, whose: str, here: int) -> bool:
    """Whether what looks like a name may be a card of whoever's turn it is."""
    reading = Reading(table.grammar)
    reading.groups = [People([whose])]
    return table.begins_a_value(reading, here)


def _awaited(table: Table) -> str | None:
    """Whose turn it is, or the only one for whom this action is what comes next, as far as the rules know."""
    system, state, who = table.context.system, table.context.state, table.grammar.who
    turn = system.whose_turn(state)
    if turn is not None or who is None:
        return turn
    ways = [way for name in state.characters for matter in system.pending_for(state, name) for way in matter.choices]
    waited_for = {way.fields.get(who.key) for way in ways if way.action is table.grammar.verb.kind}
    return waited_for.pop() if len(waited_for) == 1 else None


def people_in_a_row(table: Table, reading: Reading, here: int) -> tuple[list[str], int] | None:
    """Names in a row. Those after the first count only if no words may follow, or a value does."""
    found = people_at(table.words, here, table.context)
    if found is None:
        return None
    names, beyond = list(found[0]), found[1]
    if table.grammar.names_another:
        return names, beyond  # the next name has a place of its own
    row, after = list(names), beyond
    while after < len(table.words) and not table.begins_a_value(reading, after):
        try:
            more = people_at(table.words, after + table.joins(after), table.context)
        except Unclear:
            more = None
        if more is None:
            break
        row, after = [*row, *more[0]], more[1]
    if after > beyond and (table.begins_a_value(reading, after) or table.no_words(reading)):
        return row, after
    return names, beyond


def remember(table: Table, reading: Reading, people: tuple[list[str], int], here: int) -> None:
    """Remember how people were named."""
    last = table.words[people[1] - 1].text
    reading.together = len(people[0]) > 1 and (people[1] == here + 1 or "," in last or last.casefold() in ALL)
    reading.all_named = reading.all_named or table.words[here].text.casefold() in ALL


def others(table: Table, reading: Reading, here: int) -> Readings:
    """Somebody else, of whom values of their own are said; or whoever it is about, behind a value."""
    grammar, who = table.grammar, table.grammar.who
    if who is None or grammar.names_another:
        return
    if reading.left_out is None and not reading.groups[0].names:
        found = people_at(table.words, here, table.context)
        if found is not None and found[0]:
            other = table.on(reading, here, found[1], "name", VALUE, who.key)
            other.groups[0].names = list(found[0])
            yield other
        return
    if not grammar.several and not reading.groups[-1].values:
        return
    first = here + table.joins(here)
    try:
        found_here = people_in_a_row(table, reading, first)
    except Unclear:
        if table.begins_a_value(reading, first + 1):
            raise
        return
    if found_here is None or not found_here[0]:
        return
    names, beyond = found_here
    if not table.begins_a_value(reading, beyond) and not (grammar.several and table.no_words(reading)):
        return
    other = table.on(reading, here, beyond, "name", VALUE, who.key)
    remember(table, other, found_here, first)
    if not grammar.several:
        other.groups.append(People(names))
    elif twice := set(names) & set(reading.groups[-1].names):
        raise Misread(f"{listed(sorted(twice))} is named twice.", here)
    else:
        other.groups[-1].names += names
    yield other
