"""What the manual says of campaigns on a server is typed, and what it shows is what happens."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.kit.chapters import MANUAL, blocks, commands, environment, install_program
from tests.kit.postgres import Server, binaries


def test_every_server_block_shows_what_happens(server: Server, tmp_path: Path) -> None:
    folder = binaries()
    assert folder is not None
    if not (folder / "pg_dump").exists() or not (folder / "createdb").exists():
        pytest.skip("a PostgreSQL without its client programs")
    program = install_program(tmp_path)
    evening = tmp_path / "evening"
    evening.mkdir()
    known = environment(program)
    known |= {
        "PATH": os.pathsep.join((str(program.parent), str(folder), os.environ["PATH"])),
        "PGHOST": "127.0.0.1",
        "PGPORT": str(server.port),
        "PGUSER": "keeper",
    }
    typed = [command for kind, block in blocks(MANUAL / "server.md") if kind == "server" for command in commands(block)]
    assert len(typed) > 8
    for command in typed:
        done = subprocess.run(
            command.line, shell=True, cwd=evening, env=known, capture_output=True, encoding="utf-8", check=False
        )
        printed = done.stdout + done.stderr
        assert command.agrees(done.returncode, printed), f"$ {command.line}\n{printed}"
