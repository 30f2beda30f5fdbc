"""Open or close a session."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

from msgspec.structs import replace

from cli.line.table import manner_off
from cli.line.words import given
from cli.shell.declaration import ArgumentSpec, OptionSpec
from cli.shell.recording import RecordOptions, perform, records, with_record_options
from cli.shell.signing import must_be_a_key, sign_and_keep
from cli.store.streams import StoredLog
from domain.log.backdating import Backdating
from domain.log.port import NotSaved


@records()
def open_(
    title: Annotated[str | None, ArgumentSpec(help="What the evening is called.", show_default=False)] = None,
    number: Annotated[int | None, OptionSpec(help="Its number (default: the next).", show_default=False)] = None,
    date: Annotated[str | None, OptionSpec(help="The date, as you like to write it.", show_default=False)] = None,
    place: Annotated[str | None, OptionSpec(help="Where.", show_default=False)] = None,
) -> dict[str, Any]:
    """Open the next session.

    Examples:
      campaign session open "The crypt"
      campaign session open The crypt
    """
    return {"type": "session.open", "title": title, "number": number, "date": date, "place": place}


@with_record_options()
def close(
    manner: RecordOptions,
    summary: Annotated[list[str] | None, ArgumentSpec(help="How it ended.", show_default=False)] = None,
    sign: Annotated[
        Path | None,
        OptionSpec("--sign", metavar="KEY", help="Sign the seal with this SSH key, and keep it.", show_default=False),
    ] = None,
) -> None:
    """Close the open session, and say the seal of the log to write down.

    Examples:
      campaign session close
      campaign session close The mill is drained
      campaign session close --sign ~/.ssh/id_ed25519
    """
    if sign is not None:
        must_be_a_key(sign)
    # the words need no quotes and may end in --after or --before, as on any line
    rest, backdating = manner_off(given(summary or []), 0)
    if "after" in backdating or "before" in backdating:
        conflicts = manner.backdating.conflicts
        manner = replace(manner, backdating=Backdating(backdating.get("after"), backdating.get("before"), conflicts))
    value = {"type": "session.close", "summary": " ".join(word.text for word in rest.words) if rest.words else None}
    perform(manner, value, settles=True, afterwards=partial(_sign, manner, sign) if sign is not None else None)


def _sign(manner: RecordOptions, key: Path, log: StoredLog) -> None:
    """Sign the seal of the log and store the signature. Raises NotSaved if it could not be signed."""
    from domain.refusal import Invalid

    screen = manner.screen
    try:
        sign_and_keep(log, log.last(), key)
    except Invalid as error:
        raise NotSaved(f"Its seal is not signed. {error.reason}") from None
    if not manner.as_json:
        screen.line(f"    Signed with {key}, and kept in the campaign.", indent=None)
        screen.flush()


COMMANDS = {"open": open_, "close": close}
