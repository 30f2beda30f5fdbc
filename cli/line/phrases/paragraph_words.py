"""Which paragraph a line about the rules means that begins with its words: `ruling a natural 20 always passes`.

A word without a digit that is no known paragraph is no number: those whose titles fit the words are offered, and how a
group adds a paragraph of its own.
"""

from itertools import count

from cli.line.errors import Meaning, Misread
from cli.line.offers import nearest_lines
from cli.line.phrase import LinePhrase
from cli.line.values import Context
from cli.line.vocabulary import STOP_WORDS
from cli.line.words import Line, quote, word_to_type, words_between
from domain.common.paragraphs import ParagraphAdd
from domain.common.rulings import Ruling
from domain.naming import capitalised, plain_words
from domain.refusal import Unknown
from domain.registry import verb_name
from domain.system.paragraphs import known_rule, paragraphs_of

#: Words of fewer letters say nothing about what a paragraph is about.
TELLING = 4
#: How much more a word says that stands in a title.
OF_A_TITLE = 3
#: So many words have to stand in a paragraph whose title holds none of them.
LEAST_HELD = 2
OF_YOUR_OWN = "Which paragraph is it about (rules lists them)? It may be a new one of your own, like H1."
#: The title of a paragraph of one's own has so many words of its text, until it has another.
LONGEST_TITLE = 8
#: Paragraphs that are offered at most.
MOST_OFFERED = 5


def words_for_a_number(phrase: LinePhrase) -> Misread | None:
    """What a ruling, or a paragraph to add, means whose words stand where its number belongs; None: they do not."""
    line, at, context = phrase.line, phrase.at, phrase.context
    if at + 1 >= len(line.words):
        return None
    word, title = line.words[at], line.words[at + 1]
    if (
        phrase.verb is not None
        and phrase.verb.kind is ParagraphAdd
        and at + 3 < len(line.words)
        # on a shell "Lamps" comes without its quotes: there the first argument is the title, as the help shows it
        and not line.from_shell
    ):
        typed_whole = all(not own.quoted and "=" not in own.text and own.text[:2] != "--" for own in line.words[at:])
        if typed_whole and any(sign.isdigit() for sign in word.text):
            return _with_titles(line, at, context)
    if "=" in word.text or word.text.startswith("--") or any(sign.isdigit() for sign in word.text):
        return None
    if phrase.verb is not None and phrase.verb.kind is ParagraphAdd:
        if not word.quoted and not title.quoted:
            return Misread(f"A paragraph has a number and a title first: {_own(line, at, context)}.", at)
        return None
    try:
        known_rule(context.system, word.text, context.state.campaign.paragraphs)
    except Unknown:
        pass
    else:
        return None
    if word.text.casefold() == context.system.cite.casefold():
        return None
    text = " ".join(word_to_type(line, word) for word in range(at, len(line.words)))
    reason = f"Which paragraph is it about? One of your own begins so: {_own(line, at, context)}"
    numbers = _fitting(line, at, context)
    offer = nearest_lines(context, f"{reason}.", [f"{verb_name(Ruling)} {number} {text}" for number in numbers])
    titles = paragraphs_of(context.system.key)
    says = [
        Meaning(f"{number} {titles[number].title}", choice.line)
        for number, choice in zip(numbers, offer.choices, strict=False)
    ]
    if says:
        return offer.only(says)
    begins = " ".join(word.text.strip(",.;:") for word in line.words[at : at + LONGEST_TITLE])
    lines = [_own(line, at, context, capitalised(begins))]
    own = nearest_lines(context, OF_YOUR_OWN, lines)
    return own if own.choices else Misread(f"{reason}; rules lists the paragraphs.", at)


def _with_titles(line: Line, at: int, context: Context) -> Misread | None:
    """`paragraph add H1 Wet ropes let go`: the lines with all the words, or the first one, as its title."""
    number, text = word_to_type(line, at), words_between(line, at + 1, len(line.words))
    first, others = line.words[at + 1].text, words_between(line, at + 2, len(line.words))
    begins = " ".join(word.text.strip(",.;:") for word in line.words[at + 1 : at + 1 + LONGEST_TITLE])
    lines = [
        f"{verb_name(ParagraphAdd)} {number} {quote(title, always=True)} {words}"
        for title, words in ((begins, text), (first, others))
    ]
    offer = nearest_lines(context, "What is its title?", lines)
    return offer if offer.choices else None


def _own(line: Line, at: int, context: Context, title: str = "A title") -> str:
    """The line that adds a paragraph of the group's own with these words."""
    numbers = {number.casefold() for number in context.state.campaign.paragraphs}
    number = next(f"H{place}" for place in count(1) if f"h{place}" not in numbers)
    text = words_between(line, at, len(line.words))
    return f"{verb_name(ParagraphAdd)} {number} {quote(title, always=True)} {text}"


def _fitting(line: Line, at: int, context: Context) -> list[str]:
    """The paragraphs whose titles and words have most in common with the words from a place on, the nearest first.

    A word that few paragraphs hold says more than one that many do, and one of a title three times as much.
    """
    telling = {part for word in line.words[at:] for part in plain_words(word.text) if _tells(part)}
    paragraphs = paragraphs_of(context.system.key)
    scores, hits = dict.fromkeys(paragraphs, 0.0), dict.fromkeys(paragraphs, 0)
    for one in sorted(telling):
        by_title = [number for number, paragraph in paragraphs.items() if _holds(paragraph.title, one)]
        by_summary = [number for number, paragraph in paragraphs.items() if _holds(paragraph.summary, one)]
        holding = {*by_title, *by_summary}
        for number in holding:
            scores[number] += (OF_A_TITLE if number in by_title else 1) / len(holding)
            hits[number] += LEAST_HELD if number in by_title else 1
    fitting = [number for number in paragraphs if hits[number] >= LEAST_HELD]
    least = max((scores[number] for number in fitting), default=0) / 2
    nearest = sorted(fitting, key=lambda number: -scores[number])  # those alike in the order of the rules
    return [number for number in nearest if scores[number] >= least][:MOST_OFFERED]


def _tells(word: str) -> bool:
    return len(word) >= TELLING and word not in STOP_WORDS


def _holds(text: str, term: str) -> bool:
    """Whether a text holds a word, or another form of it."""
    words = (word for word in plain_words(text) if _tells(word))
    return any(word.startswith(term) or term.startswith(word) for word in words)
