"""Deaths as people tell them: `brog kills the goblin`, `rat 1 dies`, `the ogre is dead`.

No rules take a life at a word: what is offered is the loss of all that a foe has left, or the end that the rules have
for one of our side.
"""

from collections.abc import Iterator

from cli.line.blows import BEING, FROM, harm_of, target_at
from cli.line.errors import Ambiguous
from cli.line.offering import nearest_lines, noted
from cli.line.spoken import people_first
from cli.line.values import Context, names_between, numbered
from cli.line.verbs import parts_of, verb_name
from cli.line.words import Line, quoted, written
from domain.system.field_schema import fields_of

#: What whoever kills does, and what becomes of whoever is killed, by itself and behind `is`.
KILLING = frozenset(("kill", "kills", "killed", "slays", "slew", "murders", "murdered", "finishes", "beheads"))
DYING = frozenset(("die", "dies", "died", "perishes"))
DEAD = frozenset(("dead", "killed", "slain", "down"))
#: The word under which a choice of the rules is an end.
DIES = "dies"
#: What the verb of an end begins with.
DIE = "die"


def death_told(line: Line, context: Context) -> Ambiguous | None:
    """The lines that a death may mean, and the note; None: the line tells of no death of anybody who is there."""
    last = people_first(line, context)
    words = [word.text.casefold().rstrip(",.!") for word in line.words]
    if not 0 < last < len(words):
        return None
    who: str = ""
    if words[last] in KILLING:
        target = target_at(line, last + 1 + (words[last + 1 : last + 2] == ["off"]), context)
        who = " ".join(written(line, at) for at in range(last))
    else:
        behind = last + 1 + (words[last] in BEING)
        if words[behind - 1] not in (DEAD if words[last] in BEING else DYING):
            return None
        target = (0, last)
        if words[behind : behind + 1] and words[behind] in FROM:
            who = " ".join(written(line, at) for at in range(behind + 1, len(words)))
    if target is None:
        return None
    lines = _ends(names_between(line, *target, context), who, context)
    return nearest_lines(context, "Who dies, and of what?", [*lines, noted(line)])


def _ends(names: list[str], who: str, context: Context) -> Iterator[str]:
    """The line that takes all that foes have left, and of one of our side what the rules call dying."""
    system, state, harm = context.system, context.state, harm_of(context)
    vital = system.vital[0]
    left = {name: getattr(state.characters[name], vital, None) for name in names if system.is_foe(state, name)}
    if harm is not None and left and all(isinstance(points, int) and points > 0 for points in left.values()):
        known = tuple(state.characters)
        each = [f"{quoted(name, always=numbered(name, known))} {points}" for name, points in left.items()]
        yield " ".join([verb_name(harm), *each, *([who] if who else [])])
    for name in names:
        if name in left:
            continue
        for kind in system.actions:
            needed = [field for field in fields_of(kind) if field.required]
            if len(needed) == 2 and needed[0].names == "character" and DIES in needed[1].kind.also_said:
                yield f"{verb_name(kind)} {quoted(name)} {needed[1].kind.also_said[DIES]}"
            if len(needed) == 1 and needed[0].names == "character" and parts_of(verb_name(kind))[0] == DIE:
                yield f"{verb_name(kind)} {quoted(name)}"
