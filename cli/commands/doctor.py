"""Show versions, and which file is used and why.

Also whether its pages are whole and every turn of it can be read, whether its turns have links, and how old its last
backup is.

Examples:
  campaign doctor
"""

import platform
import sqlite3
import sys
from pathlib import Path
from typing import Any

from cli.pages.rows import write_facts
from cli.shell.campaigns import campaigns_of, copies_among
from cli.shell.choose import choose
from cli.shell.command_context import naming_damage
from cli.shell.ending import DAMAGED, Ended
from cli.shell.last_seen_store import memory_of
from cli.shell.reading import ReadOptions, reads
from cli.shell.versions import version_of
from cli.store.anywhere import open_log
from cli.store.checking import damaged_pages
from cli.store.failures import Unopenable
from cli.store.server.address import is_server, server_address
from cli.store.stored_log import StoredLog
from cli.terminal.screen import as_text
from domain.log.effective_history import effective_history
from domain.log.folding import state_at
from domain.log.port import DamagedLog
from domain.naming import quantity
from domain.refusal import Invalid
from domain.registry import system_of
from domain.system.installed import installed
from domain.times import local_now
from projections.views.tables import has_full_text

#: The oldest SQLite that runs the queries on the tables.
OLDEST_SQLITE = (3, 34)
LIBRARIES = ("eventsourcing", "msgspec", "typer", "sqlite-utils", "rich")


def _backup(log: StoredLog) -> str:
    """The age of the last backup, and how many turns it lacks."""
    last = memory_of(log.campaign_id).backup
    if last is None:
        return "none known here; campaign backup FILE makes one"
    days = max(0, (local_now() - last.moment).days)
    age = "today" if days == 0 else f"{quantity(days, 'day')} ago"
    since = log.last() - last.turn
    more = f"; {quantity(since, 'turn')} since" if since > 0 else ""
    return f"{age}, T{last.turn}, in {as_text(Path(last.file))}{more}"


def _sqlite() -> str:
    """The version of SQLite, and the features that it lacks."""
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        oldest = ".".join(map(str, OLDEST_SQLITE))
        return f"{sqlite3.sqlite_version}, older than {oldest}: tables and questions may fail"
    if not has_full_text():
        return f"{sqlite3.sqlite_version}, without FTS5: words are looked for in every sentence"
    return sqlite3.sqlite_version


@reads(without=("at", "as_"))
def doctor(request: ReadOptions) -> None:
    facts: dict[str, Any] = {
        "campaign": version_of("campaign-log"),
        "python": platform.python_version(),
        "sqlite": _sqlite(),
        **{name: version_of(name) for name in LIBRARIES},
        "platform": f"{platform.system()} {platform.machine()}",
        "executable": as_text(sys.executable),
        "rule systems": {key: system_of(key).version for key in installed()},
    }
    code = 0
    try:
        campaign = choose(request.campaign)
        file = (
            str(server_address(campaign.address))
            if is_server(campaign.address)
            else as_text(Path(campaign.address).absolute())
        )
        facts |= {"file": file, "why this one": campaign.why}
        with open_log(campaign.address) as log, naming_damage(log):
            system = system_of(log.rules)
            for _ in log.read():
                pass  # every turn is decoded here; folding from a snapshot would skip those before it
            state = state_at(system, log)
            effective = effective_history(log)
            facts |= {
                "name": state.campaign.name,
                "id": log.campaign_id,
                "rules": log.rules,
                "turns": log.last(),
                "standing": log.last() - len(effective.undone_by),
                "characters": len(state.characters),
            }
            wrong = list(damaged_pages(log))
            facts["health"] = wrong[0].sentence if wrong else "every turn can be read"
            code = DAMAGED if wrong else 0
            if log.is_linked:
                facts["links"] = "every turn has its link; `campaign verify` checks them"
            else:
                facts["links"] = "none yet: the campaign is older than links and gets them with its next turn"
            facts["backup"] = _backup(log)
            if not is_server(campaign.address):
                folder = Path(campaign.address).absolute().parent
                same = [each for each in campaigns_of(folder) if each.campaign_id == log.campaign_id]
                facts |= {"copies": " ".join(copies)} if (copies := copies_among(same)) else {}
            if log.notice:
                facts["notice"] = log.notice
    except Invalid as error:
        facts["file"] = f"none: {error.reason.partition(chr(10))[0]}"
    except Unopenable as error:
        facts["health"], code = error.reason, error.exit_code
    except DamagedLog as error:
        facts["health"], code = str(error), DAMAGED
    write_facts(request.screen, facts, request.form)
    request.screen.flush()
    if code:
        raise Ended(code)
