"""The protocol's own client over a real pipe: whole evenings, two at once, cut off, and what it is told."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client as McpClient

from cli.shell.examples import FOLDER, examples, first_turn
from cli.shell.jsonlines import action_and_author, strict_object
from cli.store.making import create
from domain.log.backdating import NOW
from tests.kit.assistants import COUNTED_SEEDS, Client, assistant, at_the_pipe, served_by
from tests.kit.beginnings import WITH_BROG
from tests.kit.evenings import recorded
from tests.kit.shell import Shell, shell_after

shell = shell_after(*WITH_BROG)

HIT = {"type": "osr.damage", "character": "brog", "amount": 4}
NOTE = {"type": "note", "text": "on it goes"}


@pytest.mark.parametrize("name", examples())
def test_an_evening_is_kept_by_preview_and_record_alone(new_shell: Shell, name: str) -> None:
    example = examples()[name]
    create(Path("evening.campaign"), f"evening-{name}", first_turn(example))
    lines = (FOLDER / name / "actions.ndjson").read_bytes().splitlines()

    async def keep() -> None:
        asked = 0
        async with assistant(new_shell, "-c", "evening.campaign", before=COUNTED_SEEDS) as client:
            for number, line in enumerate(lines, 2):
                value = strict_object(line)
                _, about = action_and_author(example.rules, dict(value))
                backdating = about.get("backdating", NOW)
                place = {"after": backdating.after, "before": backdating.before, "conflicts": backdating.conflicts}
                more = {key: text for key, text in place.items() if text is not None}
                action = {key: value[key] for key in value if key not in {*more, "at", "cites"} - {"type"}}
                if "by" in about:
                    del action["by"]
                seen = await client.call("preview", actions=[action], **more)
                asked += "question" in seen
                sent = {"actions": [action], "fingerprint": seen["fingerprint"], "by": about.get("by"), **more}
                done = await client.call("record", **sent)
                while "question" in done:  # about what was drawn: said again, it is meant as it stands
                    asked += 1
                    done = await client.call("record", **sent)
                assert done["turns"] == [number], (action, seen, done)
            table = await client.call("table")
            assert table["characters"] == recorded(name)["characters"]
        assert asked or name == "drowned-chapel"

    at_the_pipe(keep)
    new_shell.do("verify")


def test_it_is_killed_in_the_middle_and_another_goes_on(shell: Shell) -> None:
    with shell.start("mcp") as process:
        assert process.stdin is not None and process.stdout is not None
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        calls: list[dict[str, Any]] = [
            {"id": 0, "method": "initialize", "params": hello},
            {"method": "notifications/initialized"},
            *(
                {"id": number, "method": "tools/call", "params": {"name": "record", "arguments": {"actions": [NOTE]}}}
                for number in range(1, 500)
            ),
        ]
        process.stdin.write(b"".join(json.dumps({"jsonrpc": "2.0", **call}).encode() + b"\n" for call in calls))
        process.stdin.flush()
        for _ in range(5):
            process.stdout.readline()
        process.kill()
    shell.do("verify")
    last = json.loads(shell.run("status", "--json").ok().out)["campaign"]["turn"]
    assert 4 < last < 400

    async def go_on() -> None:
        async with assistant(shell) as client:
            assert (await client.say(HIT))["turns"] == [last + 1]

    at_the_pipe(go_on)


@pytest.mark.filterwarnings("ignore:resources/subscribe is removed")
def test_two_keep_the_same_log_and_are_told_of_each_other_and_of_the_shell(shell: Shell) -> None:
    async def keep() -> None:
        sheet, recap = "campaign://sheet/brog", "campaign://recap"
        async with assistant(shell) as one, McpClient(served_by(shell)) as other:
            await one.session.subscribe_resource(recap)
            async with other.listen(resource_subscriptions=[sheet, recap]) as events:
                seen: Any = await other.call_tool("preview", {"actions": [HIT]})
                assert (await one.say(HIT))["turns"] == [3]
                assert await until(events, 2) == {sheet, recap}
                late: Any = await other.call_tool(
                    "record", {"actions": [HIT], "fingerprint": seen.structured_content["fingerprint"]}
                )
                assert "moved on" in late.structured_content["refused"]["reason"]
                contents: Any = await other.read_resource(sheet)
                assert json.loads(contents.contents[0].text)["hp"] == 7
                one.told.clear()
                await anyio.to_thread.run_sync(lambda: shell.process("note", "from the shell"))
                assert await until(events, 1) == {recap}
                await one.told_of(recap)

    async def until(events: Any, count: int) -> set[str]:
        """The resources of the next events."""
        told: set[str] = set()
        with anyio.fail_after(60):
            while len(told) < count:
                told.add((await anext(events)).uri)
        return told

    at_the_pipe(keep)


def test_what_it_is_offered_says_truly_what_reads_and_what_writes(shell: Shell) -> None:
    async def look() -> None:
        offered: dict[bool, Any] = {}
        for readonly in (False, True):
            async with assistant(shell, *(["--readonly"] if readonly else [])) as client:
                offered[readonly] = {tool.name: tool for tool in (await client.session.list_tools()).tools}
                if readonly:
                    await refused(client)
                await look_at(client)
        writes = {name for name, tool in offered[False].items() if not tool.annotations.read_only_hint}
        assert writes == {"record", "undo", "redo", "amend"} == offered[False].keys() - offered[True].keys()
        assert not any(tool.annotations.destructive_hint for tool in offered[False].values())

    async def refused(client: Client) -> None:
        with pytest.raises(Exception, match="There is no tool 'record'"):
            await client.session.call_tool("record", {"actions": [HIT]})

    async def look_at(client: Client) -> None:
        prompts = (await client.session.list_prompts()).prompts
        for prompt in prompts:
            text: Any = (await client.session.get_prompt(prompt.name)).messages[0].content
            assert "preview" in text.text
        assert [prompt.name for prompt in prompts] == ["keep-the-log", "settle-a-dispute"]
        resources = [resource.uri for resource in (await client.session.list_resources()).resources]
        assert list(map(str, resources)) == ["campaign://sheet/brog", "campaign://recap", "campaign://rulebook"]
        assert "It takes actions" in await client.wrong("preview", action=HIT)

    at_the_pipe(look)
    assert '"turn":2' in shell.run("status", "--json").ok().out.replace(" ", "")
