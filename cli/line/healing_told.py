"""Healing as people tell it where no verb is for it: `agnes cures fingers 3`, `brog drinks a potion, 3 hp`."""

from cli.line.errors import Ambiguous
from cli.line.spoken import no_healing
from cli.line.table import behind_unit, vital_units
from cli.line.unkept import NOW
from cli.line.values import Context, number_of, people_at, somebody_meant
from cli.line.words import Line, quoted, typed

#: What begins a word for getting points back, and what stands beside a number of them.
GIVING_BACK = ("bandag", "cure", "curing", "heal", "mend", "patch", "recover", "regain", "restor", "reviv")
GIVEN_BACK = frozenset(("back", "potion", "potions"))
#: What stands before a number, and says nothing of it.
BEFORE = frozenset(("for", "by", "gets", "gains", "and"))


def healing_told(line: Line, context: Context) -> Ambiguous | None:
    """What gives so many points back to whoever is named last, as the lines nearest to it; None: nothing does."""
    harm = next((kind for kind in context.system.actions if kind.sign == "-"), None)
    if harm is None or any(kind.sign == "+" for kind in context.system.actions):
        return None
    words = [word.text.casefold().strip(",.!;") for word in line.words]
    if NOW & set(words) or words[0].startswith(GIVING_BACK):
        return None
    numbers, names, here = list[tuple[int, int]](), list[str](), 0
    while here < len(words):
        found = people_at(line.words, here, context) if somebody_meant(line.words, here, context) else None
        if found is not None:
            names += found[0] if len(found[0]) == 1 and words[here - 1 : here] not in (["by"], ["from"]) else ()
            here = found[1]
            continue
        if number_of(words[here]) is not None and not line.words[here].quoted:
            numbers.append((here, int(number_of(words[here]) or 0)))
        here += 1
    if len(numbers) != 1 or not names or numbers[0][1] < 1:
        return None
    place, points = numbers[0]
    behind = behind_unit(line.words, place + 1, vital_units(context.system, harm))
    heals = any(word.startswith(GIVING_BACK) or word in GIVEN_BACK for word in words)
    if not heals and behind == place + 1:
        return None
    begins = place - (words[place - 1] in BEFORE)
    told = [*line.words[:begins], *line.words[behind:]]
    why = " ".join(word.text.rstrip(",.") for word in told if word.text.casefold() != "back")
    is_name = people_at(typed(why).words, 0, context) if len(told) < 2 else None
    healing = no_healing(context, quoted(names[-1]), points, "healed" if is_name or not why else why)
    return healing if isinstance(healing, Ambiguous) else None
