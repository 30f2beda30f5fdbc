"""What is behind each turn of the chronicle, for `campaign log --with-why`."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from msgspec import Struct

from cli.shell.viewing import viewing
from cli.store.stored_log import StoredLog
from cli.terminal.screen import Span
from cli.terminal.turn_context import chance_lines, ruling_line
from domain.system.rulesystem import RuleSystem
from projections.chronicle import Entry
from projections.views.turn_context import Rolls, RulingThen, rolls_of, rulings_then


class Background(Struct, frozen=True):
    """What is behind a turn: the paragraphs that it cites, the rulings on them, its dice and cards."""

    rules: tuple[str, ...]
    rulings: tuple[RulingThen, ...]
    chance: tuple[Rolls, ...]

    def sentences(self, system: RuleSystem) -> dict[str, Sequence[str]]:
        """The same by field as people read it: a sentence for each ruling, and for each purpose of dice and cards."""
        rulings = [ruling_line(system, ruling) for ruling in self.rulings]
        return {"rules": self.rules, "rulings": rulings, "chance": chance_lines(self.chance)}

    def lines(self, system: RuleSystem) -> Iterator[Span]:
        """A line for the paragraphs, for each purpose of dice and cards, and for each ruling."""
        sentences = self.sentences(system)
        yield from (Span(text, "dim") for text in filter(None, (", ".join(sentences["rules"]), *sentences["chance"])))
        yield from (Span(text, "yellow") for text in sentences["rulings"])


BackgroundOf = Callable[[Entry], Background]


@contextmanager
def backgrounds(log: StoredLog, system: RuleSystem, upto: int) -> Iterator[BackgroundOf]:
    """Yield what finds the background of an entry as of turn `upto`, and of entries that are recorded meanwhile.

    Rulings, dice and cards around a turn are nobody's secret.
    """
    with ExitStack() as stack:
        view, last = stack.enter_context(viewing(log, system, upto)), upto

        def background_of(entry: Entry) -> Background:
            nonlocal view, last
            if entry.turn > last:
                stack.close()
                view, last = stack.enter_context(viewing(log, system)), log.last()
            citing = (entry.turn, entry.rules)
            return Background(
                entry.rules, rulings_then(view, system, [citing])[citing], tuple(rolls_of(view, entry.turn))
            )

        yield background_of
