"""Random mixtures of verbs, names, fields and values in any order, and what no line may do: lose a word of the rules.

Whatever a line records, each of its words that is a field, a flag, a value or a name of that verb is in the action as
that, or in the sentence of the turn; and none of the first three ends among the words of a remark without a question.
"""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec

from cli.line.understanding import understand
from cli.line.values import Context
from cli.line.verbs import Verb, verb_at, verbs_of
from cli.line.words import Word, tokenize
from domain.common.notes import Note
from domain.common.revisions import REVISIONS
from domain.naming import key_of, plain_words
from domain.refusal import Conflict, Invalid, Refusal
from domain.system.field_schema import Field, fields_of
from domain.turn import Action

from .given import Given

#: What stands in lines besides what the rules know.
SCRAPS = (
    "a",
    "the",
    "ghoul",
    "3",
    "2",
    "14",
    "54",
    "6",
    "and",
    "of",
    "trap",
    "x",
    "yes",
    "no",
    "not",
    "by",
    "why",
    "1",
)
#: Words that are values in some verbs and everybody's words in all.
EVERYBODYS = frozenset(("a", "the", "and", "of", "x", "v", "yes", "no", "not", "by", "all", "party"))
#: Manner, which stands behind every line.
OF_THE_LINE = ("by", "when", "after", "before", "conflicts", "turn", "turns", "to", "last", "since", "because", "also")


def mixture(chance: Random, table: Given) -> str:
    """A line of a verb and up to seven words that have to do with it, in any order."""
    verb = chance.choice([verb for verb in verbs_of(table.system.key) if not issubclass(verb.kind, REVISIONS)])
    words = [*_words_of(verb, table), *SCRAPS]
    count = chance.randint(0, 7)
    first = [chance.choice(_names(table))] if chance.random() < 0.6 else []
    return " ".join([verb.name, *first, *(chance.choice(words) for _ in range(count))])


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
        vocabulary += _choices(field)
        for character in [*list(state.characters)[:2], None]:
            legal = table.system.proposals(state, verb.kind, field.key, character) or ()
            vocabulary += [plain_words(str(value))[-1] for value in list(legal)[:3]]
    return vocabulary


def _choices(field: Field) -> list[str]:
    kind = field.kind.item if field.kind.shape == "list" and field.kind.item is not None else field.kind
    return [str(choice) for choice in kind.offered_choices]


def lost_word(table: Given, line: str, counts: Counter[str]) -> str | None:
    """The word of the rules that a line would record without saying so; None: there is none. `seen` counts ends."""
    state = table.handler.state()
    try:
        understanding = understand(tokenize(line), Context(table.system, state, table.log))
    except (Invalid, Refusal):
        counts["refused by the grammar"] += 1
        return None
    sentences = []
    for action in understanding.actions:
        try:
            outcome = table.handler.record(action, dry_run=True)
        except (Refusal, Invalid, Conflict):
            counts["refused by the rules"] += 1
            return None
        sentences += ["".join(event.sentence()) for event in outcome.turn.events]
    counts["recorded"] += 1
    verb, at = verb_at(table.system.key, tokenize(line))
    assert not isinstance(verb, str)
    actions = [msgspec.to_builtins(action) for action in understanding.actions]
    sentence = key_of(" ".join(sentences))
    keys = {key_of(word.text) for word in tokenize(line).words[at:]}
    for word in tokenize(line).words[at:]:
        kept_words = [*_in_action(verb.kind, word, actions, keys), key_of(word.text) in sentence]
        if _is_of_the_rules(verb, word, table) and not any(kept_words):
            return word.text
    return next(_among_words(verb, understanding.actions[0], line), None)


def _is_of_the_rules(verb: Verb, word: Word, table: Given) -> bool:
    """Whether a word is a field, a flag, a value or somebody's name, and no number and nobody's own word."""
    text = key_of(word.text.rstrip(","))
    if text in EVERYBODYS or text.isdigit():
        return False
    names = {plain_words(name)[0] for name in table.handler.state().characters}
    return text in names or any(text in _spellings(field) for field in fields_of(verb.kind))


def _spellings(field: Field) -> set[str]:
    """What says a field: its name, a flag with its sign, its choices."""
    name = field.key.replace("_", "-")
    flags = {f"no-{name}", f"un{name}", f"not-{name}"} if field.kind.shape == "flag" else set()
    return {key_of(spelling) for spelling in (field.key, name, *flags, *_choices(field))}


def _in_action(kind: type[Action], word: Word, actions: list[dict[str, Any]], keys: set[str]) -> Iterator[bool]:
    """Whether a word is in the action: the field that it names, its value, whoever is called so, or in a named text."""
    text = key_of(word.text.rstrip(","))
    for action in actions:
        for field in fields_of(kind):
            if text in _spellings(field) and (field.key in action or field.kind.shape == "flag"):
                yield True
            value = action.get(field.key)
            if isinstance(value, str) and field.key in keys and not field.remark:
                yield text in map(key_of, value.split())
            for part in _flat(value):
                yield text == key_of(str(part)) or (bool(field.names) and text in plain_words(str(part)))


def _flat(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *(part for inner in value.values() for part in _flat(inner))]
    return [part for inner in value for part in _flat(inner)] if isinstance(value, list | tuple) else [value]


def _among_words(verb: Verb, action: Action, line: str) -> Iterator[str]:
    """Words of the remark that would have been a flag, a choice or NAME=VALUE, and were not refused."""
    remark = next((field for field in fields_of(verb.kind) if field.remark), None)
    if remark is None or remark.key == "why" or isinstance(action, Note):
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
            if flag or (key_of(word) in map(key_of, _choices(field)) and key_of(word) not in EVERYBODYS):
                yield word


def _meaning_nothing(field: Field) -> set[str]:
    """What says a flag as it is anyway."""
    name = field.key.replace("_", "-")
    off = {f"no-{name}", f"un{name}", f"not-{name}"}
    return {key_of(field.key), key_of(name)} if field.default else off
