"""The server of the page, where it begins and ends."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

from cli.serving import running


def test_the_address_is_told_once_somebody_listens_there() -> None:
    server = SimpleNamespace(started=False, should_exit=False)
    turns = SimpleNamespace(look=lambda: None, end=lambda: None)
    serving = SimpleNamespace(invitations=SimpleNamespace(version=1), turns=turns)
    listened: list[bool] = []

    def ready() -> None:
        listened.append(server.started)
        server.should_exit = True

    async def starts() -> None:
        watching = asyncio.create_task(running._watch(cast(Any, server), cast(Any, serving), ready))
        await asyncio.sleep(0.05)
        assert not listened, "nobody listens yet"
        server.started = True
        await asyncio.wait_for(watching, 10)

    asyncio.run(starts())
    assert listened == [True]
