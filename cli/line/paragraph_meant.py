"""Which paragraph a line about the rules means that begins with its words: `ruling a natural 20 always passes`.

A word without a digit that is no known paragraph is no number: those whose titles fit the words are offered, and how a
group adds a paragraph of its own.
"""

from collections.abc import Iterator
from itertools import count

from cli.line.errors import Meaning, Misread
from cli.line.offering import nearest_lines
from cli.line.values import Context
from cli.line.verbs import verb_name
from cli.line.words import Line, quoted, written
from domain.common.paragraphs import ParagraphAdd
from domain.common.rulings import Ruling
from domain.naming import plain_words
from domain.refusal import Unknown
from domain.system.paragraphs import known_rule, paragraphs_of
from domain.turn import Action

#: Words of fewer letters say nothing about what a paragraph is about.
TELLING = 4
#: Paragraphs that are offered at most.
MOST_OFFERED = 3


def refuse_words_for_a_number(kind: type[Action], line: Line, at: int, context: Context) -> None:
    """Raise Misread for a ruling, or for a paragraph to add, whose words stand where its number belongs."""
    if at + 1 >= len(line.words):
        return
    word, title = line.words[at], line.words[at + 1]
    if "=" in word.text or word.text.startswith("--") or any(sign.isdigit() for sign in word.text):
        return
    if kind is ParagraphAdd:
        if not word.quoted and not title.quoted:
            raise Misread(f"A paragraph has a number and a title first: {_own(line, at, context)}.", at)
        return
    try:
        known_rule(context.system, word.text, context.state.campaign.paragraphs)
    except Unknown:
        pass
    else:
        return
    if word.text.casefold() == context.system.cite.casefold():
        return
    text = " ".join(written(line, each) for each in range(at, len(line.words)))
    reason = f"Which paragraph is it about? One of your own begins so: {_own(line, at, context)}"
    numbers = [*_fitting(line, at, context)]
    found = nearest_lines(context, f"{reason}.", [f"{verb_name(Ruling)} {number} {text}" for number in numbers])
    titles = paragraphs_of(context.system.key)
    says = [
        Meaning(f"{number} {titles[number].title}", choice.line)
        for number, choice in zip(numbers, found.choices, strict=False)
    ]
    raise found.only(says) if says else Misread(f"{reason}; rules lists the paragraphs.", at)


def _own(line: Line, at: int, context: Context) -> str:
    """The line that adds a paragraph of the group's own with these words."""
    taken = {number.casefold() for number in context.state.campaign.paragraphs}
    number = next(f"H{each}" for each in count(1) if f"h{each}" not in taken)
    text = " ".join(written(line, each) for each in range(at, len(line.words)))
    return f"{verb_name(ParagraphAdd)} {number} {quoted('A title', always=True)} {text}"


def _fitting(line: Line, at: int, context: Context) -> Iterator[str]:
    """The paragraphs whose titles have most in common with the words from a place on."""
    said = [part for word in line.words[at:] for part in plain_words(word.text) if len(part) >= TELLING]
    counted = {}
    for number, paragraph in paragraphs_of(context.system.key).items():
        titled = [part for part in plain_words(paragraph.title) if len(part) >= TELLING]
        counted[number] = sum(any(one.startswith(other) or other.startswith(one) for other in said) for one in titled)
    best = max(counted.values(), default=0)
    yield from [number for number, common in counted.items() if common == best > 0][:MOST_OFFERED]
