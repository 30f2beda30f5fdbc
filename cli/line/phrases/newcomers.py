"""Newcomers as people announce them: `enrol Bob the hireling, 3 hp`, `enrol 3 goblins foe`, `enrol Brag played by Mia`.

What is no part of a name is offered as what it means, and never taken into the name.
"""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from cli.line.errors import Ambiguous
from cli.line.grammar import Grammar
from cli.line.offers import nearest_lines
from cli.line.phrase import LinePhrase
from cli.line.values import Context, behind_unit, number_of, numbered
from cli.line.verbs import Verb, vital_units
from cli.line.vocabulary import (
    ARTICLES,
    DETERMINERS,
    JOINING_WORDS,
    JOINS,
    LEADING,
    NUMBER_WORDS,
    OBJECT_PRONOUNS,
    PLAYED_BY,
    singular,
)
from cli.line.words import Line, quote, rest_of, tokenize, with_words, word_to_type, words_to_type
from domain.naming import called, letters, same_letters
from domain.system.field_schema import NEW, Field
from domain.system.groups import even_parts


def newcomer(phrase: LinePhrase) -> Line | Ambiguous | None:
    """The line without an article before what a newcomer is; the lines for one of whom it says more than a name."""
    assert phrase.verb is not None
    line, verb = phrase.line, phrase.verb
    for place in range(phrase.at + 1, len(line.words)):
        count = re.fullmatch(r"(\d+)(hp)", line.words[place].text, re.IGNORECASE)
        if count is not None and not line.words[place].quoted:
            return tokenize(with_words(line, place, place + 1, *count.groups()))  # `enrol goblin 5hp`
    without = _without_article(verb, line, phrase.at, phrase.context)
    without = without if without is not None else _with_player(verb, line, phrase.at, phrase.context)
    return without if without is not None else _more_than_a_name(verb, line, phrase.at, phrase.context)


def _more_than_a_name(verb: Verb, line: Line, at: int, context: Context) -> Line | Ambiguous | None:
    """The lines for a newcomer of whom a line says more than a name in a way that no field has; None: it does not.

    `played by` means one thing: with nothing else of that kind it is read.
    """
    grammar = Grammar(context, verb)
    name_field = next((field for field in grammar.order if field.names == NEW), None)
    if name_field is None or name_field is not grammar.order[0] or at >= len(line.words) or line.words[at].quoted:
        return None
    joiner = _Newcomer(grammar, line, at)
    if not (joiner.says_more or joiner.is_played) or not joiner.name:
        return None
    names = [joiner.name]
    if joiner.count is not None:
        names = [f"{singular(called(joiner.name))} 1"]
    if joiner.titles:
        names.append(" ".join([joiner.name, *joiner.titles]))
    shorter = joiner.name.split()[0]
    if joiner.count is None and joiner.title:
        names.append(shorter)
    lines = [" ".join([verb.name, quote(name), *joiner.fields]) for name in names]
    if joiner.count is not None:
        lines = [" ".join([lines[0], "foe"]), *lines]  # several of a kind are hardly ever of the party
    dice = next((field for field in grammar.order if field.dice), None)
    count = joiner.count if joiner.count is not None else joiner.number
    if dice is not None and count is not None:
        bare = joiner.name if joiner.number is None else joiner.name.rpartition(" ")[0]
        lines.append(" ".join([verb.name, quote(bare), *joiner.fields, f"{dice.key}={count}"]))
    question = "A line enrols one character. Who joins?" if joiner.count is not None else "Who joins?"
    offer = nearest_lines(context, question, lines)
    if len(offer.choices) == 1 and not joiner.says_more:
        return tokenize(lines[0])
    return offer if offer.choices else None


def _without_article(verb: Verb, line: Line, at: int, context: Context) -> Line | None:
    """The line without what stands before what a newcomer is: `enrol Kord the brute`, `enrol Kord as a brute`."""
    words = line.words
    text_fields = [field for field in Grammar(context, verb).order if field.names != NEW and field.kind.shape == "text"]
    legal = {
        letters(value)
        for field in text_fields
        for value in context.system.proposals(context.state, verb.kind, field.key, None) or ()
    }
    for here in range(at + 1, len(words)):
        behind = here + (words[here].text.casefold() == "as")
        behind += behind < len(words) and words[behind].text.casefold() in ARTICLES
        if here < behind < len(words) and letters(words[behind].text) in legal and not words[here].quoted:
            return tokenize(" ".join([*words_to_type(line, 0, here), *rest_of(line, behind)]))
    return None


def _with_player(verb: Verb, line: Line, at: int, context: Context) -> Line | None:
    """`enrol Kord brute played by Mia`: the line with the player as a field, where what somebody is stands apart.

    `…, Mia plays him` as well.
    """
    grammar, words = Grammar(context, verb), line.words
    apart = any(field.required and field.names != NEW for field in grammar.order)
    if "player" not in grammar.fields:
        return None
    last = len(words) - 3
    if last > at and words[last + 1].text.casefold() in JOINING_WORDS and words[-1].text.casefold() in OBJECT_PRONOUNS:
        before = words_to_type(line, 0, last)
        return tokenize(" ".join([*before[:-1], before[-1].rstrip(","), f"player={quote(words[last].text)}"]))
    for here in range(at + 1, len(words) - 2 if apart else 0):
        if [word.text.casefold() for word in words[here : here + 2]] == PLAYED_BY:
            return tokenize(with_words(line, here, here + 3, f"player={quote(words[here + 2].text.rstrip(','))}"))
    return None


class _Newcomer:
    """The parts of what is said of a newcomer: the name, how many, and the words for the fields."""

    def __init__(self, grammar: Grammar, line: Line, at: int) -> None:
        self.grammar, self.line, self.context = grammar, line, grammar.context
        self.fields: list[str] = []
        self.says_more, self.is_played, self.title = False, False, False
        #: the words behind the name that are no field: `Pip, a thief, played by Jo`
        self.titles: list[str] = []
        self.count: int | None = None
        #: the number at the end of the name
        self.number: int | None = None
        words = [word.text.rstrip(",") for word in line.words]
        here = at
        if at + 1 < len(words) and words[at + 1][:1].isalpha() and not self._names_a_field(at + 1):
            self.count = number_of(words[at]) if words[at].isdecimal() else NUMBER_WORDS.get(words[at].casefold())
            if words[at].casefold() in DETERMINERS or (self.count is not None and self.count < 2):
                self.count = None
            here += self.count is not None
        self.says_more = self.count is not None
        begin = end = here
        at_end = False
        while here < len(words):
            beyond = self._field(words, here)
            if beyond > here:
                end, at_end = (here if not at_end else end), True
            elif words[here].casefold() in LEADING and self._field(words, here + 1, dry=True) > here + 1:
                end, at_end, beyond = end if at_end else here, True, here + 1
                self.says_more = True
            elif at_end and words[here].casefold() in JOINS and words[here - 1].isdecimal():
                beyond = here + 1  # `5 and 6` are two dice
            elif at_end and self._is_no_value(words[here]) and not self._names_a_field(here - 1):
                self.titles.append(words[here])
                beyond, self.says_more = here + 1, True
            elif at_end:
                self.fields.append(word_to_type(line, here).removesuffix(","))
                beyond = here + 1
            else:
                end = beyond = here + 1
                has_roll = any(word.isdecimal() for word in words[here + 1 :])
                if here > begin and words[here].isdecimal() and not has_roll and self._is_one_more(words[begin:here]):
                    self.says_more = at_end = True
                    self.number = int(words[here])
                self.title = self.title or words[here].casefold() in DETERMINERS
                at_end = line.words[here].text.endswith(",")
            here = beyond
        self.name = " ".join(words[begin:end])

    def _is_no_value(self, word: str) -> bool:
        """Whether a word behind the name is neither a field nor what one may take."""
        of_choice = (value.startswith(word.casefold()) for field in self.grammar.order for value in field.kind.choices)
        texts = any(
            field.kind.shape == "text" and field.required and field.names != NEW for field in self.grammar.order
        )
        return word.isalpha() and not texts and self.grammar.field_called(word) is None and not any(of_choice)

    def _is_one_more(self, words: Sequence[str]) -> bool:
        """Whether others are called so with a number behind it, and nobody without one."""
        name, names = " ".join(words), tuple(self.context.state.characters)
        return numbered(name, names) and same_letters(name, names) is None

    def _names_a_field(self, here: int) -> bool:
        return self.grammar.field_called(self.line.words[here].text, whole=True) is not None

    def _field(self, words: Sequence[str], here: int, *, dry: bool = False) -> int:
        """Take what stands for a field at a place; the place behind it, or the same where none does."""
        if here >= len(words) or self.line.words[here].quoted:
            return here
        before = list(self.fields), self.says_more, self.is_played
        beyond = self._points(words, here) or self._player(words, here) or self._choice(words, here) or here
        if dry:
            self.fields, self.says_more, self.is_played = before
        return beyond

    def _points(self, words: Sequence[str], here: int) -> int:
        """`3 hp`, `hp 3`: the points that somebody has, as the dice that make them; 0: nothing of it."""
        units = vital_units(self.context.system, self.grammar.verb.kind)
        bare_words = [replace(word, text=word.text.rstrip(",")) for word in self.line.words]
        number = number_of(words[here])
        beyond = behind_unit(bare_words, here + 1, units) if number is not None else 0
        if number is None:
            behind = behind_unit(bare_words, here, units)
            number = number_of(words[behind]) if here < behind < len(words) else None
            beyond = behind + 1
        dice = next((field for field in self.grammar.order if field.makes is not None), None)
        if number is None or number < 1 or dice is None or beyond <= here + 1:
            return 0
        self.fields += _dice_for(dice, number, self.line)
        self.says_more = True
        return beyond

    def _player(self, words: Sequence[str], here: int) -> int:
        """`played by Mia`; 0: nothing of it."""
        field = self.grammar.fields.get("player")
        if field is None or [word.casefold() for word in words[here : here + 2]] != PLAYED_BY or len(words) < here + 3:
            return 0
        self.fields.append(f"{field.key}={quote(words[here + 2])}")
        self.is_played = True
        return here + 3

    def _choice(self, words: Sequence[str], here: int) -> int:
        """`foe`, `as a foe`: the value of a choice behind the name; 0: nothing of it."""
        while here < len(words) - 1 and words[here].casefold() in DETERMINERS:
            here += 1
        for field in self.grammar.order:
            word = words[here].casefold()
            value = word if word in field.kind.offered_choices else field.kind.also_said.get(word)
            if value is not None and field.kind.shape == "choice" and field.in_order:
                self.fields.append(f"{field.key}={value}")
                # a reader of values takes it where no comma stands before it
                self.says_more = self.says_more or self.line.words[here - 1].text.endswith(",")
                return here + 1
        return 0


def _dice_for(dice: Field, points: int, line: Line) -> list[str]:
    """The dice that make so many points, as even as can be, with how many they are where one is too few."""
    assert dice.makes is not None
    sides, counted_by = dice.makes
    counts_levels = any(word.text.casefold().replace("-", "_").startswith((counted_by, "level")) for word in line.words)
    count = -(-points // sides)
    dice_words = f"{dice.key}={','.join(map(str, even_parts(points, count)))}"
    return [dice_words] if count == 1 or counts_levels else [f"{counted_by}={count}", dice_words]
