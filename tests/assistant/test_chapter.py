"""The settings of two clients in the manual start a server that the protocol's own client understands."""

import json
from typing import Any

from tests.kit.assistants import assistant, at_the_pipe
from tests.kit.chapters import MANUAL, blocks
from tests.kit.shell import Shell, shell_after

shell = shell_after("new Evening --rules osr --file evening.campaign", "osr enrol Brog --player Mia --level 2")


def test_the_settings_of_both_clients_work(shell: Shell) -> None:
    settings: list[dict[str, Any]] = [
        json.loads(block) for kind, block in blocks(MANUAL / "assistant.md") if kind == "json"
    ]
    servers = [settings[0]["mcpServers"]["campaign"], settings[1]["servers"]["campaign"]]
    assert [server["command"] for server in servers] == ["campaign", "campaign"]

    async def connect() -> None:
        for server, reads in zip(servers, (False, True), strict=True):
            command, *arguments = [word.replace("/home/mia", str(shell.folder)) for word in server["args"]]
            assert command == "mcp"
            async with assistant(shell, *arguments) as client:
                tools = {tool.name for tool in (await client.session.list_tools()).tools}
                assert ("record" not in tools) == reads
                assert (await client.call("table"))["characters"]["Brog"]["player"] == "Mia"

    at_the_pipe(connect)
