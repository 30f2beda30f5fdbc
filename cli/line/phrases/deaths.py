"""Deaths as people tell them: `brog kills the goblin`, `rat 1 dies`, `the ogre is dead`.

So is what the log's own list keeps of a foe: that it is gone, or how much it has left.

No rules take a life at a word: what is offered is the loss of all that a foe has left, or the end that the rules have
for one of our side.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from cli.line.action_roles import harm_of
from cli.line.errors import Ambiguous, Misread, Unclear
from cli.line.offers import WHICH, nearest_lines, note_line
from cli.line.phrase import LinePhrase
from cli.line.phrases.blow_words import target_at
from cli.line.phrases.turn_references import standing_turns
from cli.line.values import Context, names_between, number_of, numbered, title_behind_article
from cli.line.verbs import parts_of
from cli.line.vocabulary import ARTICLES, BEING, DEAD, DYING, FROM, KILLING, OBJECT_PRONOUNS, OWNING, STOPS
from cli.line.words import Line, quote, with_words, words_between
from domain.naming import called, key_of, listed
from domain.registry import tag_of, verb_name
from domain.system.field_schema import Field, fields_of
from domain.turn import Action

#: The word under which a choice of the rules is an end.
DIES = "dies"
#: What the verb of an end begins with.
DIE = "die"
#: So many of the latest turns are searched for what was attacked, and so much of it is offered.
TURNS_SEARCHED, MOST_THINGS = 50, 3


def death(phrase: LinePhrase) -> Ambiguous | None:
    """The lines that a death may mean, and the note; None: the phrase tells of no death of anybody who is there."""
    line, context, last = phrase.line, phrase.context, phrase.behind_people
    words = [word.text.casefold().rstrip(",.!") for word in line.words]
    who: str = ""
    if words[last] in KILLING:
        target = target_at(line, last + 1 + (words[last + 1 : last + 2] == ["off"]), context)
        who = _by(names_between(line, 0, last, context))
    else:
        behind = last + 1 + (words[last] in BEING)
        if words[behind - 1] not in (DEAD if words[last] in BEING else DYING):
            return None
        if any(number_of(word) is not None for word in words[behind:]):
            return None  # `is down to 3 hp`
        target = (0, last)
        if behind + 1 < len(words) and words[behind] in FROM:
            who = line.rest(behind + 1, len(words))
            striker = target_at(line, behind + 1, context)
            who = _by(names_between(line, *striker, context)) if striker and striker[1] == len(words) else who
    if target is None:
        return None
    lines = _ends(names_between(line, *target, context), who, context)
    return nearest_lines(context, "Who dies, and of what?", [*lines, note_line(line)])


def _by(names: list[str]) -> str:
    """Those who kill, as a source."""
    return listed(map(called, names)) if names else ""


def _ends(names: list[str], who: str, context: Context) -> Iterator[str]:
    """The line that takes all that foes have left, and of one of our side what the rules call dying."""
    system, state, harm = context.system, context.state, harm_of(context)
    vital = system.vital[0]
    remaining = {name: getattr(state.characters[name], vital, None) for name in names if system.is_foe(state, name)}
    if harm is not None and remaining and all(isinstance(points, int) and points > 0 for points in remaining.values()):
        everybody = tuple(state.characters)
        losses = [f"{quote(name, always=numbered(name, everybody))} {points}" for name, points in remaining.items()]
        yield " ".join([verb_name(harm), *losses, *([who] if who else [])])
    for name in names:
        if name in remaining:
            continue
        for kind in system.actions:
            needs = [field for field in fields_of(kind) if field.required]
            if len(needs) == 2 and needs[0].names == "character" and DIES in needs[1].kind.also_said:
                yield f"{verb_name(kind)} {quote(name)} {needs[1].kind.also_said[DIES]}"
            if len(needs) == 1 and needs[0].names == "character" and parts_of(verb_name(kind))[0] == DIE:
                yield f"{verb_name(kind)} {quote(name)}"


def it_of_a_thing(phrase: LinePhrase) -> Misread | None:
    """`brann killed it`: the lines of what was attacked last and is not dead; None: it is called by its own name.

    Misread where nothing was attacked yet.
    """
    result = phrase.result
    assert result is not None
    line, words, remark = result.clause.line, result.best.words, result.clause.grammar.remark
    if remark is None or not remark.thing or words is None or phrase.verb is None:
        return None
    word = line.rest(words.start, words.end).casefold().strip(STOPS).removesuffix(" one")
    if word not in OBJECT_PRONOUNS or line.words[words.start].quoted:
        return None
    things = latest_things(phrase.context)
    lines = [with_words(line, words.start, words.end, quote(name)) for name in things]
    offer = nearest_lines(phrase.context, f"What is {word!r}?", lines)
    like = with_words(line, words.start, words.end, "guard")
    return offer if offer.choices else Misread(f"Nothing was attacked yet; say what {word!r} is, like {like}.", 0)


def latest_things(context: Context) -> list[str]:
    """What the latest turns name that had no more than a name, the latest first, without what was killed since."""
    return list(islice(_things_of_turns(context), MOST_THINGS))


def _things_of_turns(context: Context) -> Iterator[str]:
    found = set[str]()
    for turn in islice(standing_turns(context), TURNS_SEARCHED):
        thing = next((field for field in fields_of(type(turn.action)) if field.thing), None)
        name = getattr(turn.action, thing.name) if thing is not None else None
        if name and key_of(name) not in found:
            found.add(key_of(name))
            if verb_name(type(turn.action)) not in KILLING:
                yield name


def end_of_the_listed(phrase: LinePhrase) -> Ambiguous | None:
    """The lines that take away whom the log lists, where a word says that they are at an end; None: none does."""
    ends = list(_lines_of_the_gone(phrase))
    question = "Is it gone?" if len(ends) == 1 else "Which one is gone?"
    return nearest_lines(phrase.context, question, [*ends, note_line(phrase.line)]) if ends else None


def figure_of_the_listed(phrase: LinePhrase) -> Ambiguous | None:
    """`the bandit has 4 stamina`: the line that says how much a foe on the log's list has, and the note.

    None: it tells of nobody who may be on a list.
    """
    line, context = phrase.line, phrase.context
    owns = next(at for at, word in enumerate(phrase.bare) if word in OWNING)
    numbers = [number for word in phrase.bare[owns:] if (number := number_of(word)) is not None]
    if not owns or len(numbers) != 1 or phrase.behind_people:
        return None
    lines = list[str]()
    for kind in context.system.actions:
        keeps = any(field.in_order and field.key in phrase.bare[owns:] for field in fields_of(kind))
        listing = _list_of_the_log(kind, context) if keeps else None
        if listing is not None:
            begins = 1 if phrase.bare[0] in ARTICLES and owns > 1 else 0
            names = _names_on_the_list(line, listing) or (words_between(line, begins, owns),)
            lines += [f"{verb_name(kind)} {quote(name, always=name in listing)} {numbers[0]}" for name in names]
    return nearest_lines(context, WHICH, [*lines, note_line(line)]) if lines else None


def _lines_of_the_gone(phrase: LinePhrase) -> Iterator[str]:
    """The lines that take off the log's own list whom the phrase names."""
    line, context = phrase.line, phrase.context
    for kind in context.system.actions:
        flags = [field for field in fields_of(kind) if not set(field.hinted_by).isdisjoint(phrase.bare)]
        listing = (_list_of_the_log(kind, context) or ()) if flags else ()
        for name in _names_on_the_list(line, listing) if listing else ():
            yield f"{verb_name(kind)} {quote(name)} {flags[0].key}"


def _list_of_the_log(kind: type[Action], context: Context) -> Sequence[str] | None:
    """Those whom the log lists because this action added them; None: it adds nobody to a list."""
    fields: Iterator[tuple[type[Action], Field]] = (
        (other, field) for other in context.system.actions for field in fields_of(other)
    )
    pair = next(((other, field) for other, field in fields if field.added_by == tag_of(kind)), None)
    return None if pair is None else context.system.proposals(context.state, pair[0], pair[1].key, None) or ()


def _names_on_the_list(line: Line, listing: Sequence[str]) -> Sequence[str]:
    """Those of a list whom a line names: one, or all whom the word may mean."""
    for at, word in enumerate(line.words):
        if word.text.casefold() in ARTICLES and at + 1 < len(line.words):
            continue  # it is looked at with what stands behind it
        try:
            title = title_behind_article(line.words, at, listing)
        except Unclear as error:
            return error.candidates
        if title is not None:
            return (title[0],)
    return ()
