"""Names: how they are compared, validated and written, and which known name a typed text stands for."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from itertools import count

from domain.refusal import Invalid, Refusal, Unknown

LONGEST_NAME = 60
#: Invisible characters of visible categories: fillers, joiners, variation selectors, the empty braille cell.
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


#: Joins two emoji to one picture; and shows a sign in colour, which looks the same without it nearly everywhere.
JOINER, IN_COLOUR = "\u200d", "\ufe0f"


def folded(text: str) -> str:
    """A text for comparison, without width (NFKC) and case."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=4096)  # called again and again with the same names
def key_of(name: str) -> str:
    """The key of a name: the same for all spellings that differ in case, width, outer spaces and what nobody sees."""
    return folded(name).strip().replace(IN_COLOUR, "")


#: Letters that Unicode does not decompose.
PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"})
APOSTROPHES = str.maketrans(dict.fromkeys("'’‘ʼ`´"))


@lru_cache(maxsize=2**15)  # asked again for every name at each way to read a line
def plain_words(name: str) -> tuple[str, ...]:
    """The words of a name without case, accents, apostrophes and other signs, as typed in a hurry."""
    apart = unicodedata.normalize("NFKD", key_of(name).translate(APOSTROPHES)).translate(PLAIN)
    letters = unicodedata.normalize("NFKC", "".join(sign for sign in apart if not unicodedata.combining(sign)))
    return tuple("".join(sign if sign.isalnum() else " " for sign in letters).split()) or (key_of(name),)


def numbered(name: str) -> Iterator[str]:
    """Candidates for a name of which only one may be there: itself, then with -2, -3 … behind it, without end."""
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def letters(name: str) -> str:
    """The letters and digits of a name, without case, accents and signs."""
    return "".join(plain_words(name))


def same_letters(text: str, names: Iterable[str]) -> str | None:
    """The first name with the same letters as the typed text; None if there is none."""
    sought = letters(text)
    return next((name for name in names if letters(name) == sought), None)


def heard_alike(name: str, names: Iterable[str]) -> str | None:
    """The first name that no more than an article, accents or signs tell from this one: "Wolf" of "the wolf"."""
    sought = without_article(plain_words(name))
    return next((other for other in names if without_article(plain_words(other)) == sought), None)


#: What means everybody on a line, and those with a player.
EVERYBODY, PARTY = ("all", "everyone", "everybody"), ("party",)

#: @ for the latest turn, @-3 for the third before it.
COUNTED_BACK = r"@(-[0-9]{1,15})?"


def reads_as_point(text: str) -> bool:
    """Whether a word is a turn, a session, @ or @-N, and hence no name."""
    return re.fullmatch(rf"{COUNTED_BACK}|[tTsS][0-9]{{1,15}}", text.strip()) is not None


def refuse_other_meaning(name: str) -> None:
    """Raise Refusal for a new name that a line reads as something else, where it stands alone: `all`, `T5`, `7`."""
    text = key_of(name)
    if text in EVERYBODY:
        meaning = "everybody"
    elif text in PARTY:
        meaning = "those with a player"
    elif reads_as_point(text) or re.fullmatch(r"r[0-9]{1,15}", text):
        meaning = "a place in the log"
    elif text.isdecimal():
        meaning = "a number"
    else:
        return
    raise Refusal(None, f"{name!r} means {meaning} on a line; choose another name.")


def without_article(words: Sequence[str]) -> Sequence[str]:
    """The words without an article before them, which may be another one in another's mouth: `the wound`."""
    return words[1:] if words[0] in ARTICLES and len(words) > 1 else words


def fitting(text: str, names: Iterable[str]) -> list[str]:
    """The names that a typed text fits; more than one if it is ambiguous.

    The first of these that gives any: the name itself (without case and width), the same letters (without accents,
    apostrophes and spaces), the beginning of any word of the name except little words within it.
    """
    candidates = list(names)
    if same := [name for name in candidates if key_of(name) == key_of(text)]:
        return same
    run = "".join(plain_words(text))
    if same := [name for name in candidates if "".join(plain_words(name)) == run]:
        return same
    beginning = [name for name in candidates if run and any(start.startswith(run) for start in _starts(name, run))]
    return _whole_in_others(beginning) or beginning


def _whole_in_others(names: Sequence[str]) -> list[str]:
    """The name that all others end with, as a list: Skeleton beside Second Skeleton; empty if there is none."""
    words = {name: plain_words(name) for name in names}
    return [
        name
        for name in names
        if len(names) > 1 and all(words[other_name][-len(words[name]) :] == words[name] for other_name in names)
    ][:1]


#: Words that are in too many names to identify one.
LITTLE = frozenset(("a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "the", "to", "with"))


def _starts(name: str, run: str) -> Iterator[str]:
    """The letters of a name from each of its words on; an apostrophe begins a word too.

    A little word within the name that contains the whole typed `run` is left out: "the" does not mean Wen the Grey.
    """
    for words in (plain_words(name), plain_words(re.sub("['’‘ʼ`´]", " ", name))):
        for place, word in enumerate(words):
            if not (place and word in LITTLE and word.startswith(run)):
                yield "".join(words[place:])


def following(words: Sequence[str], names: Iterable[str]) -> list[str]:
    """The names that contain these words in a row: as whole words, or else with the last one abbreviated.

    The name that is just these words is the only one: Drowned Man beside Second Drowned Man.
    """
    sought = tuple(part for word in words for part in plain_words(word))
    candidates = [(name, plain_words(name)) for name in names]
    if same := [name for name, parts in candidates if tuple(parts) == sought]:
        return same
    runs = [(name, parts[at : at + len(sought)]) for name, parts in candidates for at in range(len(parts))]
    whole = list(dict.fromkeys(name for name, run in runs if run == sought))
    if whole or len(sought) < 2:
        return whole
    first, last = sought[:-1], sought[-1]
    beginning = [
        name for name, run in runs if len(run) == len(sought) and run[:-1] == first and run[-1].startswith(last)
    ]
    return list(dict.fromkeys(beginning))


def fit_name(name: str) -> str:
    """A character's name, trimmed. Raises Invalid if it is empty, too long or has invisible characters."""
    return fit_text(name, "A character's name", LONGEST_NAME)


def fit_text(text: str, label: str, longest: int) -> str:
    """A short text, trimmed. Raises Invalid, naming `label`, if it is empty, too long or has invisible characters."""
    bare_text = text.strip()
    if not key_of(bare_text):
        raise Invalid(f"{label} must not be empty; give it at least one letter.")
    if len(bare_text) > longest:
        raise Invalid(f"{label} has at most {longest} characters; this one has {len(bare_text)}.")
    for place, sign in enumerate(bare_text):
        if sign in (JOINER, IN_COLOUR) and _belongs_to_emoji(bare_text, place):
            continue
        # C*: control, format (bidi, zero width), surrogate, private, unassigned; Zl, Zp: line separators
        category = unicodedata.category(sign)
        if category[0] == "C" or category in ("Zl", "Zp") or sign in INVISIBLE:
            raise Invalid(f"{label} may hold only visible characters; U+{ord(sign):04X} is not one of them.")
    return bare_text


def _belongs_to_emoji(text: str, place: int) -> bool:
    """Whether a sign that is not seen itself belongs to an emoji: behind one, and before another if it joins them."""

    def is_emoji(sign: str) -> bool:
        # So: pictures; Sk: the tones of skin behind them
        return unicodedata.category(sign) == "So" or "\U0001f3fb" <= sign <= "\U0001f3ff"

    joins, behind = text[place] == JOINER, text[place + 1 : place + 2]
    before = text[:place].removesuffix(IN_COLOUR if joins else "")[-1:]
    return bool(before) and is_emoji(before) and (not joins or (bool(behind) and is_emoji(behind)))


def called(name: str) -> str:
    """A name at the beginning of a sentence: "brog" becomes "Brog", "deMarco" stays as it is."""
    return name[:1].upper() + name[1:] if name.islower() else name


def genitive(noun: str) -> str:
    """ "the ogre's", "the wolves'"; "Cass's", as no plural ends like that."""
    return f"{noun}'" if noun.lower().endswith("s") and not noun.lower().endswith("ss") else f"{noun}'s"


def possessive(name: str) -> str:
    """Whose something is, by the name of a character: "Brog's" of "brog"."""
    return genitive(called(name))


#: Words before a noun that take the place of an article.
DETERMINERS = frozenset((
    "a", "an", "the", "this", "that", "these", "those", "my", "your", "his", "her", "its", "our", "their", "some",
    "any", "no", "another", "both", "all", "each", "every", "several", "many", "few", "one", "two", "three", "four",
    "five", "six", "seven", "eight", "nine", "ten",
))  # fmt: skip
#: What is named by one of these words needs no article.
PRONOUNS = frozenset((
    "i", "me", "you", "he", "him", "she", "it", "we", "us", "they", "them", "who", "somebody", "someone", "something",
    "anybody", "anyone", "anything", "nobody", "nothing", "everybody", "everyone", "everything", "himself", "herself",
    "itself", "themselves",
))  # fmt: skip
ARTICLES = ("a", "an", "the")


def needs_article(name: str) -> bool:
    """Whether a name of a foe or a cause lacks an article inside a sentence: "ogre" does.

    Proper names (with a capital), numbered ones ("guard 2"), what has a word in place of an article, and activities
    ("falling") do not.
    """
    words = name.split()
    first = words[0] if words else ""
    return (
        first[:1].islower()
        and first not in DETERMINERS
        and first not in PRONOUNS
        and not first.endswith(("ing", "'s", "’s", "s'", "s’"))
        and not (len(words) > 1 and (words[-1].isdigit() or len(words[-1]) == 1))
    )


def as_noun(name: str) -> str:
    """A foe or a cause inside a sentence: "the ogre" of "ogre" and of "The ogre"; "Strahd" stays."""
    if needs_article(name):
        return f"the {name}"
    return name[:1].lower() + name[1:] if name.partition(" ")[0].lower() in ARTICLES else name


def is_noun(cause: str) -> bool:
    """Whether a typed cause can stand behind a preposition: "rain", "the ogre", "Grey Wolf", "two bolts".

    Several words without an article may be a sentence, with a capital too if the last one has none: "Falls asleep".
    """
    words = cause.split()
    is_proper = cause[:1].isupper() and not words[-1].islower()
    return len(words) < 2 or is_proper or not needs_article(cause[:1].lower() + cause[1:])


def as_cause(cause: str, names: Iterable[str] = ()) -> str:
    """A typed cause as a noun with its article; what may be a sentence, or one of these names, as it was typed."""
    if needs_article(cause) and (not is_noun(cause) or fitting(cause, names)):
        return cause
    return as_noun(cause)


def put_down_to(cause: str, preposition: str = "to") -> str:
    """The end of a clause that tells a cause: " to the ogre", but " (falls into the pit)" as it was typed."""
    return f" {preposition} {cause}" if is_noun(cause) else f" ({cause})"


def capitalised(text: str) -> str:
    """A text at the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def within(name: str) -> str:
    """The subject of a clause that begins no sentence: "Brog" of "brog", but "the ogre" of "The ogre"."""
    return as_noun(name) if name.partition(" ")[0].lower() in ARTICLES else called(name)


#: A name of so few signs is written in full: `old` is hardly what anybody calls Old Tom.
LONGEST_IN_FULL = 10


def not_their_turn(name: str, turn: str | None) -> str:
    """That it is not somebody's turn, with whose turn it is; None: nobody's."""
    whose_turn = f"it is {possessive(turn)}" if turn is not None else "no turn is open"
    return f"It is not {possessive(name)} turn; {whose_turn}."


def short_for(name: str, names: Iterable[str]) -> str:
    """The first word of a long name that fits none of the other names, as typed in a hurry; else the whole name."""
    other_names = list(names)
    if len(name) <= LONGEST_IN_FULL or not any(sign.isspace() for sign in name):
        return name
    return next((word for word in plain_words(name) if fitting(word, other_names) == [name]), name)


def somebody(names: Iterable[str]) -> str:
    """The short form of one of these names for an example; "brog" if there are none."""
    candidates = list(names)
    return short_for(candidates[0], candidates) if candidates else "brog"


def singular(noun: str) -> str:
    """One of several: wound of wounds, half of halves, class of classes; a loss is one already."""
    if noun.endswith("lves"):
        return f"{noun[:-3]}f"
    if noun.endswith("sses"):
        return noun[:-2]
    return noun if noun.endswith("ss") else noun.removesuffix("s")


def listed(names: Iterable[str], before_last: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    parts = [str(name) for name in names]
    if len(parts) < 2:
        return parts[0] if parts else "nobody"
    return f"{', '.join(parts[:-1])} {before_last} {parts[-1]}"


#: Names that an error lists.
MOST_LISTED = 8


def listed_first(names: Iterable[str], before_last: str = "and") -> str:
    """The first eight of these names, and how many more there are: an error is read by somebody."""
    parts = list(names)
    if len(parts) <= MOST_LISTED:
        return listed(parts, before_last)
    return f"{', '.join(map(str, parts[:MOST_LISTED]))} {before_last} {len(parts) - MOST_LISTED:,} more"


def quantity(number: int, thing: str, things: str = "") -> str:
    """ "1 card", "3 cards"; `things` is a plural that does not end in s: "2 dice"."""
    return f"{number} {thing if number == 1 else things or f'{thing}s'}"


def ended(text: str) -> str:
    """A text as a sentence: with a full stop unless it has an end already."""
    text = text.strip()
    return text if text[-1:] in (".", "!", "?", "…", '"', "'", ")") else f"{text}."


def inside(text: str) -> str:
    """Somebody's words inside a sentence: without their own full stop."""
    return text.strip().rstrip(".")


#: How similar a slip is at least to the name that was meant, from 0 to 1.
LIKE_A_SLIP = 0.7
#: A word of fewer letters is similar to too many others to be one of them mistyped.
LEAST_LETTERS = 4


def spelt_like(text: str, names: Iterable[str], most: int = 1) -> list[str]:
    """The names that a typed text is a slip of, the most similar first."""
    by_key = {key_of(name): name for name in names}
    return [by_key[key] for key in get_close_matches(key_of(text), by_key, most, LIKE_A_SLIP)]


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name most similar to a typed one; None if none is close."""
    return _nearest(name, tuple(names))


@lru_cache(maxsize=256)
def _nearest(name: str, names: Sequence[str]) -> str | None:
    # cached: every later turn that an undo leaves without its character looks up the same name
    by_key = {key_of(original): original for original in names}
    close = get_close_matches(key_of(name), by_key, n=1, cutoff=0.6)
    if close:
        return by_key[close[0]]
    # "tom" for "Sir Tom of the Far Marshes": not similar enough, but one of its words
    having = [original for key, original in by_key.items() if key_of(name) in key.split()]
    if not having and len(name) >= LEAST_LETTERS:
        words = {word for key in by_key for word in key.split()}
        matches = get_close_matches(key_of(name), words, n=1, cutoff=0.8)
        having = [original for key, original in by_key.items() if {*matches} & {*key.split()}]
    return having[0] if len(having) == 1 else None


def did_you_mean(name: str, known_names: Iterable[str], *, otherwise: str) -> str:
    """The end of a sentence about an unknown name: the nearest, else all known ones, else `otherwise`."""
    names = list(known_names)
    near = nearest(name, names)
    if near is not None:
        return f"""did you mean {f'"{near}"' if " " in near else near}?"""
    return f"known: {listed_first(names)}." if names else otherwise


def known_are(name: str, known_names: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: the nearest, if one is close, and all known ones."""
    names = list(known_names)
    near = nearest(name, names)
    return f"{f'did you mean {near}? Known' if near is not None else 'known'}: {listed_first(names)}."


def find_name(name: str, known_names: Iterable[str]) -> str:
    """The name as enrolled. Raises Unknown, naming the nearest, if there is no such character."""
    names = list(known_names)
    if name in names:
        return name
    sought = key_of(name)
    for character in names:
        if key_of(character) == sought:
            return character
    raise Unknown("character", name, f"There is no character {name.strip()!r}", lambda: _whom_else(name, known_names))


def played_by(player: str, known_names: Iterable[str]) -> list[str]:
    """The characters of this player, if the names are those of sheets."""
    sheets = known_names if isinstance(known_names, Mapping) else {}
    players = {each: own for each, sheet in sheets.items() if (own := getattr(sheet, "player", None))}
    return [each for each, own in players.items() if letters(own) == letters(player)]


def _whom_else(name: str, known_names: Iterable[str]) -> str:
    """Whom the player of this name plays, if the names are those of sheets; else the nearest of them."""
    if own := played_by(name, known_names):
        player = known_names[own[0]].player  # type: ignore[index]
        return f"{player} plays {listed(map(called, own))}."
    return did_you_mean(name, known_names, otherwise="enrol one first.")


def name_meant(text: str, known_names: Iterable[str]) -> str:
    """The only name that fits a typed text. Raises Refusal, naming those that fit, or the nearest."""
    names = list(known_names)
    matches = fitting(text, names)
    if len(matches) > 1:
        raise Refusal(None, f"{text.strip()} may be {listed_first(matches, 'or')}.")
    return matches[0] if matches else find_name(text, known_names)
