"""Open or close a session."""

from pathlib import Path
from typing import Annotated

import typer

from cli.shell.declaration import LineDeclaration, LineStages, parameter
from cli.shell.record_options import RecordOptions
from cli.shell.signing import must_be_a_key, sign_and_keep
from cli.store.stored_log import StoredLog
from domain.common.sessions import SessionClose, SessionOpen
from domain.log.port import NotSaved
from domain.refusal import Invalid

OPEN = """Open the next session.

Examples:
  campaign session open "The crypt"
  campaign session open The crypt
"""
CLOSE = """Close the open session and print the seal to write down.

Examples:
  campaign session close
  campaign session close The mill is drained
  campaign session close --sign ~/.ssh/id_ed25519
"""
Sign = Annotated[
    Path | None, typer.Option("--sign", metavar="KEY", help="Sign the seal with this SSH key, and keep it.")
]


class Signing(LineStages):
    """The seal of the log is signed once the session is closed. Raises Invalid for a file that is no key."""

    def __init__(self, options: RecordOptions, sign: Path | None) -> None:
        self.options, self.key = options, sign
        if sign is not None:
            must_be_a_key(sign)

    def after_recording(self, log: StoredLog) -> None:
        """Sign the seal and keep it. Raises NotSaved if it cannot be signed."""
        if self.key is None:
            return
        try:
            sign_and_keep(log, log.last(), self.key)
        except Invalid as error:
            raise NotSaved(f"Its seal is not signed. {error.reason}") from None
        if not self.options.json:
            self.options.screen.line(f"    Signed with {self.key}, and kept in the campaign.", indent=None)
            self.options.screen.flush()


COMMANDS = {
    "open": LineDeclaration(SessionOpen, OPEN),
    "close": LineDeclaration(SessionClose, CLOSE, (parameter("sign", Sign, None),), Signing),
}
