"""An assistant, in this process or at the other end of a real pipe, where the protocol's own client speaks."""

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from cli.assistant.arguments import arguments_of
from cli.assistant.assistant import Assistant
from cli.assistant.tools import TOOLS
from tests.kit.shell import PROGRAM, Shell

#: Seconds that a pipe may be silent.
LONGEST = 60.0
#: What a line draws rests on its place in the log alone, as in the examples.
COUNTED_SEEDS = """
import cli.assistant.readings as room, itertools, uuid
from domain.log.command_handler import CommandHandler
from domain.times import local_now
room.handler_for = lambda log: CommandHandler(
    log, clock=local_now, new_id=lambda: uuid.uuid4().hex, new_seed=lambda: log.last() + 1
)
"""


def asked(assistant: Assistant, name: str, **arguments: Any) -> dict[str, Any]:
    """The data that a tool answers in this process."""
    tool = TOOLS[name]
    answer = assistant.answer(tool.run, arguments_of(name, tool.takes, arguments))
    assert answer.text, name
    return answer.data


class Client:
    """One session of an assistant; `told` are the addresses of resources that it was notified of."""

    def __init__(self, session: ClientSession, told: list[str]) -> None:
        self.session, self.told = session, told

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The data that a tool answers."""
        result: Any = await self.session.call_tool(tool, arguments)
        assert not result.is_error, (tool, arguments, result.content)
        assert result.content[0].text, (tool, arguments)
        return dict(result.structured_content)

    async def wrong(self, tool: str, **arguments: Any) -> str:
        """The sentence about a call of a wrong shape."""
        result: Any = await self.session.call_tool(tool, arguments)
        assert result.is_error, result
        return str(result.content[0].text)

    async def say(self, *actions: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Preview and record, as a good keeper does."""
        seen = await self.call("preview", actions=list(actions), **more)
        return await self.call("record", actions=list(actions), fingerprint=seen["fingerprint"], **more)

    async def told_of(self, uri: str) -> None:
        """Wait until it is notified of a resource."""
        with anyio.fail_after(LONGEST):
            while uri not in self.told:
                await anyio.sleep(0.05)


def served_by(shell: Shell, *arguments: str, before: str = "") -> StdioServerParameters:
    """How a client starts `campaign mcp`; `before` is run in its process first."""
    code = f"{before}\n{PROGRAM[-1]}"
    return StdioServerParameters(
        command=PROGRAM[0], args=["-c", code, "mcp", *arguments], env=shell.environment(), cwd=shell.folder
    )


@asynccontextmanager
async def assistant(shell: Shell, *arguments: str, before: str = "") -> AsyncIterator[Client]:
    """`campaign mcp` as a process of its own; `before` is run in it first."""
    told: list[str] = []

    async def hear(message: Any) -> None:
        params = getattr(message, "params", None)
        told.append(str(getattr(params, "uri", type(message).__name__)))

    with anyio.fail_after(4 * LONGEST):
        async with (
            stdio_client(served_by(shell, *arguments, before=before), errlog=sys.stderr) as streams,
            ClientSession(*streams, message_handler=hear) as session,
        ):
            await session.initialize()
            yield Client(session, told)


def at_the_pipe(do: Callable[[], Awaitable[None]]) -> None:
    """Run what a test does with one or more assistants."""
    anyio.run(do)
