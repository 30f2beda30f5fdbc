"""Open or close a session."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

from cli.shell.declaration import LineDeclaration, OptionSpec, parameter
from cli.shell.line_command import LineOptions
from cli.shell.signing import must_be_a_key, sign_and_keep
from cli.store.streams import StoredLog
from domain.common.sessions import SessionClose, SessionOpen
from domain.log.port import NotSaved
from domain.refusal import Invalid

OPEN = """Open the next session.

Examples:
  campaign session open "The crypt"
  campaign session open The crypt
"""
CLOSE = """Close the open session, and say the seal of the log to write down.

Examples:
  campaign session close
  campaign session close The mill is drained
  campaign session close --sign ~/.ssh/id_ed25519
"""
Sign = Annotated[
    Path | None,
    OptionSpec("--sign", metavar="KEY", help="Sign the seal with this SSH key, and keep it.", show_default=False),
]


def _signing(told: LineOptions, sign: Path | None) -> Callable[[StoredLog], None] | None:
    """What signs the log once the session is closed; None without a key. Raises Invalid for what is no key."""
    if sign is None:
        return None
    must_be_a_key(sign)
    return partial(_sign, told, sign)


def _sign(told: LineOptions, key: Path, log: StoredLog) -> None:
    """Sign the seal of the log and keep it. Raises NotSaved where it could not be signed."""
    try:
        sign_and_keep(log, log.last(), key)
    except Invalid as error:
        raise NotSaved(f"Its seal is not signed. {error.reason}") from None
    if not told.json:
        told.screen.line(f"    Signed with {key}, and kept in the campaign.", indent=None)
        told.screen.flush()


COMMANDS = {
    "open": LineDeclaration(SessionOpen, OPEN),
    "close": LineDeclaration(SessionClose, CLOSE, (parameter("sign", Sign, None),), _signing),
}
