"""The program as strangers meet it: a folder of its own, a home of its own, and what comes out of it.

`Shell.run` calls the program in this process, which is quick; `Shell.process` starts a real one, for signals,
pipes, terminals and what is imported.
"""

import fcntl
import io
import json
import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from cli.main import run

ROOT = Path(__file__).parents[2]
PROGRAM = (sys.executable, "-c", "from cli.main import main; main()")


class Result:
    """What one command came to."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    def __repr__(self) -> str:
        return f"exit {self.code}\n--- stdout\n{self.out}--- stderr\n{self.err}"

    def json(self) -> Any:
        """The result as JSON; the command must have ended well."""
        assert self.code == 0, self
        return json.loads(self.out)

    def rows(self) -> list[Any]:
        """Every line of the result as JSON."""
        return [json.loads(line) for line in self.out.splitlines()]

    def ok(self) -> "Result":
        """It ended well, and said nothing on stderr."""
        assert (self.code, self.err) == (0, ""), self
        return self

    def is_(self, code: int, sentence: str) -> "Result":
        """This exit code, this sentence on stderr and nothing else, and no result."""
        assert (self.code, self.err, self.out) == (code, f"{sentence}\n", ""), self
        return self


class Shell:
    """A folder in which commands are typed."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder / "table"
        self.folder.mkdir()
        self._patch = monkeypatch
        monkeypatch.chdir(self.folder)
        for name, value in self._homes(folder).items():
            monkeypatch.setenv(name, value)
        for name in ("CAMPAIGN", "NO_COLOR", "PAGER", "LESS", "COLUMNS", "LINES"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("TZ", "UTC")
        time.tzset()

    @staticmethod
    def _homes(folder: Path) -> dict[str, str]:
        homes = {name: folder / name.lower() for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        for home in homes.values():
            home.mkdir()
        return {name: str(home) for name, home in homes.items()}

    def run(self, *arguments: str, stdin: str | bytes = "") -> Result:
        """One command line, in this process."""
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        given = stdin.encode() if isinstance(stdin, str) else stdin
        with self._patch.context() as patch:
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
            code = run(arguments)
        texts = [stream.buffer.getvalue().decode() for stream in (out, err)]
        return Result(code, *texts)

    def do(self, *lines: str) -> None:
        """Command lines that must end well, words parted by spaces; what has spaces stands in quotes."""
        import shlex

        for line in lines:
            self.run(*shlex.split(line)).ok()

    def act(self, *lines: Any, options: Sequence[str] = ()) -> Result:
        """`campaign act -` on these lines: objects, or text that is passed on as it is."""
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        return self.run("act", *options, stdin="".join(f"{text}\n" for text in texts))

    def environment(self, changes: Mapping[str, str | None] | None = None) -> dict[str, str]:
        """The environment of a real process; None takes a name away."""
        whole = {**os.environ, "PYTHONPATH": str(ROOT), **(changes or {})}
        return {name: value for name, value in whole.items() if value is not None}

    def start(
        self, *arguments: str, env: Mapping[str, str | None] | None = None, before: Sequence[str] = (), **more: Any
    ) -> "subprocess.Popen[bytes]":
        """A real process, still running. `before`: words put before the command line, like `setpriv …`."""
        streams: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        return subprocess.Popen(
            [*before, *PROGRAM, *arguments], env=self.environment(env), cwd=self.folder, **{**streams, **more}
        )

    def process(
        self,
        *arguments: str,
        stdin: str | bytes = "",
        env: Mapping[str, str | None] | None = None,
        before: Sequence[str] = (),
        **more: Any,
    ) -> Result:
        """A real process, to its end."""
        process = self.start(*arguments, env=env, before=before, **more)
        given = stdin.encode() if isinstance(stdin, str) else stdin
        out, err = process.communicate(given if process.stdin else None, timeout=60)
        return Result(process.returncode, (out or b"").decode(), (err or b"").decode())

    def terminal(
        self,
        *arguments: str,
        columns: int = 80,
        lines: int = 200,
        typed: str = "",
        env: Mapping[str, str | None] | None = None,
    ) -> Result:
        """A real process on a terminal of this size; everything it shows is `out`. `typed` answers its question."""
        keeper, terminal = pty.openpty()
        size = {"COLUMNS": str(columns), "LINES": str(lines), "TERM": "xterm", "PAGER": "cat"}
        process = self.start(
            *arguments,
            env={**size, **(env or {})},
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that Ctrl-C typed there reaches it
        )
        os.close(terminal)
        shown = b""
        asked = not typed
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if not asked and b"[y/N]" in shown:
                os.write(keeper, typed.encode())
                asked = True
            if select.select([keeper], [], [], 0.05)[0]:
                with suppress(OSError):
                    if part := os.read(keeper, 65536):
                        shown += part
                        continue
                break
            if process.poll() is not None and not select.select([keeper], [], [], 0)[0]:
                break
        code = process.wait(timeout=30)
        os.close(keeper)
        return Result(code, shown.decode().replace("\r\n", "\n"), "")

    def turns(self, path: str | None = None) -> list[Any]:
        """The whole log as JSON, to see that nothing has been added."""
        named = ("-c", path) if path else ()
        return self.run("log", "-O", "ndjson", *named).rows()

    def bytes_of(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()
