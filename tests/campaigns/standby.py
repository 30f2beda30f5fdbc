"""A standby, a failover and going back to an hour, as the manual types them, on servers that are started here.

python -m tests.campaigns.standby [--show]

Each command of those blocks is typed in turn, and what it prints is held against what is shown there.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psycopg

from cli.store.anywhere import open_log
from cli.store.server.address import server_address
from cli.store.server.administering import server_facts
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.kit.chapters import MANUAL, blocks, commands, install_program
from tests.kit.postgres import Server, binaries, folder_of_servers, free_port

#: Where the manual has its servers: the primary, its standby, and what is put back to an hour.
PORTS = ("5432", "5433", "5434")
BEFORE = (
    'psql -q club -c "CREATE ROLE players LOGIN"',
    "campaign server init postgresql://keeper@localhost:5432/club --writer players",
    'campaign new "The Mill" --rules osr --in postgresql://players@localhost:5432/club',
    "campaign enrol Brog 4 -c postgresql://players@localhost:5432/club?campaign=the-mill",
)


class Typist:
    """Types commands in the folder of the servers: those of the server as whoever it runs as."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.server, self.folder = server, folder
        self.ports = dict(zip(PORTS, [str(server.port), str(free_port()), str(free_port())], strict=True))
        program = install_program(folder)
        folder_of_binaries = binaries()
        assert folder_of_binaries is not None
        self._path = os.pathsep.join(map(str, (program.parent, folder_of_binaries, os.environ["PATH"])))

    def type(self, command: str) -> subprocess.CompletedProcess[str]:
        for there, here in self.ports.items():
            command = command.replace(there, here)
        homes = {name: str(self.folder / "home") for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        login = {"PGHOST": "127.0.0.1", "PGPORT": self.ports[PORTS[0]], "PGUSER": "keeper"}
        environment = {**os.environ, **login, "PATH": self._path, "LC_ALL": "C.UTF-8"}
        environment.pop("CAMPAIGN", None)
        if command.startswith("campaign "):
            return subprocess.run(
                command, shell=True, cwd=self.server.folder, env={**environment, **homes}, capture_output=True,
                encoding="utf-8", check=False,
            )  # fmt: skip
        return self.server.typed(command, environment)


def wait_for_standby(server: Server) -> None:
    """Return once a standby follows this server as one that each turn waits for."""
    deadline = time.monotonic() + 30
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        while not connection.execute("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'").fetchone():
            assert time.monotonic() < deadline, "no standby follows"
            time.sleep(0.05)


def behind(typist: Typist) -> list[str]:
    """What is wrong with what `server doctor` says of a standby that has stopped following, on both sides.

    Whoever follows a log there waits for the next turn, and is not sent away.
    """
    primary, standby = (f"postgresql://keeper@127.0.0.1:{typist.ports[name]}/club" for name in PORTS[:2])
    with open_log(standby) as log:
        log.wait(0.0)
    with psycopg.connect(standby, autocommit=True) as connection:
        connection.execute("SELECT pg_wal_replay_pause()")
        with psycopg.connect(primary, autocommit=True) as primary_connection:
            primary_connection.execute("SELECT pg_switch_wal()")
            primary_connection.execute("CREATE TABLE not_replayed ()")
        of_primary, of_standby = (server_facts(server_address(address)) for address in (primary, standby))
        connection.execute("SELECT pg_wal_replay_resume()")
    facts = [of_primary["standbys"], of_standby["role of the server"]]
    return [fact for fact in facts if not re.search(r"\d+ [kM]B behind", fact)]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print what each command says")
    options = parser.parse_args(arguments)
    folder_of_binaries = binaries()
    if (
        folder_of_binaries is None
        or not (folder_of_binaries / "pg_basebackup").exists()
        or shutil.which("psql", path=str(folder_of_binaries)) is None
    ):
        print("There is no PostgreSQL here with its programs; nothing was typed.")
        return
    lines_to_type = [
        command for kind, block in blocks(MANUAL / "server.md") if kind == "standby" for command in commands(block)
    ]
    wrong = []
    with folder_of_servers() as folder:
        (folder / "servers").mkdir()
        server = Server(folder / "servers", data="primary")
        server.make("wal_level = replica")
        server.start()
        typist = Typist(server, folder)
        server.database("club")
        for command in BEFORE:
            process = typist.type(command)
            assert process.returncode == 0, f"$ {command}\n{process.stdout}{process.stderr}"
        for line in lines_to_type:
            process = typist.type(line.line)
            output = process.stdout + process.stderr
            if options.show:
                print(f"$ {line.line}\n{output}", end="", flush=True)
            if "synchronous_standby_names" in line.line:
                wait_for_standby(server)
                wrong += behind(typist)
            if not line.agrees(process.returncode, output):
                wrong.append(f"$ {line.line}\n{output}(exit {process.returncode})")
    print(f"{len(lines_to_type)} commands of a standby, a failover and an hour gone back to, {len(wrong)} not as shown")
    for wording in wrong:
        print(wording)
    if wrong or not lines_to_type:
        sys.exit(1)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
