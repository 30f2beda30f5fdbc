"""Evenings of each rule system at tables of one club at once, by phones through nginx with TLS and names of hosts:
`uv run python -m tests.campaigns.club_evenings --lines 200 --seed 1`.

Two processes stand behind the proxy as the manual's chapter sets it up. While everybody plays, one is killed and comes
back, the database is restarted, and one after the other stops and starts anew, as for a new version. In the end every
line that was answered is in the log once, both processes show the last turn to whoever sits there, and the log
verifies.
"""

import argparse
import re
import socket
import ssl
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPException, HTTPSConnection
from pathlib import Path
from random import Random
from threading import Event
from urllib.parse import urlencode

import psycopg

from cli.line.evening import evening_of, lines_of
from cli.store.anywhere import open_log
from cli.store.checking import findings_in
from cli.store.server.address import server_address
from cli.store.server.administering import initialise
from cli.store.server.tables import FORMAT
from domain.common.notes import Note
from domain.system.installed import SYSTEMS
from tests.campaigns.club import LONGEST, PUBLIC, Club
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.kit.chapters import MANUAL, blocks
from tests.kit.longer_runs import end
from tests.kit.phones import Form, Reply
from tests.kit.postgres import Server, binaries, free_port, running
from tests.kit.shell import PROGRAM, Shell, shell_elsewhere

#: The program with tables of the next format, which are as they are now otherwise.
NEXT_VERSION = (PROGRAM[0], "-c", f"from cli.store.server import tables; tables.FORMAT += 1; {PROGRAM[-1]}")
#: Questions that are answered before a line is given up.
MOST_QUESTIONS = 8


@contextmanager
def nginx(folder: Path, ports: Sequence[int]) -> Iterator[tuple[int, Path]]:
    """The proxy of the manual's chapter before these processes: its port, and its certificate."""
    certificate, key, port = folder / "club.pem", folder / "club.key", free_port()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={PUBLIC}", "-days", "2",
         "-addext", f"subjectAltName=DNS:{PUBLIC},DNS:*.{PUBLIC}", "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    (text,) = (text for kind, text in blocks(MANUAL / "server.md") if kind == "nginx")
    for before, after in (
        ("/etc/ssl/club.pem", certificate), ("/etc/ssl/club.key", key), ("listen 443", f"listen 127.0.0.1:{port}"),
        ("127.0.0.1:8001", f"127.0.0.1:{ports[0]}"), ("127.0.0.1:8002", f"127.0.0.1:{ports[1]}"),
    ):  # fmt: skip
        assert before in text, before
        text = text.replace(before, str(after))
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    settings = folder / "nginx.conf"
    logs = f"pid {folder}/pid;\nerror_log {folder}/log;\n"
    settings.write_text(f"{logs}events {{}}\nhttp {{\naccess_log off;\n{temporary}{text}}}\n", "utf-8")
    folder.chmod(0o755)
    with subprocess.Popen(["nginx", "-c", str(settings), "-g", "daemon off;"], stderr=subprocess.DEVNULL) as process:
        try:
            while not _answers(port):
                assert process.poll() is None, "nginx did not start"
                time.sleep(0.05)
            yield port, certificate
        finally:
            process.terminate()


def _answers(port: int) -> bool:
    with socket.socket() as door:
        return not door.connect_ex(("127.0.0.1", port))


class Named(HTTPSConnection):
    """A connection to the proxy here, for the name of a table."""

    def __init__(self, host: str, port: int, certificate: Path) -> None:
        super().__init__(host, port, context=ssl.create_default_context(cafile=str(certificate)), timeout=LONGEST / 4)
        self._certified = ssl.create_default_context(cafile=str(certificate))

    def connect(self) -> None:
        self.sock = self._certified.wrap_socket(
            socket.create_connection(("127.0.0.1", self.port), self.timeout), server_hostname=self.host
        )


class Phone:
    """A browser without script at one table."""

    def __init__(self, slug: str, port: int, certificate: Path) -> None:
        self.host, self.port, self.certificate = f"{slug}.{PUBLIC}", port, certificate
        self.cookie, self.again = "", 0

    def ask(self, method: str, path: str, fields: Sequence[tuple[str, str]] = ()) -> Reply:
        """What is answered; what gets no answer is sent again as it was."""
        here = f"{self.host}:{self.port}"
        headers = {"Host": here, **({"Cookie": self.cookie} if self.cookie else {})}
        if method == "POST":
            headers |= {"Origin": f"https://{here}", "Content-Type": "application/x-www-form-urlencoded"}
        deadline = time.monotonic() + LONGEST
        while True:
            connection = Named(self.host, self.port, self.certificate)
            try:
                connection.request(method, path, urlencode(list(fields)), headers)
                response = connection.getresponse()
                body = response.read()
                pairs = [(name.lower().encode(), value.encode("latin-1")) for name, value in response.getheaders()]
                reply = Reply(response.status, pairs, body)
                if reply.status not in (429, 502, 503, 504):
                    break
            except (OSError, HTTPException):
                pass
            finally:
                connection.close()
            self.again += 1
            assert time.monotonic() < deadline, f"{self.host}{path} is never answered"
            time.sleep(0.1)
        if reply.cookies:
            self.cookie = reply.cookies[0].partition(";")[0]
        return reply

    def sits_down(self, link: str) -> "Phone":
        """Take the seat of a link."""
        (form,) = self.ask("GET", f"/in/{link.rpartition('/')[2].strip()}").forms
        assert self.ask("POST", "/in", form.fields).status == 303
        return self

    def last(self) -> int:
        """The last turn that the page shows."""
        found = re.search(r'data-turn="(\d+)"', self.ask("GET", "/").text)
        assert found is not None
        return int(found[1])

    def says(self, line: str) -> bool:
        """Type a line, and give the first answer to whatever is asked; whether that was taken."""
        reply = self.ask("POST", "/do", [("at", str(self.last())), ("line", line), ("sure", "yes")])
        for _ in range(MOST_QUESTIONS):
            if reply.status != 200 or "That was done already" in reply.main:
                break
            form = next((form for form in reply.forms if form.action == "/do"), None)
            if form is None:
                return False
            reply = self.ask("POST", "/do", _filled_in(form))
        return reply.status in (200, 303)


def _filled_in(form: Form) -> list[tuple[str, str]]:
    chosen = [(name, values[0]) for name, values in form.open.items() if values and name not in dict(form.fields)]
    return [*form.fields, *chosen]


class Played:
    """What became of an evening at one table."""

    def __init__(self, slug: str) -> None:
        self.slug, self.taken, self.refused, self.again = slug, 0, 0, 0
        self.faults: list[str] = []


def play(slug: str, link: str, lines: Sequence[str], at: tuple[int, Path], half: Event) -> Played:
    """An evening at one table: players say what is about their own characters, the referee all else."""
    played, referee = Played(slug), Phone(slug, *at).sits_down(link)
    screen = Phone(slug, *at).sits_down(_invited(referee, "table", "the table"))
    players: dict[str, Phone] = {}
    for number, line in enumerate(lines):
        character = next((name for name in players if line.split()[1:2] == [name]), None)
        took = character is not None and players[character].says(line)
        took = took or referee.says(line)
        played.taken, played.refused = played.taken + took, played.refused + (not took)
        assert referee.says(f"n {_note(number)}")
        if took and (enrolled := re.match(r"enrol (\S+) .*player (\S+)", line)):
            link = _invited(referee, f"player {enrolled[2]}", enrolled[2])
            players[enrolled[1].lower()] = Phone(slug, *at).sits_down(link)
        # whichever process answers: what was told is on every page
        known = {phone.last() for phone in (referee, screen, *players.values())}
        if len(known) != 1:
            played.faults.append(f"{slug}: after {line!r} the pages show {known}")
        if number == len(lines) // 2:
            half.set()
    played.again = sum(phone.again for phone in (referee, screen, *players.values()))
    return played


def _note(number: int) -> str:
    """What is noted after a line, once."""
    return f"after line {number}"


def _invited(referee: Phone, seat: str, label: str) -> str:
    """A new link for a seat, from the referee's page."""
    referee.ask("GET", "/seats")
    page = referee.ask("POST", "/seats", [("seat", seat), ("do", "invite")])
    sections = dict(re.findall(r'<section class="seat" aria-label="([^"]+)">(.*?)</section>', page.text, re.DOTALL))
    (link,) = re.findall(r"<code>(https://\S+?)</code>", sections[label])
    return str(link)


def evenings(
    shell: Shell, server: Server, folder: Path, most: int, chance: Random, *, tables: int = 3, troubles: bool = True
) -> list[str]:
    """The evenings; what is wrong in the end. Without `troubles` a process is killed, and all else goes on."""
    database = server.database("evenings")
    initialise(server_address(database))
    with_lines = {}
    for rules in tuple(SYSTEMS)[:tables]:
        shell.run("new", f"The {rules}", "--rules", rules, "--in", database).ok()
        with_lines[f"the-{rules}"] = lines_of(evening_of(rules))[:most]
    club = Club(shell, database, database, 2, chance)
    try:
        with nginx(folder, club.ports) as at:
            club.public = f"https://{PUBLIC}:{at[0]}"
            club.start()
            invited = shell.run("server", "invite", database, "--public", club.public).ok().out
            links = dict(line.split(": ", 1) for line in invited.splitlines())
            halves = {slug: Event() for slug in with_lines}
            with ThreadPoolExecutor(len(with_lines)) as threads:
                playing = [
                    threads.submit(play, slug, links[slug], lines, at, halves[slug])
                    for slug, lines in with_lines.items()
                ]
                club.kill()
                club.begin_again()
                if troubles:
                    _trouble(club, server, database, halves)
                results = [each.result() for each in playing]
            faults = [fault for played in results for fault in played.faults]
    finally:
        club.close()
    if troubles:
        with psycopg.connect(database) as keeper:  # so that this version reads what the next one has kept
            keeper.execute("UPDATE campaign.format SET version = %s", (FORMAT,))
    for played in results:
        with open_log(f"{database}?campaign={played.slug}") as log:
            turns, found = log.last(), [finding.sentence for finding in findings_in(log)]
            notes = Counter(turn.action.text for turn in log.read() if isinstance(turn.action, Note))
        lines = with_lines[played.slug]
        found += [f"{_note(at)}: {notes[_note(at)]} times" for at in range(len(lines)) if notes[_note(at)] != 1]
        found += [f"only {played.taken} lines were taken"] if played.taken < len(lines) / 2 else []
        faults += [f"{played.slug}: {sentence}" for sentence in found]
        print(
            f"{played.slug}: {played.taken} lines taken and {played.refused} refused or asked about to the end,"
            f" {played.again} requests sent again; {turns} turns, {len(found)} findings",
            flush=True,
        )
    return faults


def _trouble(club: Club, server: Server, database: str, halves: dict[str, Event]) -> None:
    """What else happens while everybody plays."""
    club.wait()
    for half in halves.values():
        half.wait(LONGEST * 5)
    server.stop()
    server.start()
    # a new version: one of its processes waits for its tables, and the others follow when they are there
    club.program = NEXT_VERSION
    for number in range(len(club.processes)):
        club.stop(number)
        club.begin_again(number)
        club.wait()
        if number == 0:
            subprocess.run([*NEXT_VERSION, "server", "init", database], check=True, capture_output=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Play. Exits with 1 where something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=200, help="lines of each evening at most")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if binaries() is None:
        print("There is no PostgreSQL here, and none in a package for this platform.")
        return
    with shell_elsewhere() as shell, running(("max_connections = 60",)) as server:
        folder = shell.folder / "nginx"
        folder.mkdir()
        faults = evenings(shell, server, folder, options.lines, Random(options.seed))
    end(faults)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
