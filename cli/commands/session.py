"""Open or close a session."""

from typing import Annotated, Any

from cli.shell.declaration import ArgumentSpec, OptionSpec
from cli.shell.recording import records


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


@records(asks=True, seal=True)
def close(
    summary: Annotated[str | None, ArgumentSpec(help="How it ended.", show_default=False)] = None,
) -> dict[str, Any]:
    """Close the open session, and say the seal of the log to write down.

    Examples:
      campaign session close
      campaign session close The mill is drained
    """
    return {"type": "session.close", "summary": summary}


COMMANDS = {"open": open_, "close": close}
