"""Versions, and which file is used and why.

Also whether every turn of it can be read.
"""

import platform
import sqlite3
import sys
from typing import Any

from cli.pages.rows import Format
from cli.shell import options
from cli.shell.choose import choose
from cli.shell.failures import DAMAGED
from cli.shell.versions import version_of
from cli.store.failures import Unopenable
from cli.store.file import open_campaign
from cli.terminal.screen import Screen, Span, as_text
from domain.log.folding import state_at
from domain.log.port import Damaged
from domain.log.standing import judge
from domain.refusal import Invalid
from domain.system.registry import SYSTEMS, system_of

LIBRARIES = ("eventsourcing", "msgspec", "typer", "sqlite-utils", "rich", "portalocker")


def doctor(
    output: options.Output = Format.text,
    json: options.Json = False,
    campaign: options.Campaign = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    import typer

    screen = Screen(color)
    told: dict[str, Any] = {
        "campaign": version_of("campaign-log"),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        **{name: version_of(name) for name in LIBRARIES},
        "platform": f"{platform.system()} {platform.machine()}",
        "executable": as_text(sys.executable),
        "rule systems": {key: system_of(key).version for key in SYSTEMS},
    }
    code = 0
    try:
        chosen = choose(campaign)
        told |= {"file": as_text(chosen.path.absolute()), "why this one": chosen.why}
        with open_campaign(chosen.path) as log:
            system = system_of(log.rules)
            for _ in log.read():
                pass  # a kept state would spare the turns before it the reading
            state = state_at(system, log)
            judgement = judge(log)
            told |= {
                "name": state.campaign.name,
                "id": log.campaign_id,
                "rules": log.rules,
                "turns": log.last(),
                "standing": log.last() - len(judgement.undone),
                "characters": len(state.characters),
            }
            told["health"] = "every turn can be read"
            if log.notice:
                told["notice"] = log.notice
    except Invalid as error:
        told["file"] = f"none: {error.reason}"
    except Unopenable as error:
        told["health"], code = error.reason, error.exit_code
    except Damaged as error:
        told["health"], code = str(error), DAMAGED
    if json or output is Format.json:
        screen.json(told)
    else:
        width = max(map(len, told)) + 2
        for name, value in told.items():
            shown = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else str(value)
            screen.line(Span(f"{name:<{width}}", "dim"), shown, indent=None)
    screen.flush()
    if code:
        raise typer.Exit(code)
