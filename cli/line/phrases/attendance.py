"""Who is at the table, as people tell it: `tom is absent`, `fingers is back`, `hilda leaves early`."""

from cli.line.errors import Ambiguous
from cli.line.offers import nearest_lines, note_line
from cli.line.phrase import LinePhrase
from cli.line.values import names_between
from cli.line.vocabulary import ABSENT, BACK, BEING, LEAVING, RETURNING, TONIGHT
from cli.line.words import Line, quote, rest_of, tokenize
from domain.common.presence import Absence
from domain.registry import verb_name

#: What is said of somebody has so many words at most.
LONGEST_PHRASE = 3


def attendance(phrase: LinePhrase) -> Line | Ambiguous | None:
    """The line that notes who is not here, or who is back; None: it tells of no such thing.

    Ambiguous where it may be a part of the story.
    """
    line, context, last = phrase.line, phrase.context, phrase.behind_people
    names = [name for name in names_between(line, 0, last, context) if not context.system.is_foe(context.state, name)]
    being = line.words[last].text.casefold() in BEING
    first = last + being
    away = _behind(line, first, ABSENT) if being else 0
    leaves = _behind(line, last, LEAVING) if not away else 0
    away = away or leaves
    behind = away or _behind(line, first, BACK if being else RETURNING)
    ends = behind == len(line.words)
    if not {"feet", "up"}.isdisjoint(phrase.bare):
        return None  # `is back on his feet`
    if not names or not behind or not ((being and not leaves) or ends):
        return None
    here = [] if away else ["here=yes"]
    lines = [" ".join([verb_name(Absence), quote(",".join(names)), *here, *rest_of(line, behind)])]
    returns = not away and all(context.state.characters[name].away == "absent" for name in names)
    plain = (being and not leaves) or returns
    if plain and (ends or line.words[behind - 1].text.endswith(",")):
        return tokenize(lines[0])
    return nearest_lines(context, "Is it about who is here tonight?", [*lines, note_line(line)])


def _behind(line: Line, first: int, phrases: tuple[str, ...]) -> int:
    """The place behind one of these at a place, and behind what only says that it is now; 0: none is there."""
    for beyond in range(min(first + LONGEST_PHRASE, len(line.words)), first, -1):
        words = [word.text.casefold().rstrip(",.!") for word in line.words[first:beyond]]
        if " ".join(words) in phrases:
            while beyond < len(line.words) and line.words[beyond].text.casefold().rstrip(",.!") in TONIGHT:
                beyond += 1
            return beyond
    return 0
