"""A line as people write down what they say, put as the readers of lines know it: `brog takes four.`, `brog's down`."""

import re

from cli.line.verbs import names_a_turn
from cli.line.vocabulary import (
    ABSENT,
    ARTICLES,
    BACK,
    BEING_SO,
    DEAD,
    DETERMINERS,
    ENDING,
    GOODS,
    GROUPS_OF,
    LAST,
    NUMBER_WORDS,
    ONE,
    STRUCK,
    THAT,
)
from cli.line.words import Line, tokenize, word_to_type

#: What may stand behind `brog's` where that is `brog is`.
BEHIND_BEING = STRUCK | DEAD | ENDING | {phrase.split()[0] for phrase in (*ABSENT, *BACK)}
_ONES = {word: number for word, number in NUMBER_WORDS.items() if number < 10 and word not in ARTICLES}
_TENS = {word: number for word, number in NUMBER_WORDS.items() if number >= 20}
#: Numbers as people say them, of one to three words.
NUMBERS = {
    **{word: number for word, number in NUMBER_WORDS.items() if word not in ARTICLES},
    **{f"{tens}{sign}{ones}": _TENS[tens] + _ONES[ones] for tens in _TENS for ones in _ONES for sign in " -"},
    **{f"{many} {word}": NUMBER_WORDS[many] * number for many in NUMBER_WORDS for word, number in GROUPS_OF.items()},
    **{f"half a {word}": number // 2 for word, number in GROUPS_OF.items()},
    **GROUPS_OF,
}
LONGEST_NUMBER = 3
#: What stands before a number that is a change, or what a card adds, by itself.
SIGN_OF = {"-": "-", "−": "-", "minus": "-", "plus": "+"}
#: What `one` stands behind that is somebody or something, and no number.
BEFORE_ONE = THAT | DETERMINERS | {LAST, "first", "next", "other", "no", "any", "every", "which"}
#: What may stand at a number without a space: `3hp`.
UNITS = GOODS | {"hp", "dmg", "damage"}


def in_plain_words(line: Line) -> Line | None:
    """The line with digits for words, without its full stop, with `is` for `'s`; None: it is that already.

    A sign goes to its number, and what counts a number stands apart from it: `- 3`, `minus one`, `3hp`.
    """
    words = ['"' if word.quoted else word.text.casefold().rstrip(",;.!") for word in line.words]
    texts, here, sign = list[str](), 0, ""
    while here < len(words):
        counts = range(min(LONGEST_NUMBER, len(words) - here), 0, -1)
        count = next((count for count in counts if " ".join(words[here : here + count]) in NUMBERS), 0)
        if words[here] in ONE and here and words[here - 1] in BEFORE_ONE:
            count = 0  # `the last one` is no number
        last = here + max(count, 1)
        text = word_to_type(line, last - 1)
        if count:
            text = f"{NUMBERS[' '.join(words[here:last])]}{text[len(words[last - 1]) :]}"
        elif (
            last < len(words)
            and (words[last] in BEHIND_BEING or words[last].endswith("ed"))
            and BEING_SO.isdisjoint(words[last:])
        ):
            text = re.sub("(?<=.)['’]s$", " is", text)
        number_and_unit = re.fullmatch(r"([+-]?\d+)([a-z]+)([,;.!]*)", text)
        if names_a_turn(words[here].rstrip(":")) and not line.words[here].quoted:
            text = text.rstrip(",:")  # `T7, it was 2`
        if last < len(words) and words[here] in SIGN_OF and (words[last].isdecimal() or words[last] in NUMBERS):
            sign, here = SIGN_OF[words[here]], last  # `brog - 3`: the sign goes to the number
            continue
        if number_and_unit is not None and number_and_unit[2] in UNITS:
            text = f"{number_and_unit[1]} {number_and_unit[2]}{number_and_unit[3]}"
        texts.append(f"{sign}{text}")
        here, sign = last, ""
    if line.words and not line.words[-1].quoted:
        texts[-1] = texts[-1].rstrip(".!") or texts[-1]
    return tokenize(" ".join(texts)) if texts != [word_to_type(line, at) for at in range(len(words))] else None
