"""Random mixtures of verbs, names, fields and values in any order, and what no line may do: lose one of its words.

Whatever a line records, each word behind its verb is told by the sentence of the turn, or is a field by its name, or a
value that the action holds and the sentence calls otherwise, as a card by its number. And no flag, choice or NAME=VALUE
ends among the words of a remark without a question. A line that is offered for one that is refused says all its words,
but for a roll: its dice are rolled first, and the line is typed again with their total.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Any

import msgspec

from cli.line.context import Context
from cli.line.grammar import grammar_of, is_text
from cli.line.people import BUT, JOINS
from cli.line.understanding import beginning_of, understand
from cli.line.values import NO, YES
from cli.line.verbs import Verb, verbs_of
from cli.line.words import tokenize
from domain.common.dice import RollDice
from domain.common.revisions import REVISIONS
from domain.naming import EVERYBODY, PARTY, key_of, plain_words
from domain.refusal import Conflict, Invalid, Refusal
from domain.registry import verb_name
from domain.system.field_schema import Field, fields_of
from domain.turn import Action

from .given import Given

#: What stands in lines besides what the rules know.
SCRAPS = ("a", "the", "ghoul", "3", "2", "14", "54", "6", "and", "of", "trap", "x", "yes", "no", "not", "by", "why",
          "1", "+2", "-1", "d6")  # fmt: skip
#: What says how other words of a line belong together.
GRAMMAR = frozenset((*EVERYBODY, *PARTY, *BUT, *JOINS, *YES, *NO, "not", "new", "=", "+", "-"))
#: What leads to a name, and goes where the name goes before the values.
LEADING = frozenset((*JOINS, "by", "of"))
#: Values in some verbs, and everybody's words in all.
EVERYBODYS = frozenset(("a", "the", "and", "of", "x", "v", "yes", "no", "not", "by", "all", "party"))
#: Begins what is offered for dice in the place of a number.
ROLL = verb_name(RollDice)
#: Manner, which stands behind every line.
OF_THE_LINE = ("by", "when", "after", "before", "conflicts", "turn", "turns", "to", "last", "since", "because", "also")


def mixture(chance: Random, table: Given) -> str:
    """A line of a verb and up to seven words that have to do with it, in any order; at times a name goes before it."""
    verb = chance.choice([verb for verb in verbs_of(table.system.key) if not issubclass(verb.kind, REVISIONS)])
    words = [*_words_of(verb, table), *SCRAPS]
    first = [verb.name, *([chance.choice(_names(table))] if chance.random() < 0.6 else [])]
    if chance.random() < 0.1:
        first.reverse()
    return " ".join([*first, *(chance.choice(words) for _ in range(chance.randint(0, 7)))])


def _names(table: Given) -> list[str]:
    names = [plain_words(name)[0] for name in table.handler.state().characters]
    return [*names, "all", "nobody"]


def _words_of(verb: Verb, table: Given) -> list[str]:
    """Words that mean something to a verb: names, fields, flags, values."""
    vocabulary = _names(table)
    state = table.handler.state()
    for field in fields_of(verb.kind):
        name = field.key
        vocabulary += [name, f"{name}=3", f"no-{name}"] if field.kind.shape == "flag" else [name, f"{name}=3"]
        vocabulary += field.one.offered_choices
        for character in [*list(state.characters)[:2], None]:
            legal = table.system.proposals(state, verb.kind, field.key, character) or ()
            vocabulary += [plain_words(str(value))[-1] for value in list(legal)[:3]]
    return vocabulary


def lost_word(table: Given, line: str, counts: Counter[str]) -> str | None:
    """The word that a line would record without saying so; None: there is none. `counts` tells how lines ended."""
    state, words = table.handler.state(), tokenize(line)
    context = Context(table.system, state, table.log)
    try:
        understood = understand(words, context)
    except (Invalid, Refusal) as refused:
        counts["refused by the grammar"] += 1
        return _lost_by_a_repair(line, refused, counts)
    sentences = []
    for action in understood.actions:
        try:
            outcome = table.handler.record(action, dry_run=True)
        except (Refusal, Invalid, Conflict):
            counts["refused by the rules"] += 1
            return None
        sentences += ["".join(event.sentence()) for event in outcome.turn.events]
    counts["recorded"] += 1
    verb, at, _ = beginning_of(context, words)
    assert not isinstance(verb, str)
    told = {*plain_words(" ".join(sentences)), str(len(sentences))}  # six days of healing are six sentences
    for place in range(at, len(words.words)):
        typed, before = (key_of(words.words[here].text.rstrip(",")) for here in (place, place - 1))
        if not (_is_told(typed, told) or any(_is_held(typed, before, action) for action in understood.actions)):
            return words.words[place].text
    return next(_among_words(verb, understood.actions[0], line), None)


def _lost_by_a_repair(line: str, refused: Invalid | Refusal, counts: Counter[str]) -> str | None:
    """The word of a line that one of those which are offered for it does not say; None: there is none.

    Of a line about several that is one line for each of them no single one says all names, and the name of a field
    behind its number is a unit.
    """
    words = tokenize(line).words
    before = dict(pairwise(reversed([word.text for word in words])))
    let_go = {word for word, number in before.items() if number.isdecimal()}
    let_go |= {word.text for word in words} if "a line for each" in str(refused) else set()
    for repair in getattr(refused, "nearest", ()):
        counts["lines offered"] += 1
        if repair.split()[0] == ROLL and ROLL not in line.split():
            continue
        kept = _words_in(f"{repair} not" if "=no" in repair else repair)
        lost = [
            word
            for word in _words_in(line) - kept
            if word not in let_go and not any(whole.startswith(word) for whole in kept)
        ]
        if lost:
            return f"{lost[0]} in {repair}"
    return None


def _words_in(line: str) -> Counter[str]:
    return Counter(part for word in tokenize(line).words for part in plain_words(word.text) if part not in LEADING)


def _is_told(typed: str, told: set[str]) -> bool:
    """Whether a sentence has a word of a line: itself, what it begins, or each of the dice that are stuck together."""
    parts = plain_words(typed)
    begins = all(any(said.startswith(part) for said in told) for part in parts if not part.isdecimal())
    dice = all(part in told or set(part) <= told for part in parts if part.isdecimal())
    return typed in GRAMMAR or (begins and dice)


def _is_held(typed: str, before: str, action: Action) -> bool:
    """Whether a word is a field of an action by its name, or the value behind that; a flag; a reference; what a wound
    is called, which may not come; or a little word before a text."""
    name, held = typed.removeprefix("--").partition("=")[0], msgspec.to_builtins(action)
    for field in fields_of(type(action)):
        values = [key_of(str(value)) for value in _flat(held.get(field.key))]
        is_default = type(field.default) is int  # which the action leaves out
        if name in _spellings(field) and (field.kind.shape == "flag" or field.key in held or is_default):
            return True
        # a choice is told in words and an amount as what it came to; a text only behind its name
        if typed in values and (not is_text(field) or before.removeprefix("--") == field.key):
            return True
        if name in field.led_by or (field.remark and typed in " ".join(values).split()):
            return True
    return False


def _spellings(field: Field) -> set[str]:
    """What says a field: its name, a flag with its sign."""
    name = field.key.replace("_", "-")
    flags = {f"no-{name}", f"un{name}", f"no-{field.key}"} if field.kind.shape == "flag" else set()
    return {key_of(spelling) for spelling in (field.key, name, *flags)}


def _flat(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *(part for inner in value.values() for part in _flat(inner))]
    return [part for inner in value for part in _flat(inner)] if isinstance(value, list | tuple) else [value]


def _among_words(verb: Verb, action: Action, line: str) -> Iterator[str]:
    """Words of the remark that would have been a flag, a choice or NAME=VALUE, and were not refused."""
    remark = next((field for field in fields_of(verb.kind) if field.remark), None)
    if remark is None or grammar_of(verb).any_words:
        return  # what a note or a reason says is words whatever it holds
    text = getattr(action, remark.name, None)
    texts_in_quotes = [word.text for word in tokenize(line).words if word.quoted]
    if not isinstance(text, str) or text in texts_in_quotes:
        return
    for word in text.split():
        if "=" in word.strip("=") and word.partition("=")[0].replace("_", "").replace("-", "").isalpha():
            yield word
        for field in fields_of(verb.kind):
            open_ = getattr(action, field.name) in (None, (), field.default) and not field.required
            if not open_ or field is remark or field.key in OF_THE_LINE or field.key in verb.sets:
                continue
            flag = field.kind.shape == "flag" and key_of(word) in _spellings(field) - _meaning_nothing(field)
            choices = map(key_of, field.one.offered_choices)
            if flag or (key_of(word) in choices and key_of(word) not in EVERYBODYS):
                yield word


def _meaning_nothing(field: Field) -> set[str]:
    """What says a flag as it is anyway."""
    own = {key_of(field.key), key_of(field.key.replace("_", "-"))}
    return own if field.default else _spellings(field) - own
