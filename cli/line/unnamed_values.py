"""Values that stand in a line without their names: each goes to a field by its type, in the order of the fields."""

from cli.line.clause import AS_TYPED, FILLER, FREE, MORE, NAMED, SKIPPED, VALUE, Clause, Readings
from cli.line.errors import Misread, Unclear
from cli.line.reading import Reading, Unlisted
from cli.line.values import behind_words, dice_of, number_of, people_at
from cli.line.vocabulary import BEFORE_A_NAMED_NUMBER, FILLERS, JOINS, ROLLING, STOPS, WITH
from cli.line.words import Word, joins, quote
from domain.naming import listed, nearest
from domain.system.field_schema import Field


def in_its_place(clause: Clause, reading: Reading, here: int) -> Readings:
    """The value of a field by its type: of the first that takes it, and of those behind what may be left out."""
    skip_cost, free = 0.0, False
    # until the class is there, no word of a new name is one of its cards
    early = any(field.asked_first for field in reading.missing())
    for field in clause.grammar.order:
        if not reading.is_open(field) or field.keyed_by not in (None, reading.person_field):
            continue
        if early and not field.required:
            continue
        try:
            fit = clause.fits(reading).known_at(field, clause.words, here, reading.whose)
        except Unclear:
            if field.required or field.turn or field.added_by:
                raise
            continue
        if fit is None and field.one_turn_each:
            yield from _several(clause, reading, field, here)
        if fit is not None:
            yield clause.with_value_by_type(reading, field, fit, here, VALUE + skip_cost)
            if field.added_by is not None:
                longer = _off_the_list(clause, reading, field, here, skip_cost)
                yield from (way for way in longer if way.place > fit[1])
            if field.required:
                return
        elif _takes_text(clause, reading, field, here) and not free and clause.fits(reading).is_free(field):
            free = True
            yield from free_text(clause, reading, field, here, skip_cost)
        elif field.added_by is not None:
            yield from _off_the_list(clause, reading, field, here, skip_cost)
        elif field.required and field.one.reference:
            yield from _as_typed(clause, reading, field, here, skip_cost)
        elif _has_a_sign(clause, reading, field, here):
            text = clause.words[here].text
            raise Misread(f"{text} has a sign, and {field.key} has none, like {text[1:]}.", here)
        skip_cost += SKIPPED * field.required
    yield from _cards_by_number(clause, reading, here)
    yield from _once_more(clause, reading, here)


def _has_a_sign(clause: Clause, reading: Reading, field: Field, here: int) -> bool:
    """Whether a number ends the line that only its sign keeps from being the value of a field."""
    word = clause.words[here]
    is_last = here + 1 == len(clause.words) and reading.words is None
    return is_last and field.kind.unsigned and not word.quoted and number_of(word.text) is not None


def _takes_text(clause: Clause, reading: Reading, field: Field, here: int) -> bool:
    """Whether a text may stand here.

    One that may be left out takes words where the remark has its own by its name; else what is quoted, but for the last
    words of a line that still lacks its remark.
    """
    is_last = here + 1 == len(clause.words) and any(other.remark for other in reading.missing())
    return field.required or clause.names_remark() or (clause.words[here].quoted and not is_last)


def _several(clause: Clause, reading: Reading, field: Field, here: int) -> Readings:
    """`poison,wound`: several values in one word, of a field of which each is a turn of its own."""
    parts = [Word(part, 0, 0) for part in clause.words[here].text.split(",") if part]
    fits = [clause.fits(reading).known_at(field, (part,), 0, reading.whose) for part in parts]
    values = [fit[0] for fit in fits if fit is not None]
    if len(values) == len(parts) > 1:
        other = clause.with_value_by_type(reading, field, (values[0], here + 1), here, VALUE)
        other.repeated = (*other.repeated, *((field.key, value) for value in values[1:]))
        yield other


def _once_more(clause: Clause, reading: Reading, here: int) -> Readings:
    """Another value of a field of which each is a turn of its own: `cond ysa poison wound`."""
    for field in clause.grammar.order:
        if field.one_turn_each and field.key in reading.groups[-1].values:
            fit = clause.fits(reading).known_at(field, clause.words, here, reading.whose)
            if fit is not None and fit[0] != reading.groups[-1].values[field.key]:
                other = clause.taking(reading, here, fit[1], "value", VALUE, field.key)
                other.repeated = (*other.repeated, (field.key, fit[0]))
                yield other


def free_text(
    clause: Clause, reading: Reading, field: Field, here: int, skip_cost: float, more: float = MORE
) -> Readings:
    """A text that may be anything: one word, or several up to wherever the line goes on with something else."""
    if not clause.words[here].quoted and here + 1 < len(clause.words) and clause.is_known(reading, here):
        return
    has_values = clause.fits(reading).legal(field, reading.whose) is not None
    cost = skip_cost + (AS_TYPED if has_values else FREE)
    for beyond in range(here + 1, len(clause.words) + 1):
        if beyond > here + 1 and _ends_a_text(clause, reading, field, beyond - 1):
            return
        _refuse_half_a_field(clause, reading, field, here, beyond)
        text = clause.line.rest(here, beyond)
        if beyond < len(clause.words) and text != ",":
            # `Brog, player Mia, level 2`: a comma parts it from what follows
            text = text.removesuffix(",")
        value = [text] if field.kind.shape == "list" else text
        yield clause.with_value_by_type(reading, field, (value, beyond), here, cost)
        if (
            clause.words[here].quoted
            or field.kind.shape != "text"
            or (more == MORE and _another_text(clause, reading, field))
        ):
            return
        cost += more


def _another_text(clause: Clause, reading: Reading, field: Field) -> bool:
    """Whether the words behind one belong to another text that has to be said too."""
    missing = (other for other in reading.missing() if other is not field)
    return any(other.remark for other in missing) and not clause.names_remark()


def _off_the_list(clause: Clause, reading: Reading, field: Field, here: int, skip_cost: float) -> Readings:
    """A name that is not on the log's own list: `new goblin` adds one; any other is asked about."""
    new = clause.words[here].text.casefold() == "new" and not clause.words[here].quoted
    first = here + new
    if first >= len(clause.words):
        return
    cost = skip_cost + (NAMED if new else AS_TYPED)
    for beyond in range(first + 1, len(clause.words) + 1):
        ends = _ends_a_text(clause, reading, field, beyond - 1) or clause.begins_a_value(reading, beyond - 1, but=field)
        if beyond > first + 1 and (ends or clause.words[first].quoted):
            return
        name = clause.line.rest(first, beyond).rstrip(",")
        other = clause.with_value_by_type(reading, field, (name, beyond), here, cost)
        if new:
            other.added = (*other.added, (str(field.added_by), field.key, name))
        else:
            other.unlisted = Unlisted(field.key, name, first, beyond)
        yield other
        cost += FREE


def _ends_a_text(clause: Clause, reading: Reading, field: Field, here: int) -> bool:
    """Whether a text stops before a word, which means something by itself."""
    word = clause.words[here]
    is_name = clause.is_known(reading, here) and (here + 1 < len(clause.words) or field.names == "new character")
    return word.quoted or is_name or clause.is_option(here) or _leads_to_a_figure(clause, reading, here)


def _refuse_half_a_field(clause: Clause, reading: Reading, field: Field, here: int, beyond: int) -> None:
    """Raise Misread for a new name that holds a value, `Rat hp=4`, or nearly ends in a field: `Brog lvl 2`."""
    if field.names != "new character" or beyond - here < 2:
        return
    for at in range(here + 1, beyond):
        if "=" in clause.words[at].text and not clause.words[at].quoted:
            name, names = clause.words[at].text.partition("=")[0], listed(list(clause.grammar.fields))
            raise Misread(f"{clause.grammar.name} has no {name!r}; it takes {names}.", at)
    if beyond >= len(clause.words):
        return
    word, value = clause.words[beyond - 1].text, clause.words[beyond].text
    near = clause.grammar.field_called(word) or clause.grammar.fields.get(nearest(word, clause.grammar.fields) or "")
    if near is not None and near.kind.shape == "text" and value == "by" and beyond + 1 < len(clause.words):
        value = clause.words[beyond + 1].text  # `Bram played by Jo`
    elif near is not None and near.kind.shape != "number":
        return
    if near is not None and near is not field and reading.is_open(near):
        name = clause.line.text[clause.words[here].start : clause.words[beyond - 1].end]
        hint = f"{word!r} may be {near.key} or the end of a name; write {near.key}={value.rstrip(STOPS)}"
        raise Misread(f'{hint}, or the name in quotes: "{name}".', beyond - 1)


def _as_typed(clause: Clause, reading: Reading, field: Field, here: int, skip_cost: float) -> Readings:
    """A card or an item that is not legal now: that is for the rules to say."""
    if _joins_values(clause, reading, here) or _leads_to_a_value(clause, reading, here):
        return
    last = all(other in (field, clause.grammar.who) for other in reading.missing())
    if clause.words[here].text == "of" and here + 1 < len(clause.words):
        reading, here = clause.taking(reading, here, here + 1, "filler", FILLER), here + 1  # `bottom of ride the wind`
    for beyond in range(here + 1, len(clause.words) + 1 if last else here + 2):
        if beyond > here + 1 and (clause.words[beyond - 1].quoted or clause.is_known(reading, beyond - 1)):
            return
        cost = AS_TYPED + FREE * (beyond - here - 1) + skip_cost
        name = clause.line.rest(here, beyond)
        listed = field.kind.shape == "list"
        yield clause.with_value_by_type(reading, field, ([name] if listed else name, beyond), here, cost)


def _cards_by_number(clause: Clause, reading: Reading, here: int) -> Readings:
    """Cards that nothing is known of by their numbers: where cards are reported, they are cards all the same."""
    for field in clause.grammar.order:
        kind = field.one
        numbers = all(number_of(word.text) is not None for word in clause.words[here:])
        optional = field.kind.shape == "list" and field.in_order and not field.required
        if optional and reading.is_open(field) and kind.values and numbers:
            several = [word.text for word in clause.words[here:]]
            yield clause.with_value_by_type(reading, field, (several, len(clause.words)), here, AS_TYPED)
            return


def number_before_its_name(clause: Clause, reading: Reading, here: int) -> Readings:
    """`5 gold`: a number before the whole name of what it is, where nothing else can be meant."""
    field = reading.open_field(clause.words[here + 1].text) if here + 1 < len(clause.words) else None
    if field is None or field.kind.shape != "number" or field.dice or field.turn:
        return
    number = number_of(clause.words[here].text)
    if number is None or clause.fits(reading).at(field, clause.words, here + 2, reading.whose) is not None:
        return
    yield clause.with_named_value(reading, field, number, here, here + 2, "named")


def dice_of_each(clause: Clause, reading: Reading, here: int) -> Readings:
    """`brog 545`, `brog and rolls 5, 4 and 5`: the dice of whoever was named last, in an action of several."""
    faces = clause.grammar.faces
    if faces is None or faces.key in reading.shared:
        return
    dice: list[int] = []
    group, beyond = reading.groups[-1], here
    place = behind_words(clause.words, here, (*JOINS, *WITH, *ROLLING))
    while place < len(clause.words) and (more := dice_of(clause.words[place].text.rstrip(","))) is not None:
        dice, beyond = dice + more, place + 1
        place = behind_words(clause.words, beyond, JOINS)
    if beyond == here or not group.names:
        return
    if reading.is_group or group.names[-1] in group.faces:
        names, text = group.names if reading.is_group else [group.names[-1]], clause.words[here].text
        raise Unclear(f"Say whose dice {text} are, like {quote(names[0])} {text}.", names, here)
    other = clause.taking(reading, here, beyond, "dice", VALUE, faces.key)
    other.groups[-1].faces[group.names[-1]] = dice
    yield other


def _joins_values(clause: Clause, reading: Reading, here: int) -> bool:
    """Whether a word stands between two values: `trample and eye`."""
    return joins(clause.words, here) and reading.pieces[-1].how == "value" and clause.begins_a_value(reading, here + 1)


def _leads_to_a_value(clause: Clause, reading: Reading, here: int) -> bool:
    """Whether a little word stands before a value: `bottom of trample`."""
    word = clause.words[here]
    return not word.quoted and word.text.casefold() in FILLERS and clause.begins_a_value(reading, here + 1)


def _leads_to_a_figure(clause: Clause, reading: Reading, here: int) -> bool:
    """Whether a little word stands before a number with its name: `at level 1`, `with 30 gold`."""
    word, following = clause.words[here], clause.words[here + 1 : here + 3]
    if word.quoted or word.text.casefold() not in BEFORE_A_NAMED_NUMBER or len(following) < 2:
        return False
    fields = [reading.open_field(one.text.rstrip(STOPS)) for one in following]
    return any(
        field is not None and field.kind.shape == "number" and number_of(other.text.rstrip(STOPS)) is not None
        for field, other in zip(fields, reversed(following), strict=True)
    )


def filler(clause: Clause, reading: Reading, here: int) -> Readings:
    """A little word between two values: `fa reed hits ash`."""
    word = clause.words[here]
    if word.quoted or here + 1 >= len(clause.words):
        return
    if _leads_to_a_figure(clause, reading, here):
        yield clause.taking(reading, here, here + 1, "filler", FILLER)
        return
    if word.text.casefold() not in FILLERS and not _joins_values(clause, reading, here):
        return
    grammar = clause.grammar
    # where a line is about nobody, "on a rest" begins words, and no Agnes
    names_person = grammar.names_another or (grammar.who is not None and not reading.names)
    if clause.begins_a_value(reading, here + 1) or (names_person and people_at(clause.words, here + 1, clause.context)):
        yield clause.taking(reading, here, here + 1, "filler", FILLER)
