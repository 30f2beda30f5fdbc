"""Dice and cards of which a line does not say whose they are, or how many: `hilda and agnes rest 4 5`, `keep worst`."""

from itertools import takewhile

from cli.line.clause import Clause
from cli.line.errors import Ambiguous, Meaning
from cli.line.reading import People, Reading
from cli.line.words import quote, with_words, words_between
from domain.naming import listed


def which_of_one(clause: Clause, reading: Reading) -> Ambiguous | None:
    """`keep worst` where one card is flipped: how many there are of which one counts, or the line without it."""
    for field in clause.grammar.fields.values():
        piece = next((piece for piece in reading.pieces if piece.field == field.key and piece.end > piece.start), None)
        if field.of_several is None or piece is None:
            continue
        many, reports = (reading.value_of(key) for key in field.of_several)
        count = many if many is not None else len(reports or ()) or None
        if many is not None and many > 1:
            continue
        line, number = clause.line, field.of_several[0]
        is_option = line.words[piece.start].text.startswith("--")
        if is_option and (count == 1 or reading.value_of(field.key) == field.default):
            continue  # it is said by name, as in JSON: `--cards 1 --keep worst`, `--keep best`
        own = words_between(line, piece.start, piece.end)
        choices = []
        if count is None or (many is None and count > 1):
            how_many = f"{number}={count or 2}"
            choices.append(Meaning(how_many, with_words(line, piece.start, piece.start, how_many)))
        if count is None or count == 1:
            choices.append(Meaning(f"leave {field.key} out", with_words(line, piece.start, piece.end)))
        lead = f"{field.key} says which of several {number} counts; say:"
        return Ambiguous(lead, f"{own}:", choices, piece.start)
    return None


def dice_behind_several(clause: Clause, reading: Reading) -> Ambiguous | None:
    """`hilda and agnes rest 4 5`: whose dice these are that stand behind several names; None: it is said whose."""
    group, line = reading.groups[-1], clause.line
    nth = next((at for at, name in enumerate(group.faces) if _names_before(group, name)), None)
    if nth is None:
        return None
    whose = list(group.faces)[nth]
    names, dice = [*_names_before(group, whose), whose], group.faces[whose]
    share, left = divmod(len(dice), len(names))
    shares = [] if left else [{name: dice[at * share :][:share] for at, name in enumerate(names)}]
    pieces = [piece for piece in reading.pieces if piece.how in ("name", "dice")]
    rolls = [piece for piece in pieces if piece.how == "dice"]
    start, end = pieces[0].start, pieces[-1].end
    others = [piece for piece in reading.pieces if start < piece.start < end and piece not in pieces]
    before = [words_between(line, piece.start, piece.end) for piece in others if piece.how != "filler"]
    choices = []
    for mine in (*shares, *({name: dice} for name in names)):
        faces = {**{name: own for name, own in group.faces.items() if name not in names}, **mine}
        drawn = [quote(name) for name in group.names if name not in faces]
        rolled = [f"{quote(name)} {''.join(map(str, own))}" for name, own in faces.items()]
        says = listed([f"{name} {' '.join(map(str, own))}" for name, own in mine.items()])
        choices.append(Meaning(says, with_words(line, start, end, *rolled, *drawn, *before)))
    question = f"Whose dice are {line.rest(rolls[nth].start, rolls[nth].end)}?"
    return Ambiguous.between(question, choices, start, explained=True)


def _names_before(group: People, name: str) -> list[str]:
    """The names without dice directly before one that has some."""
    names = group.names[: group.names.index(name)]
    return list(takewhile(lambda other: other not in group.faces, reversed(names)))[::-1]
