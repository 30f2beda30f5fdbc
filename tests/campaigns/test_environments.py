"""The run over versions tells what each environment came to, and goes no further where nothing could be installed."""

from pathlib import Path

import pytest

from tests.campaigns import environments
from tests.kit.elsewhere import needs_sh

pytestmark = needs_sh

#: Makes an environment whose python runs everything well but what it is told to fail; installs, or does not.
UV = """#!/bin/sh
case "$1" in
python)
    for version in "$@"; do :; done
    echo "$PATH" | tr : '\n' | grep -F "/$version"
    ;;
venv)
    for folder in "$@"; do :; done
    mkdir -p "$folder/bin"
    printf '#!/bin/sh\\ncase "$*" in *"$FAILS"*) echo "a test fails"; exit 1;; esac\\n' > "$folder/bin/python"
    chmod +x "$folder/bin/python"
    ;;
*)
    case "$*" in *"$FAILS"*) echo "no such version" >&2; exit 2;; esac
    ;;
esac
"""


@pytest.fixture
def uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    program = tmp_path / "uv"
    program.write_text(UV, "utf-8")
    program.chmod(0o755)
    (tmp_path / "versions" / "3.11.7" / "bin").mkdir(parents=True)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return monkeypatch


@pytest.mark.parametrize(
    ("fails", "code", "lowest", "highest"),
    [
        ("nothing at all", 0, "make ok, install ok, types ok, tests ok", "make ok, install ok, types ok, tests ok"),
        ("pytest", 1, "make ok, install ok, types ok, tests ended with 1",
         "make ok, install ok, types ok, tests ended with 1"),
        ("lowest-direct", 1, "make ok, install ended with 2", "make ok, install ok, types ok, tests ok"),
    ],
)  # fmt: skip
def test_each_environment_is_told(
    uv: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fails: str, code: int, lowest: str, highest: str
) -> None:
    uv.setenv("FAILS", fails)
    assert environments.main(["--python", "3.11", "--", "-k", "rests"]) == code
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Python")]
    assert lines == [f"Python 3.11, lowest-direct: {lowest}", f"Python 3.11, highest: {highest}"]


def test_a_python_is_one_of_pyenv_too_and_one_that_is_nowhere_is_told(
    uv: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    uv.setenv("FAILS", "nothing at all")
    assert environments.main(["--python", "3.99", "--python", "3.11.7", "--resolution", "highest"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "Python 3.99: there is none on this machine. Install it, or give the path of one with --python.",
        "Python 3.11.7, highest: make ok, install ok, types ok, tests ok",
    ]


def test_the_newest_python_is_left_out_where_there_is_none(
    uv: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    uv.setenv("FAILS", "nothing at all")
    uv.setattr(environments, "PYTHONS", ("3.11.7", "3.99"))
    assert environments.main(["--resolution", "highest"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Python 3.11.7, highest: make ok, install ok, types ok, tests ok",
        "Python 3.99: left out, for there is none on this machine.",
    ]
    uv.setattr(environments, "PYTHONS", ("3.99", "3.11.7"))
    assert environments.main(["--resolution", "highest"]) == 1
