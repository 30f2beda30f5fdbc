"""Open or close a session."""

from pathlib import Path
from typing import Annotated, Any

from cli.shell.declaration import ArgumentSpec, OptionSpec
from cli.shell.recording import RecordOptions, perform, records, with_record_options
from cli.shell.signing import must_be_a_key, sign_and_keep
from cli.store.streams import StoredLog
from domain.log.hash_chain import sealed
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
    summary: Annotated[str | None, ArgumentSpec(help="How it ended.", show_default=False)] = None,
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
    value = {"type": "session.close", "summary": summary}
    perform(manner, value, settles=True, afterwards=lambda log: _seal(log, manner, sign))


def _seal(log: StoredLog, manner: RecordOptions, key: Path | None) -> None:
    """Say the seal of the log, and sign it with a key. Raises NotSaved where it could not be signed."""
    from domain.refusal import Invalid

    last, screen = log.last(), manner.screen
    if not manner.as_json:
        screen.line(f"    Seal: {sealed(last, log.link(last))}", indent=None)
        screen.flush()
    if key is None:
        return

    try:
        sign_and_keep(log, last, key)
    except Invalid as error:
        raise NotSaved(f"Its seal is not signed. {error.reason}") from None
    if not manner.as_json:
        screen.line(f"    Signed with {key}, and kept in the campaign.", indent=None)
        screen.flush()


COMMANDS = {"open": open_, "close": close}
