"""From `campaign serve --lan` to the first tap, as the manual has it: a real server, and a browser without script."""

import re
import signal
from http.client import HTTPConnection
from urllib.parse import urlencode, urlsplit

import pytest

from cli.serving.running import address_in_network
from domain.refusal import Invalid
from tests.kit.chapters import MANUAL, blocks
from tests.kit.phones import Forms
from tests.kit.shell import Shell

(BLOCK,) = (block for kind, block in blocks(MANUAL / "phones.md") if kind == "serve")


class Browser:
    """A plain HTTP client with a cookie."""

    def __init__(self, address: str) -> None:
        self.origin, self.cookie = "http://" + urlsplit(address).netloc, ""

    def ask(self, method: str, path: str, fields: dict[str, str] | None = None) -> tuple[int, str, str]:
        """The status, where it leads, and the page."""
        connection = HTTPConnection(urlsplit(self.origin).netloc, timeout=30)
        headers = {"Origin": self.origin, "Content-Type": "application/x-www-form-urlencoded"} if fields else {}
        if self.cookie:
            headers["Cookie"] = self.cookie
        connection.request(method, path, urlencode(fields) if fields else None, headers)
        answer = connection.getresponse()
        page = answer.read().decode()
        self.cookie = (answer.headers.get("Set-Cookie") or self.cookie).partition(";")[0]
        connection.close()
        return answer.status, answer.headers.get("Location") or "", page

    def tap(self, page: str, says: str, **filled_in: str) -> str:
        """Send the form whose button begins so, and open what it leads to."""
        form = next(form for form in Forms(page).forms if form.says.startswith(says))
        status, leads, answered = self.ask("POST", form.action, {**dict(form.fields), **filled_in})
        assert status in (200, 303), answered
        return self.ask("GET", leads)[2] if leads else answered


def test_from_the_command_to_the_first_tap(shell: Shell) -> None:
    try:
        address_in_network()
    except Invalid:
        pytest.skip("this machine is in no network")
    shell.do(
        "new Crypt --rules osr", "session open", "osr enrol Brog --player Mia --level 2 --rolled 5,6",
        "osr enrol Ada --player Jo --rolled 4", "note 'The door stands open.'",
    )  # fmt: skip
    command, *printed = BLOCK.splitlines()
    assert command == "$ campaign serve --lan"
    with shell.start("serve", "--lan") as process:
        assert process.stdout is not None
        lines = [process.stdout.readline().decode().rstrip("\n") for _ in printed]
        for line, shown in zip(lines, printed, strict=True):
            assert re.fullmatch(re.escape(shown).replace("…", r"[\w.:-]+"), line), (line, shown)
        link = next(line for line in lines if line.startswith("Mia: ")).removeprefix("Mia: ")
        phone = Browser(link)
        page = phone.tap(phone.ask("GET", urlsplit(link).path)[2], "Sit down as Mia")
        assert "Brog" in page
        page = phone.tap(phone.ask("GET", "/act/damage")[2], "Look", **{"f.amount": "4"})
        assert "Brog is hit for 4 and has 7 hit points left." in page
        phone.tap(page, "Do it")
        assert shell.turns()[-1]["by"] == "Mia"
        assert shell.turns()[-1]["turn"] == 6
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""
    # nothing is left of it: no file beside the campaign, no seat
    assert [path.name for path in shell.folder.iterdir()] == ["crypt.campaign"]
    assert shell.run("serve", "--players").code == 1
