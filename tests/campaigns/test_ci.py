"""`.ci/run` runs every check of the project with uv, and brings uv where a machine has nothing but Python."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.kit.elsewhere import needs_sh

ROOT = Path(__file__).parents[2]
pytestmark = needs_sh

#: Says where it was called, with what, and which certificates it was told to trust.
UV = '#!/bin/sh\necho "uv $* in $PWD, system certificates $UV_SYSTEM_CERTS"\nexit ${UV_ENDS_WITH:-0}\n'
#: `python3 -m venv FOLDER` gives a pip that installs the uv above.
PYTHON = """#!/bin/sh
mkdir -p "$3/bin"
printf '#!/bin/sh\\ncp "%s" "%s/bin/uv"\\n' "$UV_TO_INSTALL" "$3" > "$3/bin/pip"
chmod +x "$3/bin/pip"
"""


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    path.chmod(0o755)
    return path


def ci(folder: Path, path: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(ROOT / ".ci" / "run")],
        cwd=folder,
        env={**os.environ, "PATH": path, "TMPDIR": str(folder), **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.parametrize("code", [0, 1])
def test_it_runs_every_check_from_the_top_and_ends_as_they_do(tmp_path: Path, code: int) -> None:
    program(tmp_path / "bin" / "uv", UV)
    process = ci(tmp_path, f"{tmp_path / 'bin'}:{os.environ['PATH']}", UV_ENDS_WITH=str(code))
    assert process.stdout == f"uv run python -m tests in {ROOT}, system certificates 1\n"
    assert process.returncode == code


def test_without_uv_it_installs_one_and_leaves_nothing_behind(tmp_path: Path) -> None:
    bare = tmp_path / "bin"
    program(bare / "python3", PYTHON)
    for name in ("bash", "sh", "dirname", "mktemp", "rm", "mkdir", "chmod", "cp", "env"):
        bash = next(Path(folder, name) for folder in ("/usr/bin", "/bin") if Path(folder, name).exists())
        (bare / name).symlink_to(bash)
    process = ci(tmp_path, str(bare), UV_TO_INSTALL=str(program(tmp_path / "uv", UV)))
    assert process.stdout == f"uv run python -m tests in {ROOT}, system certificates 1\n", process.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bin", "uv"]
