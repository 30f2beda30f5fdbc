"""The program as strangers meet it: a folder of its own, a home of its own, and what comes out of it.

`Shell.run` calls the program in this process, which is quick; `Shell.process` is a real one, for signals, pipes and
terminals. It is forked from this process, which has imported everything already, unless what a start alone reads is
asked for.
"""

import ctypes
import gc
import io
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any, NoReturn

import pytest

from cli import main as entry
from cli.shell.command_line import run
from tests.kit.elsewhere import ask_for, homes

ROOT = Path(__file__).parents[2]
#: Seconds after which a process that should have ended, or said something, is given up.
LONGEST = 60
#: The last row while a program waits for what is typed: a prompt, a question's, or the beginning of a line.
PROMPTS = re.compile(rb"\n[^\n]*[ =]$")
PROGRAM = (sys.executable, "-c", "from cli.main import main; main()")
#: What Python, or the loader of libraries, reads of the environment when it starts and never again.
READ_AT_START = re.compile(r"(PYTHON|LC_|LD_)\w+|LANG")


#: Command lines with which tests begin -> the folder in which they were run.
_begun: dict[tuple[str, ...], Path] = {}


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


class Seat:
    """Somebody in front of a terminal in which a process runs. What it has shown is `output`."""

    def __init__(self, keeper: int, terminal: int, process: "subprocess.Popen[bytes]") -> None:
        self.keeper, self.terminal, self.process = keeper, terminal, process
        self.output = b""

    def sees(self, expected_bytes: bytes, *, sending: int = 0) -> bool:
        """Whether this is shown before the process ends. `sending`: a signal that it gets until then."""
        deadline = time.monotonic() + LONGEST
        while expected_bytes not in self.output:
            assert time.monotonic() < deadline, self.output[-2000:]
            if sending:
                self.process.send_signal(sending)
            if not self._look(0.1) and self.process.poll() is not None:
                return expected_bytes in self.output
        return True

    def see(self, expected_bytes: bytes, *, sending: int = 0) -> None:
        """Wait until this is shown."""
        assert self.sees(expected_bytes, sending=sending), self.output[-2000:]

    def read_until_it_waits(self) -> None:
        """Read on until the last row is a prompt, the beginning of a line, or the process has ended."""
        deadline = time.monotonic() + LONGEST
        while time.monotonic() < deadline:
            if not self._look(0.15) and (PROMPTS.search(self.output) or self.process.poll() is not None):
                return
        raise AssertionError(self.output[-2000:])

    def press(self, keys: bytes) -> None:
        self.output = b""
        os.write(self.keeper, keys)

    def end(self) -> int:
        """The exit code; until then whatever is still shown is read."""
        deadline = time.monotonic() + LONGEST
        while self.process.poll() is None:
            assert time.monotonic() < deadline, self.output[-2000:]
            self._look(0.05)
        while self._look(0):
            pass
        return self.process.returncode

    def _look(self, wait: float) -> bool:
        """Whether something was shown within so many seconds."""
        if not select.select([self.keeper], [], [], wait)[0]:
            return False
        with suppress(OSError):
            part = os.read(self.keeper, 65536)
            self.output += part
            return bool(part)
        return False


@contextmanager
def shell_elsewhere() -> "Iterator[Shell]":
    """A shell outside of any test, in a folder that is gone at the end."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        yield Shell(Path(folder), patch)


@contextmanager
def zone(name: str) -> Iterator[None]:
    """This machine's zone, as POSIX writes it."""
    ask_for("time.tzset")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", name)
        time.tzset()
        yield
    time.tzset()


class Shell:
    """A folder in which commands are typed."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder / "table"
        self.folder.mkdir(exist_ok=True)
        self._patch = monkeypatch
        monkeypatch.chdir(self.folder)
        for name, value in homes(folder).items():
            Path(value).mkdir(exist_ok=True)
            monkeypatch.setenv(name, value)
        for name in ("CAMPAIGN", "CAMPAIGN_BY", "NO_COLOR", "PAGER", "LESS", "COLUMNS", "LINES"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("TZ", "UTC")
        if hasattr(time, "tzset"):  # Windows asks for it at each start
            time.tzset()

    def run(self, *arguments: str, stdin: str | bytes = "") -> Result:
        """One command line, in this process."""
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n", write_through=True) for _ in range(2))
        stdin_bytes = stdin.encode() if isinstance(stdin, str) else stdin
        with self._patch.context() as patch:
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin_bytes), encoding="utf-8"))
            code = run(arguments)
        texts = [stream.buffer.getvalue().decode() for stream in (out, err)]
        return Result(code, *texts)

    @contextmanager
    def at_home(self, name: str) -> Iterator[None]:
        """Another home for what is kept and remembered, the same one for each name."""
        with self._patch.context() as patch:
            for variable in homes(self.folder).keys() - {"HOME", "USERPROFILE"}:
                patch.setenv(variable, str(self.folder / name))
            yield

    def do(self, *lines: str) -> None:
        """Command lines that must end well, words separated by spaces; what has spaces stands in quotes."""
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

    @contextmanager
    def start(
        self,
        *arguments: str,
        env: Mapping[str, str | None] | None = None,
        before: Sequence[str] = (),
        program: Sequence[str] = PROGRAM,
        terminal: bool = False,
        **streams: Any,
    ) -> "Iterator[subprocess.Popen[bytes]]":
        """A real process, still running; it and what it started are gone at the end, whatever happened.

        `before`: words put before the command line, like `setpriv …`. `terminal`: its stdin is the terminal that it
        takes signals from.
        """

        def alone() -> None:
            # whoever runs the tests may have them ignored (`nohup` ignores the second), and a child inherits that
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            if terminal:
                import fcntl
                import termios

                fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            if is_forked:
                begin_anew(environment)
                be_the_program(arguments)

        environment = self.environment(env)
        # Windows has no sessions, and nothing is done there between fork and exec
        sessions = hasattr(os, "killpg")
        is_forked = sessions and program is PROGRAM and not before and not any(map(READ_AT_START.fullmatch, env or ()))
        with subprocess.Popen(
            [*before, *program, *arguments],
            env=environment,
            cwd=self.folder,
            start_new_session=sessions,
            preexec_fn=alone if sessions else None,
            **{**dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE), **streams},
        ) as process:
            try:
                yield process
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL) if sessions else process.kill()

    def process(
        self,
        *arguments: str,
        stdin: str | bytes = "",
        env: Mapping[str, str | None] | None = None,
        before: Sequence[str] = (),
        **streams: Any,
    ) -> Result:
        """A real process, to its end."""
        stdin_bytes = stdin.encode() if isinstance(stdin, str) else stdin
        with self.start(*arguments, env=env, before=before, **streams) as process:
            out, err = process.communicate(stdin_bytes if process.stdin else None, timeout=LONGEST)
        return Result(process.returncode, *((file or b"").decode().replace(os.linesep, "\n") for file in (out, err)))

    def importing(self, *arguments: str) -> tuple[Result, set[str]]:
        """A real process, to its end, and every module that it has imported by then."""
        program = "import atexit, sys; atexit.register(lambda: print('MODULES', *sys.modules, file=sys.stderr))"
        with self.start(*arguments, program=(sys.executable, "-c", f"{program}; {PROGRAM[-1]}")) as process:
            out, err = (text.decode() for text in process.communicate(timeout=LONGEST))
        assert process.returncode == 0, err
        messages, _, modules = err.rpartition("MODULES ")
        return Result(0, out, messages), set(modules.split())

    @contextmanager
    def seated(
        self,
        *arguments: str,
        columns: int = 80,
        lines: int = 30,
        env: Mapping[str, str | None] | None = None,
        **elsewhere: int,
    ) -> "Iterator[Seat]":
        """Somebody in front of a terminal of this size in which a real process runs; no test where there are none.

        `elsewhere`: streams that are not the terminal.
        """
        ask_for("termios", "fcntl", "os.openpty")
        keeper, terminal = os.openpty()
        size = {"COLUMNS": str(columns), "LINES": str(lines), "TERM": "xterm", "PAGER": "cat"}
        streams: dict[str, Any] = {**dict.fromkeys(("stdin", "stdout", "stderr"), terminal), **elsewhere}
        try:
            with self.start(*arguments, env={**size, **(env or {})}, terminal=True, **streams) as process:
                yield Seat(keeper, terminal, process)
        finally:
            os.close(terminal)
            os.close(keeper)

    def terminal(
        self,
        *arguments: str,
        columns: int = 80,
        lines: int = 200,
        typed: str = "",
        env: Mapping[str, str | None] | None = None,
    ) -> Result:
        """A real process on a terminal, to its end; everything it shows is `out`. `typed` answers its question."""
        with self.seated(*arguments, columns=columns, lines=lines, env=env) as seat:
            if typed and seat.sees(b"[y/N]"):
                os.write(seat.keeper, typed.encode())
            code = seat.end()
        return Result(code, seat.output.decode().replace("\r\n", "\n"), "")

    def turns(self, path: str | None = None) -> list[Any]:
        """The whole log as JSON, to see that nothing has been added."""
        options = ("-c", path) if path else ()
        return self.run("log", "-O", "ndjson", *options).rows()

    def bytes_of(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()


def begin_anew(environment: Mapping[str, str]) -> None:
    """Be, in a process that was just forked, as one that has only started: its streams, its files and its signals."""
    gc.freeze()  # a file of the tests that were tidied up would close one of the program's, which has its number now
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    # pytest has imported `readline`, which the program does without
    ctypes.c_void_p.in_dll(ctypes.pythonapi, "PyOS_ReadlineFunctionPointer").value = None
    tempfile.tempdir = None
    warnings.resetwarnings()
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0)), "utf-8", errors="surrogateescape")
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.BufferedWriter(io.FileIO(fd, "w")), "utf-8", line_buffering=os.isatty(fd)) for fd in (1, 2)
    )


def be_the_program(arguments: Sequence[str]) -> NoReturn:
    """Go on as the program, and end with it."""
    code: Any = 1
    sys.argv[1:] = arguments
    try:
        entry.main()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(code)


def bash(line: str) -> Result:
    """What is proposed for the last word of a line, asked for as bash itself asks, in this process."""
    asked = {"_CAMPAIGN_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    code = 0
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(io.StringIO()) as out,
        redirect_stderr(io.StringIO()) as err,
    ):
        for name, value in asked.items():
            patch.setenv(name, value)
        try:
            code = run([])
        except SystemExit as stopped:
            code = int(stopped.code or 0)
    return Result(code, out.getvalue(), err.getvalue())


def shell_after(*lines: str) -> Any:
    """A fixture for a file of tests, to be bound as `shell`: a folder in which these command lines were run.

    They are run once in each process. Each test finds all as it was then, at the same place, for what is remembered of
    a campaign is remembered by its path.
    """

    @pytest.fixture
    def shell(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Shell:
        now = _begun.get(lines)
        try:
            if now is not None:
                shutil.rmtree(now)
                shutil.copytree(now.with_name("kept"), now)
                return Shell(now, monkeypatch)
        except OSError:  # a test left what cannot be taken away here
            pass
        now = _begun[lines] = tmp_path_factory.mktemp("begun") / "now"
        now.mkdir()
        shell = Shell(now, monkeypatch)
        shell.do(*lines)
        shutil.copytree(now, now.with_name("kept"))
        return shell

    return shell
