"""Names of things without a list, as of a monster that is attacked: what among the words of one is no part of it.

`guard 1 and archer for 3` are two things, `a guard 3 with a sword` may be one with what is used, and a signed number is
never part of a name.
"""

from collections.abc import Sequence

from msgspec import structs

from cli.line.clause import Clause
from cli.line.errors import Ambiguous, Unclear
from cli.line.reading import Piece, Reading
from cli.line.speech import in_plain_words
from cli.line.values import number_of, title_at
from cli.line.vocabulary import ARTICLES, BOTH, FOR, NUMBER_WORDS, ONE, SIGNS, STOPS, WITH, singular
from cli.line.words import joins, quote, split_at_joins, words_to_type
from domain.system.field_schema import fields_of


def number_in_a_name(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:
    """`attack brann guard -1 3`, `… guard for three`: the line without a change, or with the number as a digit.

    A number that the name begins with (`kill two guards`) is how many they are, or a value that is still open.
    """
    line, begin = clause.line, words.start
    begin += begin + 1 < words.end and clause.words[begin].text.casefold() in ARTICLES - ONE
    for place in range(words.start, words.end):
        text = clause.words[place].text
        if clause.words[place].quoted:
            continue
        if text[0] in SIGNS and number_of(text.replace("−", "-")) is not None:
            texts = words_to_type(line)
            without = " ".join([*texts[:place], *texts[place + 1 :]])
            return Ambiguous.between(f"{text} is not part of a name.", [without], place)
        if text.casefold().rstrip(STOPS) in NUMBER_WORDS and clause.words[place - 1].text.casefold() == FOR:
            plain = in_plain_words(line) or line
            return Ambiguous.between(f"{line.rest(place - 1, place + 1)} is not part of a name.", [plain.text], place)
        if place == begin < words.end - 1 and _is_a_count(text):
            return _counted_things(clause, reading, words, place)
        if begin < place == words.end - 1 and text.casefold() in NUMBER_WORDS.keys() - ONE:
            plain = in_plain_words(line) or line
            return Ambiguous.between(f"{text!r} is a number.", [plain.text], place)
    return None


def _is_a_count(text: str) -> bool:
    """Whether a word says how many: `two`, `3`, `both`."""
    word = text.casefold()
    return word == BOTH or word in NUMBER_WORDS.keys() - ONE or number_of(word) is not None


def _counted_things(clause: Clause, reading: Reading, words: Piece, place: int) -> Ambiguous:
    """`kill two guards`, `attack three guard`: the line of one of them, and the number as the value that is open."""
    fields = clause.grammar.fields.values()
    is_open = any(field.in_order and field.kind.shape == "number" and reading.is_open(field) for field in fields)
    plain = in_plain_words(clause.line)
    texts = words_to_type(clause.line)
    lines = [plain.text] if plain is not None and is_open and texts[place].casefold() != BOTH else []
    lines.append(" ".join([*texts[:place], *texts[place + 1 :]]))
    remark = clause.grammar.fields[words.field].key
    return Ambiguous.between(f"Each {remark} is a line of its own.", lines, place)


def used_with_a_thing(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:
    """`a guard 3 with a sword`: whether what stands behind `with` is part of the name.

    It hardly is where the points stand before it, and never where whoever strikes owns it: that has a line of its own.
    """
    bare = (clause.words[at].text.casefold() for at in range(words.start + 1, words.end - 1))
    place = next((at for at, word in enumerate(bare, words.start + 1) if word in WITH), None)
    if place is None:
        return None
    texts = words_to_type(clause.line)
    is_owned = _is_owned(clause, reading, place + 1, words.end)
    numbers_before = (number_of(clause.words[at].text) for at in range(clause.start, place))
    if not is_owned and (words.end < len(texts) or all(number is None for number in numbers_before)):
        return None
    without, name = " ".join(texts[:place]), quote(" ".join(texts[words.start : words.end]), always=True)
    whole = " ".join([*texts[: words.start], name, *texts[words.end :]])
    used = repr(" ".join(texts[place : words.end]))
    of_its_own = f"{used} is no part of a name: what is used is a line of its own."
    return Ambiguous.between(of_its_own if is_owned else f"Is {used} part of the name?", [without, whole], place)


def _is_owned(clause: Clause, reading: Reading, begin: int, end: int) -> bool:
    """Whether words up to a place name something that whoever acts can use now."""
    system, state = clause.context.system, clause.context.state
    for kind in system.actions:
        needs = [field for field in fields_of(kind) if field.required and not field.names]
        if len(needs) != 1 or not needs[0].kind.reference or reading.whose is None:
            continue
        try:
            fit = title_at(clause.words, begin, system.proposals(state, kind, needs[0].key, reading.whose) or ())
        except Unclear:
            continue
        if fit is not None and fit[1] == end:
            return True
    return False


def several_things(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:
    """`guard 1 and archer for 3`: several things in the place of one, each of which is a line of its own."""
    texts = words_to_type(clause.line)
    following = clause.words[words.end].text if words.end < len(clause.words) else ""
    if joins(clause.words, words.end - 1) and number_of(following) is not None:
        # `archers 2 and 3`: the number behind `and` is one more of them, and no value
        things = _things(clause, structs.replace(words, end=words.end + 1), texts)
        names = (quote(" ".join([*map(singular, thing[:-1]), thing[-1]]), always=True) for thing in things)
        lines = [" ".join([*texts[: words.start], name, *texts[words.end + 1 :]]) for name in names]
    else:
        lines = _line_of_each(clause, reading, words, texts)
    if len(lines) < 2:
        return None
    remark = clause.grammar.fields[words.field].key
    return Ambiguous.between(f"Each {remark} is a line of its own: which comes first?", lines, words.start)


def _line_of_each(clause: Clause, reading: Reading, words: Piece, texts: Sequence[str]) -> list[str]:
    """The line of each of the things that the words name, with what holds for all of them.

    A number at the end of each is its own, where none stands before them and none is said to be `for` them.
    """
    things = _things(clause, words, texts)
    numbers = any(word.isdecimal() for thing in things for word in thing)
    leads = next((piece for piece in reading.pieces if piece.start == words.end and piece.how == "filler"), None)
    before, behind = texts[: words.start], texts[words.end if leads is None else leads.end :]
    others = [piece for piece in reading.pieces if piece.end <= words.start and piece.how not in ("name", "filler")]
    again = [texts[at] for piece in others for at in range(piece.start, piece.end)]
    verb = [clause.grammar.name, *map(quote, reading.names)]
    for_all = not numbers or leads is not None
    lines = []
    for place, thing in enumerate(things):
        first = before if not place else verb if FOR in thing[:-1] else [*verb, *again]
        name = [word for word in thing if word != FOR]
        lines.append(" ".join([*first, *name, *(behind if for_all or place == len(things) - 1 else ())]))
    return lines


def _things(clause: Clause, words: Piece, texts: Sequence[str]) -> list[list[str]]:
    """The words for each thing, as `and`, `then` and commas part them; a number alone is one more of those before."""
    things = (
        [texts[at] if clause.words[at].quoted else texts[at].rstrip(",") for at in places]
        for places in split_at_joins(clause.words, words.start, words.end)
    )
    names: list[list[str]] = []
    for thing in things:
        kind = [word for word in names[-1] if not word.isdecimal()] if names and thing[0].isdecimal() else []
        names.append([*kind, *thing])
    return names
