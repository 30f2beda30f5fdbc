"""Check the log for damage or tampering.

Check every page and table, every turn against its link, the seals you give, and what was last seen of the log here;
and decide again every turn that today's version of the rules decided. Turns of an older version are counted, and only
their links are checked. It cannot find what was false when it was typed, who typed it, or a change after the last seal
that anybody else holds.

Examples:
  campaign verify
  campaign verify --quick
  campaign verify --signers allowed_signers
"""

from pathlib import Path
from typing import Annotated

import typer
from msgspec import to_builtins

from cli.shell import last_seen_store
from cli.shell.command_context import open_chosen
from cli.shell.ending import DAMAGED, USAGE, Ended
from cli.shell.reading import ReadOptions, reads
from cli.shell.signing import check_signatures, findings_of, wrong_seals
from cli.shell.viewing import view_differs
from cli.store import checking
from cli.terminal.progress import progress
from cli.terminal.screen import Span
from domain.log.hash_chain import digits_from, seal_from, seal_of
from domain.log.port import DamagedLog
from domain.log.verifying import ON_TRUST
from domain.system.installed import is_installed


@reads(without=("at", "as_", "output"))
def verify(
    request: ReadOptions,
    quick: Annotated[bool, typer.Option("--quick", help="Check links and seals only.")] = False,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SEAL]", help="Check this seal, like T86 QK3F-…; its turn may be missing."),
    ] = None,
    seal: Annotated[
        list[str] | None, typer.Option("--seal", metavar="SEAL", help='The same; several, each like "T86 QK3F-…".')
    ] = None,
    signers: Annotated[
        Path | None,
        typer.Option("--signers", metavar="FILE", help="Name who signed, by this file of signers (as git's)."),
    ] = None,
    accept: Annotated[bool, typer.Option("--accept", help="Accept the log as it is now.")] = False,
) -> None:
    screen = request.screen
    texts = list(seal or ())
    if words:  # behind --seal they are the rest of it: --seal T86 QK3F-…
        texts[-1:] = [" ".join([*texts[-1:], *words])]
    seals = [digits_from(text) or seal_from(text) for text in texts]
    with open_chosen(request.campaign, write=accept, even_if_rewritten=True, needs_rules=accept) as (whole_log, system):
        # without what others record meanwhile: what is counted, what is checked and the seal are of one moment
        log = whole_log if accept else whole_log.as_of_now()
        decided_count = 0
        with progress(log.last(), "turns decided again") as advance:

            def one_more() -> None:
                nonlocal decided_count
                decided_count += 1
                if advance is not None:
                    advance()

            here = list(checking.findings_in(log, seals, quick=quick, progress=one_more))
        # the findings of the log itself, which --accept can mend, are in `here`
        branches_seen = last_seen_store.memory_of(log.campaign_id).seen
        missing = (last_seen_store.missing_turn(log, stream) for stream in branches_seen)
        findings = [*filter(None, missing), *here, *last_seen_store.seen_elsewhere(log)]
        findings += wrong_seals(log)
        signatures = [] if signers is None else check_signatures(log, signers)
        if signers is not None:
            findings += findings_of(log, signatures)
        is_newer = any(finding.kind == "newer" for finding in findings)
        if not (quick or is_newer or any(finding.kind == "damage" for finding in findings)) and is_installed(log.rules):
            findings += view_differs(whole_log, system)
        damage = [finding for finding in findings if finding.kind == "damage"]
        last = log.last()
        if accept:
            if log.is_linked and any(finding.kind == "damage" for finding in here):
                log.relink()
            last_seen_store.accept(log)
        whole = None if damage and not accept else str(seal_of(last, log.link(last)))
        try:
            lines = [line for _, line in log.lines() if not isinstance(line, DamagedLog)]
        except DamagedLog:  # of the list of branches, which is among the findings
            lines = []
        turns, is_linked = sum(line.last() - line.fork for line in lines), log.is_linked
    if request.as_json:
        rows = [
            {"turn": finding.turn, "kind": finding.kind, "sentence": finding.sentence, "count": finding.count}
            for finding in findings
        ]
        result = {"turns": last, "seal": whole, "findings": rows, "accepted": accept}
        screen.json(result | ({"signatures": to_builtins(signatures)} if signers is not None else {}))
    else:
        for finding in findings:
            screen.line(Span(finding.sentence, "red" if finding.kind == "damage" else "yellow"))
        if not damage:
            on_trust = sum(finding.count for finding in findings if finding.kind in ON_TRUST)
            screen.line(f"{_summary(turns, decided_count - on_trust, linked=is_linked)} Seal: {whole}")
        elif accept:
            screen.line(f"Accepted as it is now. Seal: {whole}")
    screen.flush()
    if damage and not accept:
        raise Ended(DAMAGED)
    if is_newer:
        raise Ended(USAGE)


def _summary(turns: int, decided_count: int, *, linked: bool) -> str:
    """A sentence that claims only what was checked: how many of the turns were decided again, and their links."""
    if decided_count == turns and linked:
        return f"All {turns} turns verified." if turns > 1 else "The only turn verified."
    if not linked:
        return f"{decided_count} of {turns} turns verified; none has a link yet."
    if decided_count == 0:
        return f"All {turns} turns fit their links." if turns > 1 else "The only turn fits its link."
    others = turns - decided_count
    tail = (
        "the other one is checked by its link only" if others == 1 else f"the other {others} are checked by links only"
    )
    return f"{decided_count} of {turns} turns verified; {tail}."
