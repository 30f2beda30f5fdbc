"""The page played and attacked: `uv run python -m tests.campaigns.phones --hostile 100000 --evenings 5 --seed 1`.

Each example is played from phones to its own sheets, with every tenth answer lost and its tap sent again; and requests
that no phone sends change nothing, are answered with a sentence, and tell nothing of the program. Prints its seed and
its counts.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from random import Random

from cli.shell.desk import opened
from cli.shell.examples import examples
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.kit.evenings import Evening, recorded
from tests.kit.hostile import attacked
from tests.kit.on_disk import scribe_of
from tests.kit.phones import served
from tests.kit.shell import Shell, shell_elsewhere


def evenings(folder: Path, seed: int) -> bool:
    """Play each example from phones; whether all came to the same sheets."""
    folder.mkdir()
    all_same = True
    for name in sorted(examples()):
        evening = Evening(name, folder, Random(seed), losing=0.1)
        same = evening.play() == recorded(name)
        told = "the same sheets" if same else "other sheets"
        print(
            f"{name}: seed {seed}, {evening.by_players} taps by players, {evening.lost} sent again, {told}", flush=True
        )
        all_same = all_same and same
    return all_same


def hostile(shell: Shell, count: int, seed: int) -> bool:
    """Send what no phone sends; whether nothing was found."""
    shell.do("new Crypt --rules osr", "osr enrol Brog --player Mia --level 2 --rolled 5,6", "osr enrol Ada --player Jo")
    with opened(None, write=True) as (log, system), served(log, system, scribe_of(log)) as table:
        counts, found = attacked(table, Random(seed), count)
    answers = ", ".join(f"{status}: {many:,}" for status, many in sorted(counts.items()))
    print(f"hostile: seed {seed}, {count:,} requests ({answers}), {len(found)} findings", flush=True)
    for each in found[:20]:
        print(f"  {each}")
    return not found


def main(arguments: Sequence[str] | None = None) -> None:
    """Play and attack. Exits with 1 where something was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--evenings", type=int, default=1)
    parser.add_argument("--hostile", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    with shell_elsewhere() as shell:
        seeds = range(given.seed, given.seed + given.evenings)
        played = [evenings(shell.folder / str(seed), seed) for seed in seeds]
        sound = hostile(shell, given.hostile, given.seed) and all(played)
    if not sound:
        raise SystemExit(1)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
