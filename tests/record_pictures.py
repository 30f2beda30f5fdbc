"""Take the pictures of the README and the manual from the real program: `uv run python -m tests.record_pictures`.

The table is Textual's own picture of its screen; the phone is Chromium's, of a page that is really served. Run it when
the screen changes, and look at the pictures before you commit them.
"""

import re
import tempfile
from pathlib import Path

import pytest

from cli.shell.command_context import handler_for, open_chosen
from tests.kit.browsers import CHROMIUM, browser_running, seat_at
from tests.kit.chapters import MANUAL
from tests.kit.online import online
from tests.kit.phones import served
from tests.kit.shell import Shell
from tests.table.seen import Seen, Table

PICTURES = MANUAL / "pictures"
EVENING = (
    "new 'The Sunken Mill' --rules osr",
    "session open The drowned cellar",
    "enrol Brog player Mia level 2 56",
    "enrol Ségolène player Zoë level 2 64",
    "enrol Wen player Ida level 1 5",
    "track brog gold 40",
    "track pin gold",
    "d all 2 a fireball",
    "rest brog 54 seg 61 wen 3",
    "d brog 12 the wight",
    "saves brog 30 19",
    "note the wight wore a ring of the mill",
)


def take_table(shell: Shell) -> None:
    """The table, with a line half typed."""

    async def look(seen: Seen) -> None:
        await seen.type("d seg 3 the wight")
        picture = seen.app.export_screenshot(title="campaign play")
        # without the fonts that it would load from elsewhere
        (PICTURES / "table.svg").write_text(re.sub(r"@font-face {.*?}\n", "", picture, flags=re.DOTALL), "utf-8")

    Table(shell, (100, 28)).play(look)


def take_phone() -> None:
    """Ségolène's sheet on a phone."""
    with (
        browser_running() as browser,
        open_chosen(None, write=True) as (log, system),
        served(log, system, handler_for(log)) as table,
        online(table) as address,
    ):
        page, wrong = seat_at(browser, table, address, "Zoë", {"width": 360, "height": 640})
        # a page that has just come is not to be tapped by a second tap, and paler until then
        page.wait_for_selector(".settling", state="detached")
        page.wait_for_timeout(300)  # milliseconds, while it fades in
        page.screenshot(path=str(PICTURES / "phone.png"))
        assert not wrong, wrong


def main() -> None:
    """Take both."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        shell = Shell(Path(folder), patch)
        shell.do(*EVENING)
        take_table(shell)
        if CHROMIUM is not None:
            take_phone()


if __name__ == "__main__":
    main()
