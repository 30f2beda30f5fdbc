"""Names of characters: how they are compared, which ones are fit to be a name, and which one was meant."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from domain.refusal import Invalid, Refusal, Unknown

LONGEST_NAME = 60
#: What no category tells: signs without any ink (fillers, joiners, variation selectors, the empty braille cell).
INVISIBLE = frozenset(
    chr(code)
    for first, last in (
        (0x034F, 0x034F),
        (0x115F, 0x1160),
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
        (0x2800, 0x2800),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),
        (0xFFA0, 0xFFA0),
        (0xE0100, 0xE01EF),
    )
    for code in range(first, last + 1)
)


def folded(text: str) -> str:
    """A text as it is compared with another: width (NFKC) and case are ignored."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=4096)  # the same few, again and again
def key_of(name: str) -> str:
    """What two spellings of one name have in common."""
    return folded(name).strip()


#: Letters that no decomposition takes apart.
PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"})
APOSTROPHES = str.maketrans(dict.fromkeys("'’‘ʼ`´"))


@lru_cache(maxsize=4096)
def plain_words(name: str) -> tuple[str, ...]:
    """The words of a name as a hurried hand types them: without case, accents, apostrophes or other signs."""
    apart = unicodedata.normalize("NFKD", key_of(name).translate(APOSTROPHES)).translate(PLAIN)
    letters = unicodedata.normalize("NFKC", "".join(sign for sign in apart if not unicodedata.combining(sign)))
    return tuple("".join(sign if sign.isalnum() else " " for sign in letters).split()) or (key_of(name),)


def letters(name: str) -> str:
    """The letters and digits of a name: what is left of it without case, accents and signs."""
    return "".join(plain_words(name))


def same_letters(typed: str, known: Iterable[str]) -> str | None:
    """The first of the known names that has the letters of what was typed; None: none has."""
    sought = letters(typed)
    return next((each for each in known if letters(each) == sought), None)


def fitting(typed: str, names: Iterable[str]) -> list[str]:
    """The names that may be meant by what was typed; more than one: it is not unique.

    The first of these that finds any: the name itself (case and width ignored), the same letters (accents,
    apostrophes, spaces ignored), the beginning of any word of the name but the little ones within it.
    """
    known = list(names)
    if same := [each for each in known if key_of(each) == key_of(typed)]:
        return same
    run = "".join(plain_words(typed))
    if same := [each for each in known if "".join(plain_words(each)) == run]:
        return same
    begun = [each for each in known if run and any(start.startswith(run) for start in _starts(each, run))]
    return _whole_in_others(begun) or begun


def _whole_in_others(names: Sequence[str]) -> list[str]:
    """The one that is whole what the others only hold: Skeleton, beside Second Skeleton."""
    words = {name: plain_words(name) for name in names}
    return [
        name
        for name in names
        if len(names) > 1 and all(words[other][-len(words[name]) :] == words[name] for other in names)
    ][:1]


#: Words that stand in many names, and tell none of them.
LITTLE = frozenset(("a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "the", "to", "with"))


def _starts(name: str, run: str) -> Iterator[str]:
    """The letters of a name from each of its words on, what follows an apostrophe counted as a word too.

    Not from a little word within the name that holds the whole run which was typed: nobody means Wen the Grey by "the".
    """
    for words in (plain_words(name), plain_words(re.sub("['’‘ʼ`´]", " ", name))):
        for place, word in enumerate(words):
            if not (place and word in LITTLE and word.startswith(run)):
                yield "".join(words[place:])


def following(typed: Sequence[str], names: Iterable[str]) -> list[str]:
    """The names in which these words follow each other: whole ones, or else with the last of them cut short."""
    wanted = tuple(part for word in typed for part in plain_words(word))
    known = [(name, plain_words(name)) for name in names]
    runs = [(name, words[at : at + len(wanted)]) for name, words in known for at in range(len(words))]
    whole = list(dict.fromkeys(name for name, run in runs if run == wanted))
    if whole or len(wanted) < 2:
        return whole
    first, last = wanted[:-1], wanted[-1]
    begun = [name for name, run in runs if len(run) == len(wanted) and run[:-1] == first and run[-1].startswith(last)]
    return list(dict.fromkeys(begun))


def fit_name(name: str) -> str:
    """A character's name, trimmed. Raises Invalid if nobody could read it back from a page."""
    return fit_text(name, "A character's name", LONGEST_NAME)


def fit_text(text: str, what: str, longest: int) -> str:
    """A short text, trimmed. Raises Invalid, naming `what`, if it is empty, too long or holds invisible characters."""
    trimmed = text.strip()
    if not key_of(trimmed):
        raise Invalid(f"{what} must not be empty; give it at least one letter.")
    if len(trimmed) > longest:
        raise Invalid(f"{what} has at most {longest} characters; this one has {len(trimmed)}.")
    for sign in trimmed:
        # C*: control, format (bidi, zero width), surrogate, private, unassigned; Zl, Zp: line separators
        category = unicodedata.category(sign)
        if category[0] == "C" or category in ("Zl", "Zp") or sign in INVISIBLE:
            raise Invalid(f"{what} may hold only visible characters; U+{ord(sign):04X} is not one of them.")
    return trimmed


def called(name: str) -> str:
    """A name as it begins a sentence: "brog" is told as "Brog", "deMarco" is left alone."""
    return name[:1].upper() + name[1:] if name.islower() else name


def short_for(name: str, names: Iterable[str]) -> str:
    """The first word of a name that means nobody else of these, as a hurried hand types it; else the whole name."""
    known = list(names)
    if not any(sign.isspace() for sign in name):
        return name
    return next((word for word in plain_words(name) if fitting(word, known) == [name]), name)


def somebody(names: Iterable[str]) -> str:
    """One of these for an example, as a hurried hand types them; where there is nobody, brog."""
    known = list(names)
    return short_for(known[0], known) if known else "brog"


def listed(names: Iterable[str], before_last: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    parts = [str(name) for name in names]
    if len(parts) < 2:
        return parts[0] if parts else "nobody"
    return f"{', '.join(parts[:-1])} {before_last} {parts[-1]}"


def ended(text: str) -> str:
    """A text as a sentence of its own: with a full stop unless it has an end already."""
    text = text.strip()
    return text if text[-1:] in (".", "!", "?", "…", '"', "'", ")") else f"{text}."


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was most likely meant, None if none is close."""
    return _nearest(name, tuple(known))


@lru_cache(maxsize=256)
def _nearest(name: str, known: Sequence[str]) -> str | None:
    # every later turn that an undo leaves without its character asks the same
    from difflib import get_close_matches

    by_key = {key_of(each): each for each in known}
    close = get_close_matches(key_of(name), by_key, n=1, cutoff=0.6)
    if close:
        return by_key[close[0]]
    # "tom" for "Sir Tom of the Far Marshes": too little of it to be near, and yet one of its words
    having = [each for key, each in by_key.items() if key_of(name) in key.split()]
    return having[0] if len(having) == 1 else None


def did_you_mean(name: str, known: Iterable[str], *, otherwise: str) -> str:
    """The sentence that ends an "unknown …": the nearest, else those there are, else what to do."""
    names = list(known)
    near = nearest(name, names)
    if near is not None:
        return f"""did you mean {f'"{near}"' if " " in near else near}?"""
    return f"known: {listed(names)}." if names else otherwise


def known_are(name: str, known: Iterable[str]) -> str:
    """The sentence that ends an "unknown …" with the nearest, if one is close, and all there are."""
    names = list(known)
    near = nearest(name, names)
    return f"{f'did you mean {near}? Known' if near is not None else 'known'}: {listed(names)}."


def find_name(name: str, known: Iterable[str]) -> str:
    """The name as enrolled. Raises Refusal, naming the nearest, if there is no such character."""
    names = list(known)
    if name in names:
        return name
    wanted = key_of(name)
    for each in names:
        if key_of(each) == wanted:
            return each
    raise Unknown(
        "character",
        name,
        f"There is no character {name.strip()!r}",
        lambda: did_you_mean(name, names, otherwise="enrol one first."),
    )


def name_meant(typed: str, known: Iterable[str]) -> str:
    """The only name that fits what a person typed. Raises Refusal, with those that fit or the nearest."""
    names = list(known)
    found = fitting(typed, names)
    if len(found) > 1:
        raise Refusal(None, f"{typed.strip()} may be {listed(found, 'or')}.")
    return found[0] if found else find_name(typed, names)
