"""Lines about tracked values: `track hob gold +75 the chest`, and tracked names as verbs: `gold hob +75`, `day +1`.

A signed number is a change, any other number or text is the new value; what stands behind it says where it comes from.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from cli.line.clause import manner_off
from cli.line.errors import AS_WORDS, Ambiguous, Meaning, Misread, Missing, NoVerb
from cli.line.phrase import Actions
from cli.line.values import Context, number_of, people_at, somebody_meant
from cli.line.verbs import Verb, verb_at, verbs_meant
from cli.line.vocabulary import numbers_of
from cli.line.words import Line, Word, next_of_several, quote, rest_of, words_between
from domain.common.tracking import Track, tracked_names
from domain.naming import find_name, key_of, same_letters, short_for
from domain.registry import tag_of, verb_name
from domain.system.field_schema import fields_of

PIN, UNPIN, DROP, DEBT = "pin", "unpin", "drop", "debt"
#: The longest run of words that is tried as one tracked name.
LONGEST = 5
#: How much a word is like a tracked name that was meant, from 0 to 1.
LIKE_A_SLIP = 0.7


def verbs(context: Context) -> tuple[Verb, ...]:
    """Each name that is tracked, as a verb."""
    return tuple(Verb(name, Track, {"name": name}) for name in tracked_names(context.state))


def verb_in(context: Context, line: Line, at: int = 0, questions: Sequence[str] = ()) -> tuple[Verb | str, int]:
    """The verb, or the question, that stands at a place of a line of this campaign, and the place behind it.

    A tracked name is a verb where nothing else is called so. Raises Misread: none is meant, or more than one.
    """
    try:
        return verb_at(context.system.key, line, at, questions, lambda: verbs(context))
    except NoVerb:
        word = line.words[at].text
        has_value = any(number_of(other.text) is not None for other in line.words[at + 1 :])
        near = _near_tracked_name(word, tracked_names(context.state)) if has_value else None
        if near is None or verbs_meant(context.system.key, word, questions):
            raise
        raise NoVerb(f"There is no verb {word!r}; did you mean {near}?", at) from None


def like_tracked(word: str, context: Context) -> str | None:
    """What is tracked under this name, or as one or several of it: `torch` where torches are."""
    names = tracked_names(context.state)
    return next((name for form in numbers_of(word) if (name := same_letters(form, names)) is not None), None)


def _near_tracked_name(word: str, names: Sequence[str]) -> str | None:
    """What is tracked under a name with a slip in it; a goblin is no gold."""
    from difflib import get_close_matches

    by_key = {key_of(name): name for name in names}
    close = get_close_matches(key_of(word), by_key, n=1, cutoff=LIKE_A_SLIP)
    return by_key[close[0]] if close else None


def names_its_fields(line: Line, at: int) -> bool:
    """Whether a line says its fields by their names (`--change 5`, `name=gold`), as any other verb's may."""
    keys = {field.key for field in fields_of(Track)}
    for place, word in enumerate(line.words[at:]):
        name, sign, _ = word.text.removeprefix("--").removeprefix("no-").partition("=")
        is_option = word.text.startswith("--")
        if name in keys and name != DROP and (is_option or (place == 0 and sign)):
            return True
    return False


def read(context: Context, verb: Verb, line: Line, at: int) -> Actions:
    """The words behind `track` or behind a tracked name. Raises Misread.

    `--drop` settles conflicts with later turns, as with every verb; where no value stands, it is the word `drop`.
    """
    rest, manner = manner_off(line, at)
    try:
        return Actions(tuple(_Words(context, verb, rest, at).actions()), manner)
    except _NoValue:
        options = (place for place in range(at, len(line.words)) if line.words[place].text == f"--{DROP}")
        place = next(options, None)
        if place is None:
            raise
    bare = replace(line.words[place], text=DROP)
    return read(context, verb, replace(line, words=(*line.words[:place], bare, *line.words[place + 1 :])), at)


class _NoValue(Missing):
    """The line ends where a value has to stand."""


class _Value(NamedTuple):
    """Fields of the action that a value says, and the place behind it."""

    fields: dict[str, Any]
    beyond: int


class _Words:
    """The words of one line, taken in their order."""

    def __init__(self, context: Context, verb: Verb, line: Line, at: int) -> None:
        self.context, self.line, self.words, self.at = context, line, line.words, at
        self.name: str | None = verb.sets.get("name")
        self.known = tracked_names(context.state)

    def actions(self) -> list[dict[str, Any]]:
        pin = {PIN: True, UNPIN: False}.get(self._plain(self.at))
        if self.name is None and pin is not None and self.at + 1 < len(self.words):
            return [self._action(None, {"pin": pin, "name": self.line.rest(self.at + 1, len(self.words))})]
        is_dropped = self.name is None and self._plain(self.at) == DROP and self.at + 1 < len(self.words)
        who, here = self._whose(self.at + is_dropped)
        if is_dropped:
            return [self._action(name, {"drop": True, **self._source(here)}) for name in who]
        parts: list[tuple[tuple[str | None, ...], dict[str, Any]]] = []
        while True:
            value = self._value(who, here)
            parts.append((who, value.fields))
            here = value.beyond
            others = self._people(here)
            if others is None or not self._is_number(others[1]):
                break
            who, here = others
        self._refuse_another(here, parts[-1][1])
        source = self._source(here)
        return [self._action(name, {**fields, **source}) for names, fields in parts for name in names]

    def _refuse_another(self, here: int, fields: Mapping[str, Any]) -> None:
        """Raise Ambiguous for somebody else with a number among the words: `gold hob +5 and wen 3`."""
        place = next_of_several(self.words, here)
        if place is None or not somebody_meant(self.words, place, self.context):
            return
        others = self._people(place)
        if others is None or not self._is_number(others[1]):
            return
        number, sign = self.words[others[1]].text, ""
        if "change" in fields and number[0] not in "+-":
            sign = "+" if fields["change"] > 0 else "-"
        before = words_between(self.line, 0, here).removesuffix(",")
        name = self.line.rest(place, others[1])
        behind = others[1] + 1 + (others[1] + 1 < len(self.words) and self._is_noun(others[1] + 1))
        both = " ".join([before, f"{name} {sign}{number}", *rest_of(self.line, behind)])
        words = f"{before} {quote(self.line.rest(here, len(self.words)), always=True)}"
        meanings = [Meaning("both", both), Meaning(AS_WORDS, words)]
        question = f"{self.line.rest(here, len(self.words))}:"
        raise Ambiguous("Somebody else has a number here; type one of these:", question, meanings, here, explained=True)

    def _is_noun(self, here: int) -> bool:
        """Whether a word at a place is what the line is about."""
        return self.name is not None and same_letters(self.words[here].text, (self.name,)) is not None

    def _action(self, character: str | None, fields: dict[str, Any]) -> dict[str, Any]:
        about = {"name": self.name} if self.name is not None else {}
        return {"type": tag_of(Track), **about, **({"character": character} if character else {}), **fields}

    # -- who, and what

    def _whose(self, here: int) -> tuple[tuple[str | None, ...], int]:
        """Whom the line is about (None: the table), with the name of what is tracked noted, and the place behind."""
        if self.name is None and self._known_name(here) is not None:
            here = self._take_name(here)
        people = self._people(here)
        if self.name is None and people is not None and self._ends_or_value(people[1]):
            whole = any(key_of(self.words[here].text) == key_of(other) for other in self.context.state.characters)
            if whole:
                name = people[0][0]
                raise Missing(f"Say what of {name} is tracked: track {quote(name)} gold +5.", (), people[1])
            people = None  # only the beginning of somebody's name: it is what is tracked
        if people is not None:
            here = people[1]
        if self.name is None:
            here = self._take_name(here)
            if people is None and (people := self._people(here)) is not None:
                here = people[1]
        return (people[0] if people is not None else self._implied_owner(here)), here

    def _people(self, here: int) -> tuple[tuple[str, ...], int] | None:
        if here >= len(self.words) or (self.words[here].quoted and not self._is_long_name(here)):
            return None
        people = people_at(self.words, here, self.context)
        if people is not None and not people[0]:
            raise Misread(f"{self.words[here].text} means nobody yet; say the name.", here)
        return people

    def _is_long_name(self, here: int) -> bool:
        """Whether somebody's name of several words stands at a place, in quotes as in a shell, with more behind it."""
        name = self.words[here].text
        names = self.context.state.characters
        return " " in name and here + 1 < len(self.words) and key_of(name) in map(key_of, names)

    def _implied_owner(self, here: int) -> tuple[str | None, ...]:
        """Whose it is where the line names nobody: the table's, or whoever alone has something of that name."""
        assert self.name is not None
        state = self.context.state
        changes = self._is_number(here + 1) and self.words[here + 1].text[0] in "+-"
        if changes and self.name in self.known and not self._is_text():
            find_name(self.words[here].text, state.characters)
        own = [name for name in self.context.own() if same_letters(self.name, state.characters[name].tracked)]
        if same_letters(self.name, state.table.tracked) is not None or not own:
            return (None,)
        turn = self.context.system.whose_turn(state)
        if len(own) == 1 or turn in own:
            return (turn if turn in own else own[0],)
        who = short_for(own[0], state.characters)
        raise Missing(f"Whose {self.name}? {quote(self.name)} {who} +5.", (), here)

    def _is_text(self) -> bool:
        """Whether anybody keeps a text under this name, in which any word may stand."""
        sheets = (*self.context.state.characters.values(), self.context.state.table)
        name = str(self.name)
        return any(
            isinstance(sheet.tracked[tracked_name], str)
            for sheet in sheets
            if (tracked_name := same_letters(name, sheet.tracked)) is not None
        )

    def _known_name(self, here: int) -> tuple[str, int] | None:
        """The tracked name that stands at a place, in as many words as are its own."""
        for count in range(min(LONGEST, len(self.words) - here), 0, -1):
            tracked_name = same_letters(" ".join(word.text for word in self.words[here : here + count]), self.known)
            if tracked_name is not None:
                return tracked_name, here + count
        return None

    def _take_name(self, here: int) -> int:
        """Note the name of what is tracked, and give the place behind it."""
        if here >= len(self.words):
            raise Missing("Say what is tracked: track hob gold +75, track day 14.", (), here)
        match = self._known_name(here)
        if match is not None:
            self.name, beyond = match
            return beyond
        word = self.words[here]
        name, sign, value = word.text.partition("=")
        if sign and name and not word.quoted:
            self.name = name
            value_word = Word(value, word.start + len(name) + 1, word.end) if value else None
            self.words = (*self.words[: here + 1], *([value_word] if value_word else []), *self.words[here + 1 :])
            self.line = Line(self.line.text, self.words)
            return here + 1
        if self._is_number(here):
            raise Missing(f"Say what {word.text} is the number of: track hob gold {word.text}.", (), here)
        near = _near_tracked_name(word.text, self.known)
        if near is not None and not word.quoted:
            before, behind = self.line.text[: word.start], self.line.text[word.end :]
            near_name, new = f"{before}{quote(near)}{behind}", f'{before}"{word.text}"{behind}'
            lead = f"{word.text} may be {near}, which is tracked, or a new name; write:"
            meanings = [Meaning(near, near_name), Meaning(f"a new name, {word.text}", new)]
            raise Ambiguous(lead, f"{word.text}:", meanings, here)
        self.name = word.text
        return here + 1

    # -- the value, and the words behind it

    def _value(self, who: Sequence[str | None], here: int) -> _Value:
        assert self.name is not None
        here += self._plain(here) == "="
        if here >= len(self.words):
            of = [short_for(who[0], self.context.state.characters)] if who[0] is not None else []
            is_verb = self.name in self.known
            like = " ".join([quote(self.name), *of] if is_verb else [verb_name(Track), *of, quote(self.name)])
            raise _NoValue(f"Say how much, or what it is: {like} +5, {like} 12, {like} drop.", (), here)
        word = self.words[here]
        if self._plain(here) == DROP:
            return _Value({"drop": True}, here + 1)
        number = None if word.quoted else number_of(word.text)
        if number is not None:
            fields: dict[str, Any] = {"change" if word.text[0] in "+-" else "value": number}
            if self._plain(here + 1) == DEBT:
                return _Value({**fields, DEBT: True}, here + 2)
            return _Value(fields, here + 1)
        if word.quoted:
            return _Value({"value": word.text}, here + 1)
        for place in range(here, len(self.words)):
            text = self.words[place].text
            if not self.words[place].quoted and number_of(text) is not None and text[0] in "+-":
                name, value = f"{self.name} {self.line.rest(here, place)}", self.line.rest(here, len(self.words))
                raise Misread(
                    f'{text} may be a change or part of a text; write {quote(name)} {text}, or {self.name} "{value}".',
                    place,
                )
        return _Value({"value": self.line.rest(here, len(self.words))}, len(self.words))

    def _source(self, here: int) -> dict[str, Any]:
        """Where a value comes from: the words that are left. Raises Ambiguous for one of them that may be more."""
        for place in range(here, len(self.words)):
            name, sign, _ = self.words[place].text.removeprefix("no-").partition("=")
            names_a_field = self._plain(place).removeprefix("no-") in (
                UNPIN,
                *(field.key for field in fields_of(Track)),
            )
            if names_a_field or (sign and name.isidentifier() and not self.words[place].quoted):
                from cli.line.ambiguous.words import OtherMeaning, among_words  # hardly any source holds one

                source = DEBT if self._plain(place) == DEBT else ""
                raise among_words(self.line, place, [OtherMeaning(place + 1, source)], (here, len(self.words)))
        return {"source": self.line.rest(here, len(self.words))} if here < len(self.words) else {}

    def _plain(self, here: int) -> str:
        """The word at a place, in small letters; nothing where none is, or where it is quoted."""
        return self.words[here].text.casefold() if here < len(self.words) and not self.words[here].quoted else ""

    def _is_number(self, here: int) -> bool:
        return here < len(self.words) and not self.words[here].quoted and number_of(self.words[here].text) is not None

    def _ends_or_value(self, here: int) -> bool:
        return here >= len(self.words) or self._is_number(here) or self._plain(here) == DROP


# -- written, and completed ----------------------------------------------------------------------------


def line_with_gaps(values: Mapping[str, Any], gap: str) -> str:
    """The line of a track action, perhaps not whole."""
    name = quote(str(values["name"])) if "name" in values else gap
    if values.get("pin") is not None:
        return f"{verb_name(Track)} {PIN if values['pin'] else UNPIN} {name}"
    words = [verb_name(Track), *([quote(str(values["character"]))] if values.get("character") else []), name]
    if values.get("change") is not None:
        words.append(f"{values['change']:+d}")
    elif isinstance(values.get("value"), int):
        words.append(str(values["value"]))
    elif values.get("value") is not None:
        words.append('"{}"'.format(values["value"].replace('"', '""')))
    else:
        words.append(DROP if values.get("drop") else gap)
    if values.get("debt"):
        words.append(DEBT)
    if values.get("source"):
        words.append(str(values["source"]))
    return " ".join(words)


def next_words(context: Context, verb: Verb, line: Line, at: int) -> list[tuple[str, str]]:
    """What may be typed next behind `track` or a tracked name, with a word of help each."""
    behind = line.words[at:]
    people = [(name, "") for name in context.own()]
    has_name = "name" in verb.sets or any(same_letters(word.text, tracked_names(context.state)) for word in behind)
    values = any(number_of(word.text) is not None for word in behind)
    who = bool(behind) and people_at(line.words, at, context) is not None
    if values or len(behind) > 1 + ("name" not in verb.sets):
        return []
    completions = [] if who else [*people, ("all", "everyone of our side who is here and can act"), ("party", "")]
    if not has_name:
        completions += [(name, "tracked") for name in tracked_names(context.state)]
    return completions
