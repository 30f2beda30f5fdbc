"""What the table costs while people play: `uv run python -m tests.campaigns.benchmark_table`.

A keystroke is what the screen asks for at each sign of a line: what it would do, how it may go on. An answer is the
line done, and what the screen then reads anew. Both are told as a ratio to folding one turn, and whether they come
within a frame, at a short and at a long log: they must not grow with it. Nothing here is asserted.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from cli.store.file import CampaignFile, open_campaign
from cli.table.table import OpenTable
from domain.log.effective_history import effective_history
from domain.log.folding import fold, state_at
from domain.registry import system_of
from domain.turn import Turn
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.campaigns.lived import campaign_of, keep_states, lived
from tests.kit.on_disk import handler_of

#: One picture on the screen, in milliseconds.
FRAME = 16.0
#: What is typed, sign by sign.
LINES = ("d brog 1 a rat", "rest brog ada 12", "n The torch gutters", "why brog", "T4 amount=1", "u", "redo")
#: How many turns are folded at once, to tell what one costs.
FOLDED = 200


def milliseconds(work: Callable[[], object]) -> float:
    """What this process took of the processor."""
    start = time.process_time()
    work()
    return 1000 * (time.process_time() - start)


def fold_one(log: CampaignFile, turns: Sequence[Turn]) -> Callable[[], float]:
    """Milliseconds to fold one turn at the end of a log."""
    system, effective = system_of(log.rules), effective_history(log)
    state = state_at(system, log)
    latest = list(turns[-FOLDED:])

    def measure() -> float:
        return milliseconds(lambda: fold(state.copy(), latest, effective)) / len(latest)

    return measure


def keystrokes(table: OpenTable) -> list[tuple[float, str]]:
    """Milliseconds for each sign of each line, with what was typed by then."""
    keys = []
    for line in LINES:
        for end in range(1, len(line) + 1):
            text = line[:end]

            def look(text: str = text) -> None:
                table.unseen_from(text)
                table.preview(text)
                table.guide(text, len(text))

            keys.append((milliseconds(look), text))
    return keys


def answers(table: OpenTable, count: int) -> list[float]:
    """Milliseconds for each line that is done, with all that is read anew for the screen."""
    lines = []
    for number in range(count):

        def answer(line: str = f'd brog 0 "rat {number}"') -> None:
            before = table.log.last()
            reply = table.answer(line)
            assert reply.code == 0, reply
            list(table.chronicle(before))
            table.sheets(table.handler.state())
            table.proposals.waiting()
            table.has_chosen()

        lines.append(milliseconds(answer))
    return lines


def tell(label: str, durations: Sequence[float], fold_of_one: float) -> None:
    """Print a line: the median as a ratio to folding one turn, the median and the longest, and whether they fit."""
    middle, longest = statistics.median(durations), max(durations)
    fits = "within a frame" if longest <= FRAME else f"beyond a frame of {FRAME:.0f} ms"
    print(f"{label:<52} {middle / fold_of_one:8.1f}  {middle:8.2f} ms, at most {longest:8.2f} ms  {fits}", flush=True)


def playing(folder: Path, turns: int, rounds: int) -> None:
    """A keystroke and an answer at a log of so many turns."""
    campaign = list(lived(turns))
    path = campaign_of(folder, campaign, f"table{turns}")
    with open_campaign(path, write=True) as log:
        keep_states(log, campaign)
        handler = handler_of(log)
        table = OpenTable(log, handler.system, handler, address=str(path), hints=False)
        fold_of_one = statistics.median([fold_one(log, campaign)() for _ in range(max(3, rounds))])
        keystrokes(table)
        keys = [key for _ in range(rounds) for key in keystrokes(table)]
        tell(f"a keystroke, {turns} turns : folding one", [duration for duration, _ in keys], fold_of_one)
        tell(f"a line done, {turns} turns : folding one", answers(table, 3 * rounds), fold_of_one)
        slowest: dict[str, list[float]] = {}
        for duration, text in keys:
            slowest.setdefault(text, []).append(duration)
        slowest_keys = sorted(((statistics.median(value), text) for text, value in slowest.items()), reverse=True)[:3]
        print(
            "    the slowest: " + "; ".join(f"{text!r} {duration:.2f} ms" for duration, text in slowest_keys),
            flush=True,
        )


def main(arguments: list[str] | None = None) -> None:
    """Run it all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, nargs="*", default=[1_000, 100_000])
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        for turns in options.turns:
            playing(Path(name), turns, options.rounds)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
