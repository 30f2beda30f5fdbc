"""Names that the log does not list, or that may be somebody else's: who is meant, with the line of each."""

from collections.abc import Sequence

from cli.line.clause import Clause
from cli.line.errors import Ambiguous, Meaning, Unclear
from cli.line.reading import Piece, Reading, Unlisted
from cli.line.search import read
from cli.line.values import number_of, people_at, somebody_meant, title_at, title_behind_article
from cli.line.vocabulary import ALL, ARTICLES, BUT, ENDS, FOR, MANNER_WORDS, NOT, PARTY
from cli.line.words import joins, quote, tokenize, with_words, words_between, words_to_type
from domain.naming import fitting, key_of, listed, nearest, plain_words
from domain.registry import tag_of
from domain.system.field_schema import fields_of


def unlisted_name(clause: Clause, reading: Reading, unlisted: Unlisted) -> Ambiguous:
    """`at ash lurker` with two lurkers: whether a name that the log does not list is a new one, or whose it is."""
    line = clause.line
    names = clause.fits(reading).legal(clause.grammar.fields[unlisted.field], reading.whose) or ()
    if (several := _one_against_several(clause, unlisted, names)) is not None:
        return several

    def line_with(*words: str) -> str:
        return with_words(line, unlisted.start, unlisted.end, *words)

    choices = [Meaning("add one", line_with("new", quote(unlisted.name)))]
    sentence = f"There is no {unlisted.field.replace('_', ' ')} called {unlisted.name}"
    places = range(unlisted.start + 1, unlisted.end)
    end = next((at for at in places if line.words[at].text.casefold() in MANNER_WORDS), unlisted.end)
    without = ""
    if end < unlisted.end:
        rest = line.rest(end, unlisted.end).rstrip(",")
        without = f", without {rest!r}"
        sentence = f"{sentence}; {clause.grammar.name} cannot take {rest!r}"
        choices = [Meaning(f"add one{without}", line_with("new", quote(line.rest(unlisted.start, end)))), *choices]
        title = title_behind_article(line.words[:end], unlisted.start, names)
        names = [title[0]] if title is not None and title[1] == end else names
    there = [Meaning(f"{name}{without}", line_with(quote(name))) for name in names]
    is_slip = nearest(" ".join(word for word in unlisted.name.split() if word.casefold() not in ARTICLES), names)
    choices = [*there, choices[-1]] if is_slip or (len(names) == 1 and without) else [*choices, *there]
    return Ambiguous.between(f"{sentence}.", choices, unlisted.start)


def _one_against_several(clause: Clause, unlisted: Unlisted, names_there: Sequence[str]) -> Ambiguous | None:
    """`fa wraith mirko and hilda vv`: one of the list, and several people in a row, each of whom it is done to."""
    line, context = clause.line, clause.context
    title = title_behind_article(line.words[: unlisted.end], unlisted.start, names_there)
    if title is None or title[1] >= unlisted.end:
        return None
    names: list[str] = []
    here = title[1]
    while here < len(line.words) and (people := people_at(line.words, here, context)) is not None:
        names += people[0]
        here = people[1] + joins(line.words, people[1])
    if len(names) < 2 or here < unlisted.end:
        return None
    text = with_words(line, unlisted.start, here, quote(title[0]), quote(",".join(names)))
    return Ambiguous.between(f"{title[0]}, and {listed(names)}?", [text], unlisted.start)


def name_beside_another(clause: Clause, reading: Reading) -> Ambiguous | None:
    """`foe reed 3` beside Reed lurker: one more of a short name, or the one who is there.

    In quotes, or behind the name of its field, which a shell leaves as it is, a name is meant as it stands.
    """
    context, grammar = clause.context, clause.grammar
    first = grammar.order[0].key if grammar.order else None
    piece = next((piece for piece in reading.pieces if piece.field == first), None)
    if piece is None or piece.how != "value":
        return None
    # the field that takes a name of the list to which this verb adds
    tag = tag_of(grammar.verb.kind)
    listed_in = ((kind, field) for kind in context.system.actions for field in fields_of(kind) if field.added_by == tag)
    if (first_listing := next(listed_in, None)) is None:
        return None
    kind, field = first_listing
    flags = [other.key for other in clause.grammar.fields.values() if other.kind.shape == "flag"]
    name = str(reading.value_of(piece.field))
    names = context.system.proposals(context.state, kind, field.key, None) or ()
    near = [other for other in fitting(name, names) if key_of(other) != key_of(name)]
    quoted_already = any(clause.words[at].quoted for at in range(piece.start, piece.end))
    if not near or quoted_already or any(map(reading.value_of, flags)):
        return None  # who is said to be gone is one of those that are there
    meanings = [(f"a new one, {name}", name), *((f"{other} again", other) for other in near)]
    choices = [
        Meaning(says, with_words(clause.line, piece.start, piece.end, f"{piece.field}={quote(meant)}"))
        for says, meant in meanings
    ]
    question = f"{listed(near)} {'is' if len(near) == 1 else 'are'} there already."
    return Ambiguous.between(question, choices, piece.start)


def class_within_a_name(clause: Clause, reading: Reading) -> Ambiguous | None:
    """`enrol Sparks spellweaver jo`: a class that ended within a new name, before a word that is no class."""
    pieces = {piece.field: piece for piece in reading.pieces if piece.how == "value"}
    order, line = clause.grammar.order, clause.line
    name = next((pieces.get(field.key) for field in order if field.names == "new character"), None)
    if name is None or line.words[name.start].quoted:
        return None
    for field in order:
        names = clause.fits(reading).legal(field, None) if field.key in pieces and field.required else None
        if not names or key_of(str(reading.value_of(field.key))) in map(key_of, names):
            continue
        if not any(title_at(line.words, at, names) for at in range(name.start + 1, name.end)):
            continue
        start, end = pieces[field.key].start, pieces[field.key].end
        words = words_to_type(line)
        text = line.rest(start, end)
        choices = [
            Meaning(f"{other.key} {text}", " ".join([*words[:start], other.key, *words[start:]]))
            for other in clause.grammar.fields.values()
            if other.kind.shape == "text" and reading.is_open(other)
        ]
        return Ambiguous.between(f"There is no {field.key} {text!r}.", choices, start)
    return None


def number_behind_a_name(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:
    """`pip shoots ghoul 2 for 3` where Ghoul 1 alone is there: whether 2 is the points, or one who is not there."""
    line, (name, *others) = clause.line, reading.names or ("",)
    piece = next((piece for piece in reading.pieces if piece.how == "name"), None)
    base, _, number = name.rpartition(" ") if name[-1:].isdecimal() else (name, "", "")
    if others or piece is None:
        return None
    second, texts = piece.end, words_to_type(line)
    points = [at for at in range(words.start, words.end) if number_of(line.words[at].text) is not None]
    counted = number_of(line.words[second].text) if second < words.start else None
    leads = points and (line.words[points[0] - 1].text.casefold() == FOR or (bool(number) and points[0] == second + 1))
    if counted is None or not leads or plain_words(words_between(line, piece.start, second))[-1] == number:
        return None
    begins = [*texts[: piece.start], quote(name, always=True)]
    left = [*texts[words.start : points[0] - (points[0] > words.start)], *texts[points[0] + 1 :]]
    lines = [
        " ".join([*begins, texts[points[0]], *left]),
        " ".join([*begins, texts[second], quote(line.rest(words.start, words.end), always=True)]),
    ]
    return Ambiguous.between(f"There is no {base} {counted}. Which do you mean?", lines, second)


def misspelt_name(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:
    """`d pip 2 bramm 3 fire`: whether a word before a number is somebody whose name is misspelt; None: it is not."""
    line, names = clause.line, clause.context.state.characters
    for place in range(words.start, words.end - 1):
        word = line.words[place]
        near = nearest(word.text, names) if word.text.isalpha() and not word.quoted else None
        is_another = near is not None and near not in reading.names and key_of(word.text) not in plain_words(near)
        if near is None or not is_another or number_of(line.words[place + 1].text) is None:
            continue
        corrected_line = with_words(line, place, place + 1, quote(near))
        result = read(clause.context, clause.grammar.verb, tokenize(corrected_line), clause.start)
        if result.whole and near in result.best.names:
            as_words = quote(line.rest(words.start, words.end), always=True)
            lines = [corrected_line, with_words(line, words.start, words.end, as_words)]
            return Ambiguous.between(f"There is no character {word.text!r}; did you mean {near}?", lines, place)
    return None


def left_out_of_a_group(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:
    """`d all 3 a fireball except wen`: whether somebody of those named is left out; None: nobody is.

    What is said of one of them alone (`everyone takes 3 but wen 1`) is asked about as well: all would get the same.
    """
    line, piece = clause.line, next((piece for piece in reading.pieces if piece.how == "name"), None)
    if piece is None or len(reading.names) < 2:
        return None
    for place in range(words.start, words.end):
        if clause.words[place].quoted:
            continue
        leads = clause.words[place].text.casefold() in (*BUT, NOT)
        at = place + leads
        at += leads and at < words.end and clause.words[at].text.casefold() == NOT
        if not leads and not (place > words.start and clause.words[place - 1].text.endswith(ENDS)):
            continue
        names = _some_of_the_group(clause, reading, at, words.end)
        if not names:
            continue
        left = [quote(name) for name in reading.names if name not in names]
        if line.words[piece.end - 1].text.casefold() in (*ALL, *PARTY):
            left = [words_between(line, piece.start, piece.end), BUT[0], " and ".join(map(quote, names))]
        before = words_between(line, piece.end, place).rstrip("".join(ENDS))
        without = [*words_to_type(line, 0, piece.start), *left, before, *words_to_type(line, words.end)]
        as_words = quote(line.rest(words.start, words.end), always=True)
        lines = [" ".join(without), with_words(line, words.start, words.end, as_words)]
        return Ambiguous.between(f"Does that include {listed(names)}?", lines, place)
    return None


def _some_of_the_group(clause: Clause, reading: Reading, at: int, end: int) -> list[str]:
    """Those of the characters named whom the words at a place name; none where it is all of them or another word."""
    if at >= end or not somebody_meant(clause.words, at, clause.context):
        return []
    try:
        people = people_at(clause.words, at, clause.context)
    except Unclear:
        return []
    names = list(people[0]) if people is not None else []
    return names if set(names) < set(reading.names) else []
