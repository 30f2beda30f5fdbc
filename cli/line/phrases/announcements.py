"""What is announced to the whole table: a scene or an evening that begins or ends, who joins, a rule of the house.

Each is offered as the line that records it, beside the line that keeps it as a note.
"""

import re
from collections.abc import Iterator
from itertools import count

from cli.line.action_roles import adds_foes
from cli.line.errors import Ambiguous
from cli.line.offers import can_be_read, nearest_lines, note_line
from cli.line.phrase import LinePhrase
from cli.line.phrases.turn_references import standing_actions
from cli.line.values import Context, somebody_meant
from cli.line.verbs import kinds_called
from cli.line.vocabulary import APPEARING, ENDING, EVENINGS, NUMBER_WORDS, ORDINALS, UPON_US, singular
from cli.line.words import Line, quote, tokenize
from domain.common.rulings import Ruling
from domain.common.sessions import SessionClose, SessionOpen
from domain.naming import capitalised, key_of
from domain.registry import tag_of, verb_name
from domain.system.field_schema import NEW, fields_of
from domain.turn import Action

#: What people say when an evening begins, and when it ends.
BEGINS = re.compile(r"(let'?s|let us|we) (start|begin|play|go)( now| playing)?|(the )?evening (starts|begins)( now)?")
#: Which evening, or what else begins by its number: `the first session`, `we play scenario 1, the Black Barrow`.
NUMBERED = re.compile(
    r"((let'?s|let us|we|we're|we are|now|tonight|today|do|with|(?P<does>(start|begin|play)(ning|ing)?)),? )*"
    rf"((the |our )?(?P<nth>{'|'.join(ORDINALS)}) (?P<of>\w+)|(?P<what>\w+) #?(?P<number>\d+|{'|'.join(NUMBER_WORDS)}))"
    r"([\s,:.–-]+(?P<title>\S.*))?",
    re.IGNORECASE,
)
IS_OVER = re.compile(
    r"it('s| is) over|(that'?s|that is) (it|all)( for (tonight|today|now|this evening))?|good ?night( all| everyone)?"
    r"|(we('re| are)? )?(stop|done|finished|call it a (night|day))( here| now| for (tonight|today))*"
    r"|(the )?(evening|session|game) (is over|ends)( here| now)?"
)
#: Who comes up against the party: `a wolf appears`, `three goblins attack us`.
COMING_UP = re.compile(
    r"(?:an? |the |(?P<count>\d+|another|two|three|four|five|six|several|some) )?(?P<name>\S+( \S+)?)"
    rf" ({'|'.join(APPEARING)}|attacks? ({'|'.join(UPON_US)}))",
    re.IGNORECASE,
)
#: Who plays whom, and who joins.
PLAYING = re.compile(r"(?P<player>\S+) (joins as|plays|is playing|will play) (?P<rest>\S.*)", re.IGNORECASE)
JOINING = re.compile(r"(?P<name>\S.*?),? joins( us| the party| the group)?(?P<more>,? .*)?", re.IGNORECASE)
PLAYED = re.compile(
    r"(?P<name>[^\s,]+( [^\s,]+)??(,? (is )?(the|an?) [^\s,]+)?)(?P<more>,? (is )?played by \S.*)", re.IGNORECASE
)
#: What somebody joins as whose own name stands before it: `joins as a level 3 thief`.
OF_A_LEVEL = re.compile(r"an? (\S+ )*level (?P<level>\d+)( \S+)*", re.IGNORECASE)
PLAYER = re.compile(r",? *(?:and is |is )?played by (\S+)", re.IGNORECASE)
PLAYS_THEM = re.compile(r"(?:,| and),? (\S+) plays (?:him|her|them|it)$", re.IGNORECASE)
#: What somebody is who joins: `Grom the brute joins`, `Grom joins as a brute`.
TITLED = re.compile(r"(?P<name>\S.*?),? (?:is )?(?:the|an?) (?P<of>\S+)", re.IGNORECASE)
A_KIND = re.compile(r"(?:the|an?) (?P<of>\S+),? *(?P<more>.*)", re.IGNORECASE)
#: A day, as it may stand behind the title of an evening.
DAY = re.compile(r"\d{4}-\d\d-\d\d")
HOUSE_RULE = re.compile(r"(a |new )?house ?rule:? (?P<text>\S.*)", re.IGNORECASE)


def house_rule(phrase: LinePhrase) -> Line | None:
    """The ruling that a rule of the house means; None: it is none."""
    rule = HOUSE_RULE.fullmatch(_plain(phrase.line))
    return None if rule is None else tokenize(f"{verb_name(Ruling)} {rule['text']}")


def session(phrase: LinePhrase) -> Ambiguous | None:
    """The line that opens or closes a session, and the note; None: the phrase says nothing of the evening.

    Whoever says `done` in somebody's turn may mean no more than that turn.
    """
    text = _plain(phrase.line).casefold()
    for pattern, kind, question in ((BEGINS, SessionOpen, "Does it begin?"), (IS_OVER, SessionClose, "Is it over?")):
        if pattern.fullmatch(text):
            ends = list(_ends_of_a_turn(phrase)) if kind is SessionClose else []
            return nearest_lines(phrase.context, question, [*ends, verb_name(kind), note_line(phrase.line)])
    return None


def is_the_end(text: str) -> bool:
    """Whether a text says that the evening is over: `that's it for tonight`."""
    return IS_OVER.fullmatch(text.casefold().strip(" .!").replace("’", "'")) is not None


def what_begins(context: Context) -> dict[str, str]:
    """What begins with a number, by what people call it: the verb of an evening, and of `scenario` in some rules."""
    verbs = {kind: verb_name(kind) for kind in context.system.actions}
    keys = {verb: [field.key for field in fields_of(kind) if field.required] for kind, verb in verbs.items()}
    begun = {verb.rpartition("-")[2]: verb for verb, own in keys.items() if own == [verb.rpartition("-")[2]]}
    return dict.fromkeys(EVENINGS, verb_name(SessionOpen)) | {key: verb for key, verb in begun.items() if key != verb}


def numbered_beginning(phrase: LinePhrase) -> Line | Ambiguous | None:
    """`session 1 Black Barrow`: the line that opens it, with number and title; None: it says no such thing.

    It is offered, but for what the rules begin where somebody says that it begins: `we play scenario 1`.
    """
    found = NUMBERED.fullmatch(_plain(phrase.line))
    what = (found["of"] or found["what"]).casefold() if found is not None else ""
    if found is None or (verb := what_begins(phrase.context).get(what)) is None:
        return None
    words, nth = (found["number"] or "").casefold(), (found["nth"] or "").casefold()
    number = ORDINALS.index(nth) + 1 if nth else NUMBER_WORDS.get(words, words)
    if what in EVENINGS:
        title = [quote(found["title"])] if found["title"] else []
        line = " ".join([verb, *title, f"number={number}"])
    else:
        line = ", ".join([f"{verb} {number}", *([found["title"]] if found["title"] else [])])
        if found["does"]:
            return tokenize(line)
    offer = nearest_lines(phrase.context, "Does it begin?", [line, note_line(phrase.line)])
    return offer if len(offer.choices) > 1 else None


def _ends_of_a_turn(phrase: LinePhrase) -> Iterator[str]:
    """The lines that end the turn of whoever's it is, where the last word says that too: `done`."""
    context, turn = phrase.context, phrase.context.system.whose_turn(phrase.context.state)
    if turn in context.own():
        yield from (f"{verb_name(kind)} {quote(turn)}" for kind in kinds_called(context.system.key, phrase.bare[-1]))


def dated_session(phrase: LinePhrase) -> Ambiguous | None:
    """`session open The crypt 2024-05-01`: the line of that day, and the date as part of the title; None: no date."""
    line, last = phrase.line, phrase.line.words[-1]
    if (
        line.words[-2].text.startswith("--")
        or last.quoted
        or re.fullmatch(r"\d{4}-\d\d-\d\d", last.text) is None
        or len(line.words) < phrase.at + 2
    ):
        return None
    verb, title = verb_name(SessionOpen), line.rest(phrase.at, len(line.words) - 1)
    whole = f"{title.strip(chr(34))} {last.text}"
    lines = [f"{verb} {title} --when {last.text}", f"{verb} {quote(whole, always=True)}"]
    return nearest_lines(phrase.context, f"Is {last.text} the day, or part of the title?", lines)


def newcomer_or_player(phrase: LinePhrase) -> Ambiguous | None:
    """The lines that say who plays whom, and the note; None: nobody joins."""
    joins = list(_joins(_plain(phrase.line), phrase.context))
    offer = nearest_lines(phrase.context, "Who joins?", [*joins, note_line(phrase.line)]) if joins else None
    return offer if offer is not None and len(offer.choices) > 1 else None


def _plain(line: Line) -> str:
    return line.text.strip(" .!").replace("’", "'")


def _joins(text: str, context: Context) -> Iterator[str]:
    """The lines that enrol somebody, or say who plays somebody who is enrolled already."""
    kinds = (kind for kind in context.system.actions if any(field.names == NEW for field in fields_of(kind)))
    enrol = next(kinds, None)
    if enrol is None:
        return
    text = PLAYS_THEM.sub(r", played by \1", text)
    if (playing := PLAYING.fullmatch(text)) is not None:
        title = TITLED.fullmatch(playing["rest"])
        name, sign, more = (playing["rest"], "", "") if title is not None else playing["rest"].partition(",")
        short = name if title is None else title["name"]
        player = f"player={quote(playing['player'])}"
        if (level := OF_A_LEVEL.fullmatch(playing["rest"])) is not None:
            yield f"{verb_name(enrol)} {quote(playing['player'])} level={level['level']}"
            return
        if (kind := A_KIND.fullmatch(PLAYER.sub(r" player=\1", playing["rest"]))) is not None:
            line = " ".join(filter(None, [verb_name(enrol), quote(playing["player"]), kind["of"], kind["more"]]))
            if can_be_read(context, tokenize(line)):
                yield line
                return
            if kind["more"].istitle():  # `karl plays the brute Hob`
                yield " ".join([verb_name(enrol), quote(kind["more"]), kind["of"], player])
        if (turn := _enrolment_of(short, enrol, context)) is not None:
            yield f"T{turn} {player}"
            return
        yield " ".join([verb_name(enrol), quote(name.strip()), player, *([more.strip()] if sign else [])])
        if title is not None:
            yield " ".join([verb_name(enrol), quote(short), title["of"], player])
    elif (joining := JOINING.fullmatch(text) or PLAYED.fullmatch(text)) is not None:
        name, more = joining["name"], (joining["more"] or "").strip(" ,")
        title = TITLED.fullmatch(name)
        turn = _enrolment_of(name if title is None else title["name"], enrol, context)
        if turn is not None and (played := PLAYER.fullmatch(more)) is not None:
            yield f"T{turn} player={quote(played[1])}"
        if turn is None:
            more = re.sub(r"^at (?=\S)", "", more, flags=re.IGNORECASE)
            more = PLAYER.sub(r" player=\1", more).strip()
            more = " ".join(re.sub(r",| and (?=\S+ \d)", " ", more).split())
            yield " ".join([verb_name(enrol), quote(name), *([more] if more else [])])
            if title is not None:
                yield " ".join([verb_name(enrol), quote(title["name"]), title["of"], *([more] if more else [])])


def _enrolment_of(name: str, enrol: type[Action], context: Context) -> int | None:
    """The turn that enrolled a character of this name; None: nobody is called so."""
    for number, action in standing_actions(context) if key_of(name) in map(key_of, context.state.characters) else ():
        if type(action) is enrol and key_of(getattr(action, "character", "")) == key_of(name):
            return number
    return None


def newcomer_on_the_other_side(phrase: LinePhrase) -> Ambiguous | None:
    """`a wolf appears`, `two skeletons attack us`: the line that adds such a foe, and the note; None: none can be."""
    context, arrival = phrase.context, COMING_UP.fullmatch(_plain(phrase.line))
    if arrival is None:
        return None
    kinds = context.system.actions
    added_by = {field.added_by for kind in kinds for field in fields_of(kind)}
    name = arrival["name"] if arrival["count"] is None else _numbered(capitalised(singular(arrival["name"])), context)
    lines = [f"{verb_name(kind)} {quote(name)} foe" for kind in kinds if adds_foes(kind)]
    lines += [f"{verb_name(kind)} {quote(name)}" for kind in kinds if tag_of(kind) in added_by]
    offer = nearest_lines(context, "Who joins?", lines)
    lines += [text for text in _begins(phrase) if not _is_so_already(text, context)]
    return nearest_lines(context, "Who joins?", [*lines, note_line(phrase.line)]) if offer.choices else None


def _is_so_already(text: str, context: Context) -> bool:
    """Whether a line begins the scene that the table is in: whoever comes up joins it."""
    verb, value = text.split()
    return getattr(context.state.table, verb, None) == value


def _numbered(name: str, context: Context) -> str:
    """The name with the first number that nobody has yet: `Bandit 2` beside Bandit 1."""
    listed = (
        other
        for kind in context.system.actions
        for field in fields_of(kind)
        if field.added_by is not None
        for other in context.system.proposals(context.state, kind, field.key, None) or ()
    )
    names_there = {key_of(other) for other in (*context.state.characters, *listed)}
    return next(text for text in (f"{name} {number}" for number in count(1)) if key_of(text) not in names_there)


def scene(phrase: LinePhrase) -> Ambiguous | None:
    """The lines that begin what a word announces; None: it announces nothing."""
    begins = list(_begins(phrase))
    question = "What comes next?" if _ends(phrase) else "Does it begin now?"
    return nearest_lines(phrase.context, question, [*begins, note_line(phrase.line)]) if begins else None


def _ends(phrase: LinePhrase) -> bool:
    """Whether what a phrase announces is over: `the fight is over`."""
    return not ENDING.isdisjoint(phrase.bare)


def _begins(phrase: LinePhrase) -> Iterator[str]:
    """The lines that begin what a word of a phrase announces, where it names nobody."""
    line, context = phrase.line, phrase.context
    if any(somebody_meant(line.words, at, context) for at in range(len(line.words))):
        return
    for kind in context.system.actions:
        fields = [field for field in fields_of(kind) if field.required]
        if len(fields) == 1 and (announces := fields[0].kind.announced_by):
            values = dict.fromkeys(announces[word] for word in phrase.bare if word in announces)
            if values and _ends(phrase):
                values = dict.fromkeys(value for value in fields[0].kind.offered_choices if value not in values)
            yield from (f"{verb_name(kind)} {value}" for value in values)
