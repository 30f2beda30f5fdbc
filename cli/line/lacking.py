"""What a line lacks, and what fits it nowhere: each said with the values that are taken, and a line that has one."""

import re
from collections.abc import Sequence
from itertools import islice, takewhile

from cli.line.errors import LineError
from cli.line.grammar import is_text, known_in
from cli.line.people import row_at
from cli.line.said import Said
from cli.line.trials import reason_now, refused_with
from cli.line.values import DICE, SIGNS, is_signed
from cli.line.words import quote
from domain.choice import Choice
from domain.common.dice import RollDice
from domain.naming import as_noun, capitalised, fitting, nearest, same_letters, short_for, spelt_like
from domain.refusal import Invalid
from domain.registry import action_from, tag_of, verb_name
from domain.system.field_schema import NEW, Field
from domain.system.type_descriptions import either, type_description

#: Numbers that are tried for an example of one at most.
MOST_NUMBERS = 10


def check_complete(said: Said) -> None:
    """Raise LineError for what a line does not say, all at once, with the line as it would be right."""
    fields = said.missing()
    if not fields:
        return
    if said.grammar.who in fields:
        _refuse_other_actor(said)
    wants = [f"{field.key}: {takes(said, field, missing=True)}" for field in fields]
    reason = f"{verb_name(said.grammar.verb.kind)} needs {'; and '.join(wants)}."
    own = "" if any(field.required for field in fields) else _own_reason(said)
    if said.words_at is not None and not said.words[said.words_at].quoted:
        # what is missing may be the first of the words: `d brog three`, `d brog 3hp`, `fate brog deth`
        first, ways = said.words[said.words_at].text, meant_instead(said, said.words_at, fields)
        if not ways and said.is_default and said.words_at == said.begin and first.isalpha():
            reason = f"There is no character {first!r}, and {reason}"
        else:
            reason = f"{reason[:-1]}, before {said.line.rest(said.words_at, said.end)!r}."
    else:
        ways = _completed(said, fields)
    reason = own or reason  # the action's own says what else may be said instead
    lacks = None
    if len(said.groups) == 1 and len(said.names) <= 1:
        lacks = Choice(said.grammar.verb.kind, said.given, tuple(field.key for field in fields))
    missing = [field.key for field in fields] if said.words_at is None or not (ways or own) else ()
    state = said.context.state
    raise LineError(reason, nearest=ways, at=len(said.words), missing=missing, lacks=lacks, state=state)


def _refuse_other_actor(said: Said) -> None:
    """Refuse whoever has a verb of their own for this where somebody else should act: `attack goblin 3 torvald v`."""
    kinds = {tag_of(kind): kind for kind in said.context.system.actions}
    given = [field for field in said.grammar.order if field.key in said.given]
    for field in given if any(field.names == "character" for field in given) else ():
        name = str(said.given[field.key])
        if field.acts_with is not None and fitting(said.words[said.begin].text, [name]):
            verb = verb_name(kinds[field.acts_with])
            way = said.line.replaced(0, said.begin, verb)
            raise said.refuse(f"{capitalised(as_noun(name))} does that with {verb}.", said.begin, way)


def _own_reason(said: Said) -> str:
    """Why the action itself cannot be as far as it is said; "" where it can."""
    try:
        for value in said.actions():
            action_from(said.context.system.key, value)
    except Invalid as invalid:
        return invalid.reason
    return ""


def meant_instead(said: Said, at: int, fields: Sequence[Field]) -> list[str]:
    """The line with what a word was meant to be as a value of one of these fields; dice are rolled first."""
    text = said.words[at].text
    if DICE.fullmatch(text) is not None and any(field.one.shape == "number" for field in fields):
        return [f"{verb_name(RollDice)} {said.line.rest(at, said.end)}"]
    return [said.line.replaced(at, at + 1, value) for value in meant_as(said, text, fields)]


def meant_as(said: Said, text: str, fields: Sequence[Field]) -> list[str]:
    """What a word was meant to be as a value of one of these fields, as it is typed.

    A number with its unit (`5gp`) or with the sign that its verb stands for: `d brog -3`.
    """
    if any(field.one.shape == "number" for field in fields):
        amount = re.fullmatch(r"([+-]?)(\d+)[^\W\d_]*", text.translate(SIGNS))
        if amount is not None and amount[1] in ("", said.grammar.verb.kind.number_sign):
            return [amount[2]]
    flags = [word for field in fields if field.kind.shape == "flag" for word in (field.key, field.denied_by) if word]
    return slips(text, [*flags, *(choice for field in fields for choice in field.one.offered_choices)])


def slips(text: str, choices: Sequence[str]) -> list[str]:
    """The choice that a word was meant to be or begins, as it is typed."""
    begun = [choice for choice in choices if choice.casefold().startswith(text.casefold())]
    return list(map(quote, begun or spelt_like(text, choices)))


def _completed(said: Said, fields: Sequence[Field]) -> list[str]:
    """The line with an example in the place of each missing value; none where a text of one's own is missing."""
    examples = [_example(said, field) for field in fields]
    if None in examples:
        return []
    at = said.end if said.words_at is None else said.words_at
    words = [said.line.typed(place) for place in range(len(said.words))]
    named = [(field, text) for field, text in zip(fields, examples, strict=True) if text]
    first = [text for field, text in named if field is said.grammar.who]
    rest = [text if field in said.grammar.order else f"{field.key}={text}"
            for field, text in named if field is not said.grammar.who]  # fmt: skip
    return [" ".join([*words[: said.begin], *first, *words[said.begin : at], *rest, *words[at:]])]


def _may_be_about(said: Said) -> Sequence[str]:
    """Those whom the line may be about, without whom its verb is refused for now, unless that is everybody."""
    context, verb = said.context, said.grammar.verb
    return [name for name in context.own() if not reason_now(context, verb.kind, (name,), verb.sets)] or context.own()


def _example(said: Said, field: Field) -> str | None:
    """A value that a field may have; None: it is a text of somebody's own, or nobody may know it."""
    context, one = said.context, field.one
    if field.names == "character":
        names = _may_be_about(said)
        return quote(short_for(names[0], tuple(context.state.characters))) if names else None
    if field.turn or field.kind.extra.get("secret") is not None:
        return None
    if one.shape == "number":
        least, kind = max(1, one.bounds.get("ge", 1)), said.grammar.verb.kind
        numbers = range(least, least + MOST_NUMBERS)
        legal = (number for number in numbers if not refused_with(context, kind, {**said.given, field.key: number}))
        return str(next(legal, least))
    if one.shape == "flag":
        return "yes"
    grave = said.grammar.verb.kind.grave_values.get(field.key)
    titles = [title for title in said.titles(field) or one.offered_choices if title != grave]
    return quote(str(titles[0])) if titles else None


def no_place(said: Said) -> LineError:
    """The error for a word that fits nothing: with a line in which it is NAME=VALUE, or belongs to other words."""
    at, grammar, line, text = said.at, said.grammar, said.line, said.words[said.at].text
    what, ways = "the words are said already", list[str]()
    if (each := _one_each(said)) is not None:
        return each
    named, behind = grammar.field(text), at + 1 < said.end
    if named is not None and said.is_open(named) and behind and not said.words[at].quoted:
        ways = [line.replaced(at + 1, at + 2, way) for way in meant_as(said, said.words[at + 1].text, [named])]
        reason = f"{named.key} must be {takes(said, named)}, not {said.words[at + 1].text!r}."
        return said.refuse(reason, at + 1, *ways)
    if named is not None and named.one.shape == "number" and not said.is_open(named) and not behind:
        ways = [line.replaced(at, at + 1)]  # it counts what stands before it: `loot brann 2 tokens`
    elif said.words_at is not None:
        ways = [said.in_quotes(said.words_at)]
    elif longer := said.longer_value(at - 1, said.end):
        ways = [line.replaced(at - 1, longer[1], longer[0])]
    elif not is_signed(text):
        ways = _whole_names(said, at)
    for of_list in (field for field in said.open_in_order() if field.added_by is not None):
        near = nearest(text, said.titles(of_list) or ())
        ways = [line.replaced(at, at + 1, quote(near))] if near is not None else []
        ways += [line.replaced(at, at, "new")]
    if at + 1 < said.end and (said.settable(text) or _is_tracked(said, text)):  # `check-sheet brog hp 7`
        ways = [line.replaced(at, at + 2, f"{text}={line.typed(at + 1)}")]
    if grammar.words is None:
        what = f"{verb_name(grammar.verb.kind)} takes no words"
    wanted = next(said.open_in_order(), None)
    is_closed = wanted is not None and wanted.one.shape in ("choice", "flag", "number")
    if wanted is not None and is_closed and not any(field.names == NEW for field in grammar.order):
        what = f"{wanted.key} takes {takes(said, wanted)}"
        ways = meant_instead(said, at, [wanted]) or ways
    elif grammar.words is None and text.isalpha() and not behind:
        own = (field for field in grammar.fields.values() if is_text(field) and said.is_open(field))
        ways = [line.replaced(at, at + 1, f"{field.key}={text}") for field in islice(own, 1)] + ways
    of_somebody = any(field.names == "character" for field in said.open_in_order())
    if of_somebody and (near := nearest(text, everybody := tuple(said.context.state.characters))) is not None:
        return said.refuse(
            f"There is no character {text!r}; did you mean {near}?",
            at,
            line.replaced(at, at + 1, quote(short_for(near, everybody))),
        )
    if not ways and said.is_default and at == said.begin and text.isalpha():
        return said.refuse(f"There is no character {text!r}, and {what}.", at)
    return said.refuse(f"{text!r} does not fit here; {what}.", at, *ways)


def _is_tracked(said: Said, text: str) -> bool:
    """Whether a verb that sets fields of a sheet may name what is tracked of somebody."""
    sheet = said.context.state.characters.get(said.whose or "")
    return said.grammar.loose is not None and sheet is not None and same_letters(text, sheet.tracked) is not None


def _one_each(said: Said) -> LineError | None:
    """The error for several people where an action is about one: a line for each; None: it is something else."""
    about = [field for field in said.grammar.order if field.names == "character" and field.kind.shape != "list"]
    for place in range(said.begin, said.end) if about else ():
        try:
            people = row_at(said.context, said.line, place)
        except LineError:
            continue
        if people is not None and people[0] and said.at < people[1]:
            names = [quote(short_for(name, tuple(said.context.state.characters))) for name in people[0]]
            ways = [said.line.replaced(place, people[1], name) for name in names]
            reason = f"{verb_name(said.grammar.verb.kind)} is about one {about[0].key}: a line for each."
            return said.refuse(reason, place, *ways) if len(names) > 1 else None
    return None


def _whole_names(said: Said, at: int) -> list[str]:
    """The line with a name of several words in quotes, where not all of them were taken as that: `foe big wolf 12`.

    Of two numbers behind it the first is its own: `foe wolf 2 6`. Who is on the log's own list has the whole name.
    """
    counted = sum(field.one.shape == "number" for field in said.grammar.order)

    def has_number(begin: int) -> bool:
        numbers = takewhile(lambda word: word.text.isdecimal(), said.words[begin : said.end])
        return len(list(numbers)) == counted + 1

    if at > said.begin + 1 and _is_name(said, at - 2) and has_number(at - 1):
        return [said.in_quotes(at - 2, at)]
    listed = {name for own in said.grammar.order for name in known_in(said.context, said.grammar.verb.kind, own) or ()}
    if at > said.begin and _is_name(said, at - 1) and said.words[at - 1].text not in listed:
        return [said.in_quotes(at - 1, at + 1 + has_number(at + 1))]
    return []


def _is_name(said: Said, at: int) -> bool:
    """Whether a word was taken as a name of somebody's own, which may have one more word."""
    word, text = said.words[at], said.words[at].text.removesuffix(",")
    fields = (field for field in said.grammar.order if is_text(field) or field.added_by is not None)
    return not word.quoted and any(said.groups[-1].values.get(field.key) == text for field in fields)


def takes(said: Said, field: Field, *, missing: bool = False) -> str:
    """The values that a field takes, in words; where it is `missing`, a number is called by what it counts."""
    context, grammar = said.context, said.grammar
    if field.names == "character":
        names = _may_be_about(said) if field is grammar.who else tuple(context.state.characters)
        return either(names or ("somebody who is enrolled",))
    if field is grammar.faces and (first := next(iter(said.names or context.able()), "")):
        return f"dice by names, like {field.key}={first}=5,6"
    if field.dice or field is grammar.faces:
        return "dice as they were rolled, like 5,6"
    if field is grammar.loose:
        return "NAME=VALUE" if grammar.who is None else f"FIELD=VALUE, like {context.system.vital[0]}=5"
    if things := said.numbered(field):
        return either([f"{number} ({what})" for number, what in things.items()])
    titles = said.titles(field)
    if field.kind.shape == "map" and (keys := titles or (field.kind.keys.choices if field.kind.keys else ())):
        return f"NAME=VALUE, like {keys[0]}=1"
    if titles and not is_text(field):
        return either(list(map(str, titles)))
    if field.names == NEW:
        return "a name"
    if field.turn:
        return "a turn, like T4"
    match field.kind.shape:
        case "flag":
            return "yes or no"
        case "text":
            return field.description or "words"
        case "map":
            return "NAME=VALUE"
        case "number" if missing and field.description:
            return field.description
    return "its number or its name" if field.kind.reference else type_description(field.kind)
