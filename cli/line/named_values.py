"""Values that stand in a line with their names: `dc=30`, `--dc 30`, `dc 30`, `unsafe`, `str 1`."""

import re

from cli.line.clause import FREE, MANNER, NAMED, SETTLING, Clause, Readings
from cli.line.errors import Misread, Missing, Unclear
from cli.line.reading import Reading, Unlisted
from cli.line.remarks import as_remark
from cli.line.unnamed_values import free_text
from cli.line.values import Fit, json_or_text, number_of, people_at
from cli.line.words import Word
from domain.naming import find_name
from domain.system.field_schema import Field
from domain.system.type_descriptions import value_in_brief


def by_name(clause: Clause, reading: Reading, here: int) -> Reading | None:
    """The reading behind a field that is named here, with its value. Raises Misread."""
    for row in (as_option, as_flag, by_its_name):
        for way in row(clause, reading, here):
            return way
    return None


def as_option(clause: Clause, reading: Reading, here: int) -> Readings:
    """`dc=30`, `--dc 30`, `--no-safe`: a field that is meant without doubt."""
    word, grammar = clause.words[here], clause.grammar
    is_dashed = clause.option_named(here) != ""
    name, sign, text = word.text.removeprefix("--").partition("=")
    if not is_dashed and (not sign or not re.fullmatch(r"[\w.-]*[^\W_][\w.-]*", name)):
        return
    field = grammar.field_called(name)
    if field is None and is_dashed and not sign and name in SETTLING:
        yield _settles(clause, reading, SETTLING[name], here)
        return
    flag = field if field is not None else grammar.field_called(name.removeprefix("no-")) if is_dashed else None
    if flag is not None and flag.kind.shape == "flag" and is_dashed and not sign:
        yield _with_value(clause, reading, flag, Word("yes" if field is not None else "no", 0, 0), here, here + 1)
        return
    beyond, value = here + 1, Word(text, word.start, word.end, word.quoted)
    if not sign:
        if field is None and name not in MANNER:
            return
        if beyond >= len(clause.words):
            raise Missing(f"{word.text} needs a value.", (field,) if field else (), here)
        value, beyond = clause.words[beyond], beyond + 1
    if field is not None and field.file == name and clause.context.reads is not None:
        yield clause.with_named_value(reading, field, clause.context.reads(value.text), here, beyond, "option")
    elif field is not None and field is not grammar.loose:
        yield _with_value(clause, reading, field, value, here, beyond)
    elif grammar.loose is not None and (sign or field is grammar.loose):
        yield _loosely(clause, reading, field, name, value, here, beyond)
    elif is_dashed and name in MANNER:
        other = clause.taking(reading, here, beyond, "manner", 0)
        other.manner[name] = value.text
        yield other


def _settles(clause: Clause, reading: Reading, how: str, here: int) -> Reading:
    """How conflicts with later turns are settled: a field of the action, or an option of a backdated line."""
    field = clause.grammar.fields.get("conflicts")
    if how != (reading.value_of("conflicts") or reading.manner.get("conflicts", how)):
        raise Misread("Say --drop or --keep, not both.", here)
    if field is not None:
        return _with_value(clause, reading, field, Word(how, 0, 0), here, here + 1)
    other = clause.taking(reading, here, here + 1, "manner", 0)
    other.manner["conflicts"] = how
    return other


def _loosely(
    clause: Clause, reading: Reading, field: Field | None, name: str, value: Word, here: int, end: int
) -> Reading:
    """NAME=VALUE whose NAME is no field, one or an object of several."""
    loose = clause.grammar.loose
    assert loose is not None
    other = clause.taking(reading, here, end, "option", 0, loose.key)
    if field is loose and value.text.startswith("{"):
        several = json_or_text(value.text)
        if not isinstance(several, dict):
            raise Misread(f"{value.text!r} is not a JSON object; write it as NAME=VALUE.", here)
        other.shared.setdefault(loose.key, {}).update(several)
        return other
    inner, equals, text = value.text.partition("=") if field is loose else (name, "=", value.text)
    if not equals or not inner.strip():
        raise Misread(f"Write it as NAME=VALUE, not {value.text!r}.", here)
    other.give_loose(inner.strip(), text, here)
    return other


def _with_value(clause: Clause, reading: Reading, field: Field, word: Word, here: int, beyond: int) -> Reading:
    """A field that was named, set. Raises Misread if the value does not fit."""
    grammar = clause.grammar
    if not word.text and not word.quoted:
        other = clause.taking(reading, here, beyond, "option", 0, field.key)
        other.dropped |= {field.key}
        return other
    if field.keyed_by_names and "=" not in word.text and not word.text.startswith("{"):
        if len(reading.names) > 1:
            raise Unclear(f"Say whose: {field.key}=NAME={word.text}.", reading.names, here)
        if grammar.who is not None and reading.whose is None:
            # whose it is may stand behind it
            whom = grammar.takes(grammar.who, None)
            raise Missing(f"{grammar.name} needs {grammar.who.key}: {whom}.", [grammar.who], here)
    fit = clause.fits(reading).at(field, (word,), 0, reading.whose, named=True)
    if fit is None and field.added_by is not None:
        other = clause.with_named_value(reading, field, word.text, here, beyond, "option")
        other.unlisted = Unlisted(field.key, word.text, here, beyond)
        return other
    if fit is None and field.kind.names:
        find_name(word.text, clause.context.state.characters)
    if fit is None:
        raise Misread(
            f"{field.key} must be {grammar.takes(field, reading.whose)}, not {value_in_brief(word.text)}.", here
        )
    return clause.with_named_value(reading, field, fit[0], here, beyond, "option")


def as_flag(clause: Clause, reading: Reading, here: int) -> Readings:
    flag = None if clause.words[here].quoted else clause.flag_at(reading, here)
    if flag is not None:
        yield clause.with_named_value(reading, flag[0], flag[1], here, flag[2], "flag")


def by_its_name(clause: Clause, reading: Reading, here: int) -> Readings:
    """`dc 30`, `source a trap`, `str 1`: a field by its name, with a value behind it that fits."""
    if clause.words[here].quoted:
        return
    field = reading.open_field(clause.words[here].text) or _one_of_a_list(clause, reading, here)
    if field is None:
        yield from _by_short_name(clause, reading, here)
        return
    if field is clause.grammar.remark and here + 1 < len(clause.words):
        yield from as_remark(clause, reading, here, here + 1)
        return
    if field.among:
        yield _of_these(clause, reading, field, here)
        return
    fit: Fit = clause.fits(reading).known_at(field, clause.words, here + 1, reading.whose)
    if fit is None and clause.fits(reading).is_free(field) and here + 1 < len(clause.words):
        if field.kind.shape == "text":
            for way in free_text(clause, reading, field, here + 1, 0, FREE):
                end = way.pieces[-1].end
                text = way.groups[-1].values[field.key]
                with_text = clause.taking(
                    reading, here, end, "named", way.cost - reading.cost - FREE + NAMED, field.key
                )
                with_text.give(field, text, here)
                yield with_text
            return
        fit = clause.fits(reading).at(field, clause.words, here + 1, None)
    if fit is None and field.alone is not None:
        fit = field.alone, here + 1
    if fit is None:
        _refuse_no_value(clause, reading, field, here)
        return
    yield clause.with_named_value(reading, field, fit[0], here, fit[1], "named")


def _one_of_a_list(clause: Clause, reading: Reading, here: int) -> Field | None:
    """The list of numbers of which one is named: `treasure 7`; None: there is none, or no number behind it."""
    field = reading.open_field(f"{clause.words[here].text}s")
    numbers = field is not None and field.kind.item is not None and field.kind.item.shape == "number"
    behind = clause.words[here + 1 : here + 2]
    return field if numbers and behind and number_of(behind[0].text) is not None else None


def _by_short_name(clause: Clause, reading: Reading, here: int) -> Readings:
    """`str 1`: the beginning of the name of a number that must be said; `hp 5`: what can be set, by its name."""
    word, following = clause.words[here], clause.words[here + 1 : here + 2]
    if not following:
        return
    value = following[0].text
    fields = [
        field
        for field in clause.grammar.order
        if len(word.text) > 2 and field.required and field.kind.shape == "number" and reading.is_open(field)
        and field.key.startswith(word.text.casefold())
    ]  # fmt: skip
    if len(fields) == 1 and number_of(value) is not None:
        yield clause.with_named_value(reading, fields[0], number_of(value), here, here + 2, "named")
        return
    name, loose = word.text.replace("-", "_"), clause.grammar.loose
    settable = name in clause.grammar.settable(reading.whose) and (
        clause.grammar.remark is None or not isinstance(json_or_text(value), str)  # a text may begin the remark
    )
    if loose is not None and settable and name not in reading.shared.get(loose.key, ()):
        other = clause.taking(reading, here, here + 2, "named", NAMED, loose.key)
        other.give_loose(name, value, here)
        yield other


def _refuse_no_value(clause: Clause, reading: Reading, field: Field, here: int) -> None:
    """Raise Misread for the whole name of a field with no value behind it, unless words may well begin so."""
    if clause.begins_a_value(reading, here):
        return  # `perform shield bottom`: the card is meant
    takes = clause.grammar.takes(field, reading.whose)
    if here + 1 >= len(clause.words):
        raise Missing(f"{field.key} needs a value: {takes}.", (field,), here + 1)
    following = clause.words[here + 1].text
    remark = clause.grammar.remark
    number = field.kind.shape == "number" or field.dice or field is clause.grammar.faces
    if "_" in field.key or (remark is None and not number):
        # nobody's remark begins with `lose_hand`: a card that cannot pay must not become words beside a wound
        raise Misread(f"{field.key} takes nothing called {value_in_brief(following)} here.", here + 1)
    if number:
        may_be_words = not field.required and remark is not None and reading.is_open(remark)
        as_words = "; if you mean words, put them in quotes" if may_be_words else ""
        raise Misread(f"{field.key} must be {takes}, not {following!r}{as_words}.", here + 1)


def _of_these(clause: Clause, reading: Reading, field: Field, here: int) -> Reading:
    """Some of those whom the line is about; with no names behind it, the only one."""
    names: list[str] = []
    beyond = here + 1
    while beyond < len(clause.words):
        people = people_at(clause.words, beyond, clause.context)
        if people is None or clause.begins_a_value(reading, people[1]):
            break
        names, beyond = [*names, *people[0]], people[1]
    other = clause.taking(reading, here, beyond, "named", NAMED, field.key)
    if names:
        other.shared[field.key] = names
    else:
        other.of_the_only_one = (*other.of_the_only_one, field)
    return other
