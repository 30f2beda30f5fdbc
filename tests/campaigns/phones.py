"""The page played and attacked: `uv run python -m tests.campaigns.phones --hostile 100000 --evenings 5 --seed 1`.

Each example is played from phones to its own sheets, with every tenth answer lost and its tap sent again; and requests
that no phone sends change nothing, are answered with a sentence, and tell nothing of the program. Prints its seed and
its counts.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

from cli.shell.command_context import open_chosen
from cli.shell.examples import examples
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.kit.evenings import Evening, recorded
from tests.kit.hostile import attacked, attacks
from tests.kit.on_disk import handler_of
from tests.kit.phones import served
from tests.kit.served_twins import attacks_compared
from tests.kit.shell import Shell, shell_elsewhere
from tests.kit.subjects import secretive

#: Requests at one pair of tables.
AT_A_TABLE = 200


def evenings(folder: Path, seed: int) -> bool:
    """Play each example from phones; whether all came to the same sheets."""
    folder.mkdir()
    all_same = True
    for name in sorted(examples()):
        evening = Evening(name, folder, Random(seed), losing=0.1)
        same = evening.play() == recorded(name)
        sheets = "the same sheets" if same else "other sheets"
        print(
            f"{name}: seed {seed}, {evening.by_players} taps by players, {evening.lost} sent again, {sheets}",
            flush=True,
        )
        all_same = all_same and same
    return all_same


def hostile(shell: Shell, count: int, seed: int) -> bool:
    """Send what no phone sends, a third of it at tables that differ in a secret alone; whether nothing was found."""
    chance, counts, faults = Random(seed), Counter[int](), list[str]()
    shell.do("new Crypt --rules osr", "osr enrol Brog --player Mia --level 2 --rolled 5,6", "osr enrol Ada --player Jo")
    at_twins, apart = count // (3 * len(secretive())), 0
    with open_chosen(None, write=True) as (log, system), served(log, system, handler_of(log)) as table:
        tries = list(attacks(chance, count - at_twins * len(secretive())))
        for reply, wrong in attacked(table, tries, "Mia", ("Ada",)):
            counts[reply.status] += 1
            faults += [wrong] if wrong else []
    for subject in secretive():
        attacks_left = at_twins
        while attacks_left > 0:
            for attack, same, wrong in attacks_compared(shell, chance, subject, min(attacks_left, AT_A_TABLE)):
                faults += [wrong] if wrong else []
                if not same:
                    apart += 1
                    faults.append(f"{subject}: {attack} tells the two apart")
                attacks_left -= 1
    answers = ", ".join(f"{status}: {times:,}" for status, times in sorted(counts.items()))
    print(f"hostile: seed {seed}, {count:,} requests ({answers}), {at_twins * len(secretive()):,} more of them at two "
          f"tables that differ in a secret alone, which {apart} told apart; {len(faults)} findings",
          flush=True)  # fmt: skip
    for fault in faults[:20]:
        print(f"  {fault}")
    return not faults


def main(arguments: Sequence[str] | None = None) -> None:
    """Play and attack. Exits with 1 where something was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--evenings", type=int, default=1)
    parser.add_argument("--hostile", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    with shell_elsewhere() as shell:
        seeds = range(options.seed, options.seed + options.evenings)
        results = [evenings(shell.folder / str(seed), seed) for seed in seeds]
        sound = hostile(shell, options.hostile, options.seed) and all(results)
    if not sound:
        raise SystemExit(1)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
