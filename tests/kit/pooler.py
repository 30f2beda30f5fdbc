"""A pooler in front of a PostgreSQL server, as many hosts put one there: pgbouncer, where this machine has it."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.kit.postgres import Server, free_port


def is_here() -> bool:
    return shutil.which("pgbouncer") is not None


@contextmanager
def pooled(server: Server, folder: Path, database: str, *, mode: str, size: int) -> Iterator[str]:
    """The address of a database behind a pooler that has so many connections to it; `mode` is pgbouncer's.

    Settings and prepared statements of a session are left to whoever comes next, as in transaction mode they are.
    """
    import psycopg

    port, name = free_port(), database.rpartition("/")[2]
    folder.chmod(0o755)
    settings = folder / "pgbouncer.ini"
    users = folder / "users.txt"
    users.write_text('"keeper" ""\n', "utf-8")
    settings.write_text(
        "[databases]\n"
        f"{name} = host=127.0.0.1 port={server.port} dbname={name} user=keeper\n"
        "[pgbouncer]\n"
        f"listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = any\nauth_file = {users}\n"
        f"pool_mode = {mode}\ndefault_pool_size = {size}\nmax_client_conn = 500\nadmin_users = keeper\n"
        "server_login_retry = 0.2\n",
        "utf-8",
    )
    for path in (folder, settings, users):
        os.chown(path, 65534, 65534) if os.geteuid() == 0 else None
    user = ("-u", "nobody") if os.geteuid() == 0 else ()
    process = subprocess.Popen(
        ["pgbouncer", "-q", *user, str(settings)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder
    )
    try:
        address = f"postgresql://keeper@127.0.0.1:{port}/{name}"
        for _ in range(100):
            try:
                psycopg.connect(address.replace(f"/{name}", "/pgbouncer"), autocommit=True).close()
                break
            except psycopg.OperationalError:
                assert process.poll() is None, "pgbouncer did not start"
                time.sleep(0.05)
        yield address
    finally:
        process.terminate()
        process.wait()
