"""Command lines in processes of their own, each forked from one that has imported everything already.

A start takes longer than most commands, and whoever tries thousands of them waits for little else.
"""

import json
import os
import pkgutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import NoReturn, Self

from tests.kit.shell import ROOT, Result, be_the_program

#: What no command that is tried needs, and what takes as long to import as all the rest.
LEFT_OUT = (
    "cli.assistant",
    "cli.table",
    "cli.store.server",
    "cli.serving.hall",
    "cli.serving.running",
    "cli.serving.club_seats",
)


class Warm:
    """A process that is never told to stop before the end of the `with`, and forks itself for each command line."""

    def __init__(self, folder: Path, *, env: Mapping[str, str] | None = None, first: str = "") -> None:
        """`env` is set before its start, `first` is Python that is done before the first command line."""
        self._outputs = folder / "stdout", folder / "stderr"
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
        for name in ("CAMPAIGN", "PYTHONDONTWRITEBYTECODE"):
            environment.pop(name, None)
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"from tests.kit.warm import serve\n{first}\nserve()"],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        if error is not None:
            self._process.kill()
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def run(self, where: Path, *words: str, **env: str) -> Result:
        """A command line in this folder, with this in its environment besides; a signal's exit code is below 0."""
        assert self._process.stdin is not None and self._process.stdout is not None
        request = {"where": str(where), "words": words, "env": env, "outputs": [str(path) for path in self._outputs]}
        self._process.stdin.write(f"{json.dumps(request)}\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        return Result(code, *(path.read_text("utf-8", "replace") for path in self._outputs))


def serve() -> None:
    """Do each command line that is asked for on stdin, and answer with its exit code."""
    for package in ("cli", "domain", "projections"):
        for module in pkgutil.walk_packages([str(ROOT / package)], f"{package}."):
            if not module.name.startswith(LEFT_OUT):
                import_module(module.name)
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            _run_in_fork(request["where"], request["words"], request["env"], request["outputs"])
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.stdout.write(f"{code}\n")
        sys.stdout.flush()


def _run_in_fork(where: str, words: Sequence[str], env: Mapping[str, str], outputs: Sequence[str]) -> NoReturn:
    """Be that command."""
    os.chdir(where)
    os.environ.update(env)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, path in enumerate(outputs, 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    be_the_program(words)
