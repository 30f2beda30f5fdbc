"""Whether the log is what was written.

Every page and table, every turn against its link, every turn decided again, the seals that somebody wrote down, and
what was last seen of it here. It cannot find what was false when it was typed, who typed it, or a change after the
last seal that anybody else holds.

Examples:
  campaign verify
  campaign verify --quick
"""

from typing import Annotated

from cli.shell.command_context import opened
from cli.shell.declaration import OptionSpec
from cli.shell.ending import Ended
from cli.shell.failures import DAMAGED
from cli.shell.reading import ReadOptions, reads
from cli.shell.viewing import view_differs
from cli.terminal.progress import progress
from cli.terminal.screen import Span
from domain.log.hash_chain import seal_from, sealed
from domain.system.installed import is_installed


@reads(without=("at", "as_", "output"))
def verify(
    asked: ReadOptions,
    quick: Annotated[bool, OptionSpec("--quick", help="Links and seals alone.", show_default=False)] = False,
    seal: Annotated[
        list[str] | None,
        OptionSpec("--seal", metavar="SEAL", help='Hold this against it, like "T86 QK3F-…".', show_default=False),
    ] = None,
    accept: Annotated[
        bool, OptionSpec("--accept", help="Take the log as it is now from here on.", show_default=False)
    ] = False,
) -> None:
    from cli.shell import last_seen_store
    from cli.store.checking import verified

    screen = asked.screen
    seals = [seal_from(text) for text in seal or ()]
    with opened(asked.campaign, write=accept, whatever=True, ruled=accept) as (log, system):
        with progress(log.last(), "turns decided again") as one_more:
            here = list(verified(log, seals, quick=quick, progress=one_more))
        # what is gone leaves no link behind that would have to be made anew
        findings = [*last_seen_store.gone_from_any(log), *here]
        decided = not quick and is_installed(log.rules)
        if decided and not any(each.kind == "damage" for each in findings):
            findings += view_differs(log, system)
        damage = [each for each in findings if each.kind == "damage"]
        last = log.last()
        if accept:
            if log.is_linked and any(each.kind == "damage" for each in here):
                log.relink()
            last_seen_store.accept(log)
        whole = None if damage and not accept else str(sealed(last, log.link(last)))
    if asked.as_json:
        told = [{"turn": each.turn, "kind": each.kind, "sentence": each.sentence} for each in findings]
        screen.json({"turns": last, "seal": whole, "findings": told, "accepted": accept})
    else:
        for each in findings:
            screen.line(Span(each.sentence, "red" if each.kind == "damage" else "yellow"))
        how = "fits its link and follows from what was done" if decided else "fits its link"
        if not damage:
            screen.line(f"Every turn {how}, T1 to T{last}. Seal: {whole}")
        elif accept:
            screen.line(f"Accepted as it is now. Seal: {whole}")
    screen.flush()
    if damage and not accept:
        raise Ended(DAMAGED)
