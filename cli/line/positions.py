"""Values that stand in a line without their names: each goes to a field by its type, in the order of the fields."""

from cli.line.errors import Misread, Unclear
from cli.line.reading import Reading, Unlisted
from cli.line.table import AS_TYPED, FILLER, FREE, MORE, NAMED, SKIPPED, VALUE, Readings, Table
from cli.line.values import dice_of, number_of, people_at
from cli.line.vocabulary import FILLERS
from cli.line.words import Word, joins, quoted
from domain.naming import listed, nearest
from domain.system.field_schema import Field, Kind


def in_its_place(table: Table, reading: Reading, here: int) -> Readings:
    """The value of a field by its type: of the first that takes it, and of those behind what may be left out."""
    skip_cost, free = 0.0, False
    # until the class is there, no word of a new name is one of its cards
    early = any(field.asked_first for field in reading.missing())
    for field in table.grammar.order:
        if not reading.is_open(field) or field.keyed_by not in (None, reading.person):
            continue
        if early and not field.required:
            continue
        try:
            fit = table.tests(reading).known_at(field, table.words, here, reading.whose)
        except Unclear:
            if field.required or field.turn or field.added_by:
                raise
            continue
        if fit is None and field.each:
            yield from _several(table, reading, field, here)
        if fit is not None:
            yield table.with_value(reading, field, fit, here, VALUE + skip_cost)
            if field.added_by is not None:
                longer = _off_the_list(table, reading, field, here, skip_cost)
                yield from (way for way in longer if way.place > fit[1])
            if field.required:
                return
        elif _takes_text(table, reading, field, here) and not free and table.tests(reading).is_free(field):
            free = True
            yield from free_text(table, reading, field, here, skip_cost)
        elif field.added_by is not None:
            yield from _off_the_list(table, reading, field, here, skip_cost)
        elif field.required and _one(field).reference:
            yield from _as_typed(table, reading, field, here, skip_cost)
        elif _has_a_sign(table, reading, field, here):
            text = table.words[here].text
            raise Misread(f"{text} has a sign, and {field.key} has none, like {text[1:]}.", here)
        skip_cost += SKIPPED * field.required
    yield from _cards_by_number(table, reading, here)
    yield from _once_more(table, reading, here)


def _has_a_sign(table: Table, reading: Reading, field: Field, here: int) -> bool:
    """Whether a number ends the line that only its sign keeps from being the value of a field."""
    word = table.words[here]
    is_last = here + 1 == len(table.words) and reading.words is None
    return is_last and field.kind.unsigned and not word.quoted and number_of(word.text) is not None


def _takes_text(table: Table, reading: Reading, field: Field, here: int) -> bool:
    """Whether a text may stand here.

    One that may be left out takes words where the remark has its own by its name; else what is quoted, but for the last
    words of a line that still lacks its remark.
    """
    is_last = here + 1 == len(table.words) and any(other.remark for other in reading.missing())
    return field.required or table.names_remark() or (table.words[here].quoted and not is_last)


def _several(table: Table, reading: Reading, field: Field, here: int) -> Readings:
    """`poison,wound`: several values in one word, of a field of which each is a turn of its own."""
    parts = [Word(part, 0, 0) for part in table.words[here].text.split(",") if part]
    fits = [table.tests(reading).known_at(field, (part,), 0, reading.whose) for part in parts]
    values = [fit[0] for fit in fits if fit is not None]
    if len(values) == len(parts) > 1:
        other = table.with_value(reading, field, (values[0], here + 1), here, VALUE)
        other.repeated = (*other.repeated, *((field.key, value) for value in values[1:]))
        yield other


def _once_more(table: Table, reading: Reading, here: int) -> Readings:
    """Another value of a field of which each is a turn of its own: `cond ysa poison wound`."""
    for field in table.grammar.order:
        if field.each and field.key in reading.groups[-1].values:
            fit = table.tests(reading).known_at(field, table.words, here, reading.whose)
            if fit is not None and fit[0] != reading.groups[-1].values[field.key]:
                other = table.on(reading, here, fit[1], "value", VALUE, field.key)
                other.repeated = (*other.repeated, (field.key, fit[0]))
                yield other


def free_text(
    table: Table, reading: Reading, field: Field, here: int, skip_cost: float, more: float = MORE
) -> Readings:
    """A text that may be anything: one word, or several up to wherever the line goes on with something else."""
    if not table.words[here].quoted and here + 1 < len(table.words) and table.is_known(reading, here):
        return
    known = table.tests(reading).legal(field, reading.whose) is not None
    cost = skip_cost + (AS_TYPED if known else FREE)
    for beyond in range(here + 1, len(table.words) + 1):
        if beyond > here + 1 and _ends_a_text(table, reading, field, beyond - 1):
            return
        _refuse_half_a_field(table, reading, field, here, beyond)
        text = table.line.rest(here, beyond)
        if beyond < len(table.words) and text != ",":
            # `Brog, player Mia, level 2`: a comma parts it from what follows
            text = text.removesuffix(",")
        value = [text] if field.kind.shape == "list" else text
        yield table.with_value(reading, field, (value, beyond), here, cost)
        if (
            table.words[here].quoted
            or field.kind.shape != "text"
            or (more == MORE and _another_text(table, reading, field))
        ):
            return
        cost += more


def _another_text(table: Table, reading: Reading, field: Field) -> bool:
    """Whether the words behind one belong to another text that has to be said too."""
    missing = (other for other in reading.missing() if other is not field)
    return any(other.remark for other in missing) and not table.names_remark()


def _off_the_list(table: Table, reading: Reading, field: Field, here: int, skip_cost: float) -> Readings:
    """A name that is not on the log's own list: `new goblin` adds one; any other is asked about."""
    new = table.words[here].text.casefold() == "new" and not table.words[here].quoted
    first = here + new
    if first >= len(table.words):
        return
    cost = skip_cost + (NAMED if new else AS_TYPED)
    for beyond in range(first + 1, len(table.words) + 1):
        ends = _ends_a_text(table, reading, field, beyond - 1) or table.begins_a_value(reading, beyond - 1, but=field)
        if beyond > first + 1 and (ends or table.words[first].quoted):
            return
        name = table.line.rest(first, beyond)
        other = table.with_value(reading, field, (name, beyond), here, cost)
        if new:
            other.added = (*other.added, (str(field.added_by), field.key, name))
        else:
            other.unlisted = Unlisted(field.key, name, first, beyond)
        yield other
        cost += FREE


def _ends_a_text(table: Table, reading: Reading, field: Field, here: int) -> bool:
    """Whether a text stops before a word, which means something by itself."""
    word = table.words[here]
    is_name = table.is_known(reading, here) and (here + 1 < len(table.words) or field.names == "new character")
    return word.quoted or is_name or table.is_option(here)


def _refuse_half_a_field(table: Table, reading: Reading, field: Field, here: int, beyond: int) -> None:
    """Raise Misread for a new name that holds a value, `Rat hp=4`, or nearly ends in a field: `Brog lvl 2`."""
    if field.names != "new character" or beyond - here < 2:
        return
    for at in range(here + 1, beyond):
        if "=" in table.words[at].text and not table.words[at].quoted:
            name, known = table.words[at].text.partition("=")[0], listed(list(table.grammar.fields))
            raise Misread(f"{table.grammar.name} has no {name!r}; it takes {known}.", at)
    if beyond >= len(table.words):
        return
    word, value = table.words[beyond - 1].text, table.words[beyond].text
    near = table.grammar.field_called(word) or table.grammar.fields.get(nearest(word, table.grammar.fields) or "")
    if near is not None and near.kind.shape == "text" and value == "by" and beyond + 1 < len(table.words):
        value = table.words[beyond + 1].text  # `Bram played by Jo`
    elif near is not None and near.kind.shape != "number":
        return
    if near is not None and near is not field and reading.is_open(near):
        name = table.line.text[table.words[here].start : table.words[beyond - 1].end]
        hint = f"{word!r} may be {near.key} or the end of a name; write {near.key}={value}"
        raise Misread(f'{hint}, or the name in quotes: "{name}".', beyond - 1)


def _one(field: Field) -> Kind:
    """What one value of a field takes, of a list too."""
    return field.kind.item if field.kind.shape == "list" and field.kind.item is not None else field.kind


def _as_typed(table: Table, reading: Reading, field: Field, here: int, skip_cost: float) -> Readings:
    """A card or an item that is not legal now: that is for the rules to say."""
    if _joins_values(table, reading, here) or _leads_to_a_value(table, reading, here):
        return
    last = all(other in (field, table.grammar.who) for other in reading.missing())
    for beyond in range(here + 1, len(table.words) + 1 if last else here + 2):
        if beyond > here + 1 and (table.words[beyond - 1].quoted or table.is_known(reading, beyond - 1)):
            return
        cost = AS_TYPED + FREE * (beyond - here - 1) + skip_cost
        name = table.line.rest(here, beyond)
        listed = field.kind.shape == "list"
        yield table.with_value(reading, field, ([name] if listed else name, beyond), here, cost)


def _cards_by_number(table: Table, reading: Reading, here: int) -> Readings:
    """Cards that nothing is known of by their numbers: where cards are reported, they are cards all the same."""
    for field in table.grammar.order:
        kind = _one(field)
        numbers = all(number_of(word.text) is not None for word in table.words[here:])
        optional = field.kind.shape == "list" and field.in_order and not field.required
        if optional and reading.is_open(field) and kind.values and numbers:
            several = [word.text for word in table.words[here:]]
            yield table.with_value(reading, field, (several, len(table.words)), here, AS_TYPED)
            return


def number_before_its_name(table: Table, reading: Reading, here: int) -> Readings:
    """`5 gold`: a number before the whole name of what it is, where nothing else can be meant."""
    field = reading.open_field(table.words[here + 1].text) if here + 1 < len(table.words) else None
    if field is None or field.kind.shape != "number" or field.dice or field.turn:
        return
    number = number_of(table.words[here].text)
    if number is None or table.tests(reading).at(field, table.words, here + 2, reading.whose) is not None:
        return
    yield table.give(reading, field, number, here, here + 2, "named")


def dice_of_each(table: Table, reading: Reading, here: int) -> Readings:
    """`brog 545`: the dice of whoever was named last, in an action of several."""
    faces = table.grammar.faces
    if faces is None or faces.key in reading.shared:
        return
    dice: list[int] = []
    group, beyond = reading.groups[-1], here
    while beyond < len(table.words) and (more := dice_of(table.words[beyond].text)) is not None:
        dice, beyond = dice + more, beyond + 1
    if beyond == here or not group.names:
        return
    if reading.together or group.names[-1] in group.faces:
        names, text = group.names if reading.together else [group.names[-1]], table.words[here].text
        raise Unclear(f"Say whose dice {text} are, like {quoted(names[0])} {text}.", names, here)
    other = table.on(reading, here, beyond, "dice", VALUE, faces.key)
    other.groups[-1].faces[group.names[-1]] = dice
    yield other


def _joins_values(table: Table, reading: Reading, here: int) -> bool:
    """Whether a word stands between two values: `trample and eye`."""
    return joins(table.words, here) and reading.pieces[-1].how == "value" and table.begins_a_value(reading, here + 1)


def _leads_to_a_value(table: Table, reading: Reading, here: int) -> bool:
    """Whether a little word stands before a value: `bottom of trample`."""
    word = table.words[here]
    return not word.quoted and word.text.casefold() in FILLERS and table.begins_a_value(reading, here + 1)


def filler(table: Table, reading: Reading, here: int) -> Readings:
    """A little word between two values: `fa reed hits ash`."""
    word = table.words[here]
    if word.quoted or here + 1 >= len(table.words):
        return
    if word.text.casefold() not in FILLERS and not _joins_values(table, reading, here):
        return
    grammar = table.grammar
    # where a line is about nobody, "on a rest" begins words, and no Agnes
    names_person = grammar.names_another or (grammar.who is not None and not reading.names)
    if table.begins_a_value(reading, here + 1) or (names_person and people_at(table.words, here + 1, table.context)):
        yield table.on(reading, here, here + 1, "filler", FILLER)
