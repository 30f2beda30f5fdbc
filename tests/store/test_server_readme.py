"""What the README says of campaigns on a server is typed, and what it shows is what happens."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.test_readme import BLOCKS, ROOT, as_pattern, typed
from tests.kit.postgres import Server, binaries


def test_every_server_block_shows_what_happens(server: Server, tmp_path: Path) -> None:
    folder = binaries()
    assert folder is not None
    if not (folder / "pg_dump").exists() or not (folder / "createdb").exists():
        pytest.skip("a PostgreSQL without its client programs")
    program = tmp_path / "bin" / "campaign"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path[:0] = [{str(ROOT)!r}]\nfrom cli.main import main\nmain()\n"
    )
    program.chmod(0o755)
    evening = tmp_path / "evening"
    evening.mkdir()
    environment = {
        **os.environ,
        "PATH": os.pathsep.join(map(str, (program.parent, folder, os.environ["PATH"]))),
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PGHOST": "127.0.0.1",
        "PGPORT": str(server.port),
        "PGUSER": "keeper",
    }
    environment.pop("CAMPAIGN", None)
    commands = [command for kind, block in BLOCKS if kind == "server" for command in typed(block)]
    assert len(commands) > 8
    for command, lines in commands:
        done = subprocess.run(
            command, shell=True, cwd=evening, env=environment, capture_output=True, text=True, check=False
        )
        told = done.stdout + done.stderr
        assert done.returncode == 0, f"$ {command}\n{told}"
        assert not lines or re.fullmatch(as_pattern(lines), told), f"$ {command}\n{told}"
