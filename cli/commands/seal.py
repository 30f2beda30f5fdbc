"""Print a short text that fixes the log up to a point.

Write it on the edge of a paper sheet: whoever holds it can show later that nothing before it was changed, with
campaign verify --seal. With --sign it is signed with your SSH key, so that it also says who vouched for it; campaign
verify --signers tells who has signed up to where.

Examples:
  campaign seal
  campaign seal S1
  campaign seal --sign ~/.ssh/id_ed25519 --keep
"""

from pathlib import Path
from typing import Annotated

import typer

from cli.shell import options
from cli.shell.command_context import open_chosen, read_up_to
from cli.shell.outfile import OutputFile, write_whole
from cli.shell.reading import ReadOptions, reads
from cli.shell.signing import sign_seal
from cli.store.stored_log import Signature
from cli.terminal.screen import as_text
from domain.log.hash_chain import seal_of
from domain.refusal import Invalid


@reads(without=("as_", "output"))
def seal(
    request: ReadOptions,
    point: Annotated[
        str | None,
        typer.Argument(
            metavar="[POINT]", help="The same as --at (default: now).", autocompletion=options.known("points")
        ),
    ] = None,
    sign: Annotated[Path | None, typer.Option("--sign", metavar="KEY", help="Sign it with this SSH key.")] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the signature in the campaign.")] = False,
    output_file: OutputFile = None,
) -> None:
    screen = request.screen
    if sign is None and (keep or output_file is not None):
        raise Invalid("--keep and -o are for a signature: add --sign KEY.")
    signature = None
    if point is not None and request.at is not None:
        raise Invalid(f"Say the point once: campaign seal --at {point}")
    with open_chosen(request.campaign, needs_rules=False, write=keep) as (log, _):
        turn = read_up_to(log, point or request.at)
        text = seal_of(turn, log.link(turn))
        if sign is not None:
            signature = sign_seal(text, sign)
            if keep:
                log.keep_signature(Signature(log.stream_at(turn), turn, str(text), signature))
    if signature is not None and output_file is not None:
        write_whole(output_file, [signature.encode()])
    if request.as_json:
        screen.json({"turn": turn, "seal": str(text)} | ({"signature": signature} if signature is not None else {}))
    else:
        screen.line(str(text))
        if keep:
            screen.line("The signature is kept in the campaign.")
        if signature is not None and output_file is not None:
            screen.line(f"The signature is in {as_text(output_file)}.")
        elif signature is not None and not keep:
            screen.raw(signature.rstrip())
    screen.flush()
