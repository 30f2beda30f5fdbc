"""The text of `help` at the table: how a line is typed, and the verbs with their short names."""

from cli.line.verbs import verbs_of
from cli.table.questions import QUESTIONS
from cli.table.surface import Surface
from cli.terminal.screen import Screen, Span
from domain.system.extensions import Reader
from domain.system.rulesystem import RuleSystem
from domain.turn import Action

#: What each key of the screen does.
KEYS = (
    ("Enter", "does a finished line; asks for what is missing; on the empty line lists what can be done"),
    ("Tab, ↑ ↓", "choose what may stand next; Enter or Space takes it; Shift-Tab goes back"),
    ("Esc", "goes back one step, then leaves"),
    ("?", "shows this; behind a verb, its help"),
    ("Ctrl-P, Ctrl-R", "what can be done, from anywhere; search the lines typed before"),
    ("↑ ↓, Tab", "on the empty line: lines typed before; the turns, where Enter opens the menu of one"),
    ("PgUp, PgDn", "look back, and forward again; scroll what is read"),
    ("F2, F3, Ctrl-D", "hide what is typed; a sheet, then the next one; leave the table"),
)
#: The first lines of help: forms of lines that every campaign has beside its verbs.
HOW_TO_TYPE = (
    "A line is a verb, who, values, words: VERB NAME 4 what it was. Beginnings of words will do.",
    "u undoes the latest line, r restores it, n TEXT writes a note, why NAME shows where a value comes from.",
    "T12 shows a turn, T12 amount=2 amends it, amend 2 the latest; LINE after T12 is a late entry.",
)


def key_lines(surface: Surface) -> tuple[str, ...]:
    """What the keys do, laid out for the surface."""
    page = surface.page()
    screen = Screen("auto", page)
    across = max(len(keys) for keys, _ in KEYS) + 2
    for keys, does in KEYS:
        screen.line(Span(f"{keys:<{across}}", "bold"), does, indent=across)
    screen.line()
    screen.flush()
    return tuple(page.getvalue().splitlines())


def help_lines(surface: Surface, system: RuleSystem) -> tuple[str, ...]:
    """The lines of help for a rule system, laid out for the surface."""
    page = surface.page()
    screen = Screen("auto", page)
    by_kind: dict[type[Action], list[str]] = {}
    summaries: dict[type[Action], str] = {}
    for verb in verbs_of(system.key):
        by_kind.setdefault(verb.kind, []).append(verb.name)
        summaries.setdefault(verb.kind, verb.help)
    for row in HOW_TO_TYPE:
        screen.line(row, indent=2)
    lookups = (lookup.verb for lookup in system.lookups)
    screen.line(f"Questions: {', '.join((*QUESTIONS, *lookups))}.", indent=2)
    screen.line("help VERB explains one: its fields, and examples.", indent=2)
    if readers := [_command_of(reader) for reader in system.readers]:
        screen.line(f"Files are read by the shell: {', '.join(readers)}.", indent=2)
    screen.line()
    across = max(map(len, (names[0] for names in by_kind.values()))) + 2
    for kind, names in by_kind.items():
        short = " ".join(name for name in names[1:] if len(name) < len(names[0]))
        line = (Span(f"{names[0]:<{across}}", "bold"), f"{short:<6} ", summaries[kind])
        screen.line(*line, indent=across + 7)
    screen.flush()
    return tuple(page.getvalue().splitlines())


def _command_of(reader: Reader) -> str:
    return f"campaign {reader.verb}{f' --{reader.option}' if reader.option else ''} FILE"
