"""The server of one campaign for one assistant, on the protocol's own kit: tools, resources that notify, prompts."""

from contextlib import suppress
from typing import Any
from urllib.parse import quote, unquote

import anyio
import msgspec
from mcp import types
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourcesListChanged, ResourceUpdated
from mcp.shared.exceptions import MCPError

from cli.assistant.arguments import RecapArguments, arguments_of, schema_of
from cli.assistant.assistant import Assistant
from cli.assistant.tools import DATA, INSTRUCTIONS, PROMPTS, TOOLS, Tool
from cli.shell.failures import invalid_sentence, system_failure
from cli.shell.partial_failure import AFTERWARDS
from cli.shell.versions import version_of
from cli.terminal.screen import safe
from domain.refusal import Incomplete, Invalid, Refusal
from domain.values import as_json

#: Seconds between two looks for turns from elsewhere.
LOOKS = 0.5
SHEET, RECAP, RULEBOOK = "campaign://sheet/", "campaign://recap", "campaign://rulebook"
JSON, MARKDOWN = "application/json", "text/markdown"
#: The protocol's codes for a resource that is not there, and for what was asked wrongly.
NO_SUCH_RESOURCE, WRONG_PARAMETERS = -32002, -32602


class AssistantServer:
    """What is answered to the one assistant at the other end of the pipe."""

    def __init__(self, assistant: Assistant, *, readonly: bool = False) -> None:
        self.assistant = assistant
        self.tools = {name: tool for name, tool in TOOLS.items() if tool.reads or not readonly}
        #: what is subscribed to one by one, each with the session that is told; the bus has what is listened to
        self._subscribed: dict[str, Any] = {}
        self._session: Any = None
        self._bus = InMemorySubscriptionBus()
        self._last, self._sheets = assistant.handler.last(), assistant.sheets()
        self.server: Server[Any] = Server(
            "campaign",
            version=version_of("campaign-log"),
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=ListenHandler(self._bus),
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )

    async def run(self) -> None:
        """Answer on standard input and output until the assistant closes them."""
        async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as tasks:
            tasks.start_soon(self._follow)
            options = self.server.create_initialization_options(NotificationOptions(resources_changed=True))
            await self.server.run(incoming, outgoing, options)
            tasks.cancel_scope.cancel()

    # -- tools ---------------------------------------------------------------------------------------------

    async def _list_tools(self, context: Any, _: Any) -> Any:
        self._session = context.session
        return types.ListToolsResult.model_validate({"tools": [_described(tool) for tool in self.tools.values()]})

    async def _call_tool(self, context: Any, call: Any) -> Any:
        self._session = context.session
        tool = self.tools.get(call.name)
        if tool is None:
            raise MCPError(WRONG_PARAMETERS, f"There is no tool {call.name[:60]!r}; there are {', '.join(self.tools)}.")
        try:
            with self.assistant.log.looking_once():
                given = arguments_of(tool.name, tool.takes, call.arguments)
                answer = self.assistant.answer(tool.run, given)
        except Exception as error:
            return _result([_text(_sentence_of(error))], isError=True)
        finally:
            if not tool.reads:
                await self._tell()
        return _result([_text(answer.text)], structuredContent=msgspec.to_builtins(answer.data))

    # -- resources -----------------------------------------------------------------------------------------

    async def _list_resources(self, context: Any, _: Any) -> Any:
        self._session = context.session
        sheets = [
            {"uri": _address(name), "name": safe(name), "title": f"The sheet of {safe(name)}", "mimeType": JSON}
            for name in self.assistant.sheets()
        ]
        recap = {"uri": RECAP, "name": "recap", "title": "The last evening's recap", "mimeType": MARKDOWN}
        rulebook = {"uri": RULEBOOK, "name": "rulebook", "title": "The rules as they are played", "mimeType": MARKDOWN}
        return types.ListResourcesResult.model_validate({"resources": [*sheets, recap, rulebook]})

    async def _read_resource(self, context: Any, asked: Any) -> Any:
        self._session = context.session
        uri = str(asked.uri)
        try:
            kind, text = self._resource(uri)
        except (Refusal, Invalid, *AFTERWARDS) as error:
            raise MCPError(NO_SUCH_RESOURCE, safe(_sentence_of(error))) from None
        contents = {"uri": uri, "mimeType": kind, "text": safe(text, lines=True)}
        return types.ReadResourceResult.model_validate({"contents": [contents]})

    def _resource(self, uri: str) -> tuple[str, str]:
        if uri.startswith(SHEET):
            sheets, name = self.assistant.sheets(), unquote(uri.removeprefix(SHEET))
            if name in sheets:
                return JSON, as_json(sheets[name])
        elif uri.rstrip("/") == RECAP:
            return MARKDOWN, self.assistant.recap(RecapArguments()).text
        elif uri.rstrip("/") == RULEBOOK:
            return MARKDOWN, self.assistant.rulebook()
        raise Invalid(f"There is no resource {uri[:200]!r}; list them to see which there are.")

    async def _subscribe(self, context: Any, asked: Any) -> Any:
        self._subscribed[str(asked.uri)] = context.session
        return types.EmptyResult()

    async def _unsubscribe(self, _: Any, asked: Any) -> Any:
        self._subscribed.pop(str(asked.uri), None)
        return types.EmptyResult()

    async def _follow(self) -> None:
        """Look for turns that somebody else recorded, for as long as the pipe is open."""
        while True:
            await anyio.sleep(LOOKS)
            with suppress(*AFTERWARDS):  # what cannot be read now may be read again soon
                await self._tell()

    async def _tell(self) -> None:
        """Notify of what changed since the last look: sheets that differ, and after any turn what is told of it."""
        last = self.assistant.handler.last()
        if last == self._last:
            return
        sheets, before = self.assistant.sheets(), self._sheets
        self._last, self._sheets = last, sheets
        differ = [name for name in {**before, **sheets} if before.get(name) != sheets.get(name)]
        for uri in (*map(_address, differ), RECAP, RULEBOOK):
            await self._bus.publish(ResourceUpdated(uri))
            if uri in self._subscribed:
                await self._subscribed[uri].send_resource_updated(uri)
        if before.keys() != sheets.keys():
            await self._bus.publish(ResourcesListChanged())
            if self._session is not None:
                await self._session.send_resource_list_changed()

    # -- prompts -------------------------------------------------------------------------------------------

    async def _list_prompts(self, *_: Any) -> Any:
        prompts = [{"name": name, "title": title} for name, (title, _) in PROMPTS.items()]
        return types.ListPromptsResult.model_validate({"prompts": prompts})

    async def _get_prompt(self, _: Any, asked: Any) -> Any:
        if asked.name not in PROMPTS:
            raise MCPError(WRONG_PARAMETERS, f"There is no prompt {asked.name[:60]!r}; there are {', '.join(PROMPTS)}.")
        title, text = PROMPTS[asked.name]
        messages = [{"role": "user", "content": _text(text)}]
        return types.GetPromptResult.model_validate({"description": title, "messages": messages})


def _described(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": f"{tool.description}{DATA if tool.has_words else ''}",
        "inputSchema": schema_of(tool.takes),
        # what is recorded can be taken back, and nothing is reached outside the log
        "annotations": {
            "title": tool.title,
            "readOnlyHint": tool.reads,
            "destructiveHint": False,
            "idempotentHint": tool.reads,
            "openWorldHint": False,
        },
    }


def _result(content: list[dict[str, Any]], **more: Any) -> types.CallToolResult:
    return types.CallToolResult.model_validate({"content": content, **more})


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": safe(text, lines=True)}


def _address(name: str) -> str:
    return f"{SHEET}{quote(name, safe='')}"


def _sentence_of(error: Exception) -> str:
    """What is said of what went wrong; a bug is raised again."""
    if isinstance(error, Invalid):
        return invalid_sentence(error)
    if isinstance(error, Refusal | Incomplete):
        return str(error)
    failure = system_failure(error)
    if failure is None:
        raise error
    return failure[0]
