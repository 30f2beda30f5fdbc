"""What an assistant costs: `uv run python -m tests.campaigns.benchmark_assistant --turns 20000 --rounds 9`.

Its start, up to the answer to the first request, beside a Typer program that does nothing and beside the import of the
protocol's kit alone, in turns; and each call beside the same on the shell's command line, in one process.
"""

import argparse
import contextlib
import io
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cli.assistant.assistant import Assistant
from cli.shell.command_context import open_chosen
from cli.shell.command_line import run
from tests.campaigns.benchmark_lived import CAMPAIGN, NOOP, PLAYED
from tests.kit.assistants import asked

KIT = "import mcp.server.lowlevel.server, mcp.server.stdio"
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}
REST = {"type": "osr.short_rest", "characters": ["brog"]}
#: A call of a tool, and the same on the shell.
CALLS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("table", {}, "status --json"),
    ("log", {}, "log -n 20 --json"),
    ("why", {"what": "brog.hp", "n": 20}, "why brog.hp -n 20 --json"),
    ("preview", {"actions": [REST]}, "short-rest brog --dry-run --json"),
    ("record", {"actions": [{"type": "note", "text": "Rain"}]}, "note Rain"),
)


def started(code: str, *arguments: str) -> float:
    """The processor's seconds of one process that is asked to say hello, to its end."""
    hello = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO})
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-c", code, *arguments], input=f"{hello}\n".encode(), capture_output=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def took(do: Callable[[], object]) -> float:
    """The processor's milliseconds of one call."""
    start = time.process_time()
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")):
        do()
    return 1000 * (time.process_time() - start)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            os.environ[name] = str(Path(folder, name))
        subprocess.run([sys.executable, "-c", PLAYED, folder, str(options.turns)], check=True)
        path = str(next(Path(folder).glob("*.campaign")))
        programs = {"Typer no-op": (NOOP,), "the kit alone": (KIT,), "campaign mcp": (CAMPAIGN, "mcp", "-c", path)}
        starts = [{name: started(*program) for name, program in programs.items()} for _ in range(options.rounds)]
        for name in programs:
            seconds = statistics.median(row[name] for row in starts)
            ratio = statistics.median(row[name] / row["Typer no-op"] for row in starts)
            print(f"{name}: {seconds:.2f} s, {ratio:.1f} of the no-op")
        with open_chosen(path, write=True) as (log, system):
            assistant = Assistant(log, system)
            for tool, arguments, line in CALLS:
                pairs = [
                    (
                        took(lambda tool=tool, arguments=arguments: asked(assistant, tool, **arguments)),  # type: ignore[misc]
                        took(lambda line=line: run([*line.split(), "-c", path])),  # type: ignore[misc]
                    )
                    for _ in range(options.rounds)
                ]
                call, shell = (statistics.median(times) for times in zip(*pairs, strict=True))
                print(f"{tool}: {call:.1f} ms; campaign {line}: {shell:.1f} ms; ratio {call / shell:.2f}")


if __name__ == "__main__":
    main()
