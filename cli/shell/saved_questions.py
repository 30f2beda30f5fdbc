"""The questions in SQL that a keeper saved: a file for each, in a folder of the campaign on this machine.

They lie in the state folder and not beside the tables, since those may be deleted at any time.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from cli.shell.options import NotFound
from cli.shell.outfile import write_whole
from cli.store.failures import because
from cli.store.folders import state_folder, view_path
from cli.store.stored_log import StoredLog
from domain.log.port import NotSaved
from domain.naming import did_you_mean, listed
from domain.refusal import Invalid

#: What a name consists of; by it a name is told from SQL.
NAME = re.compile(r"[\w-]+")
#: What a colon inside is no parameter: texts, quoted names, comments.
_NO_PARAMETERS = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/""", re.DOTALL)


class SavedQuestion(Struct, frozen=True):
    """A question that was saved, with the names of its parameters in the order of the text."""

    name: str
    sql: str
    parameters: tuple[str, ...]


def folder_of(log: StoredLog) -> Path:
    """The folder of the questions of a campaign, whichever branch is read; it may not be there yet."""
    return state_folder() / "views" / view_path(log.campaign_id).stem


def parameters_in(sql: str) -> tuple[str, ...]:
    """The names that stand behind a colon in SQL, each once."""
    return tuple(dict.fromkeys(re.findall(r":([A-Za-z_]\w*)", _NO_PARAMETERS.sub(" ", sql))))


def saved_questions(log: StoredLog) -> dict[str, SavedQuestion]:
    """The saved questions by name; files that cannot be read are left out."""
    found = {}
    for file in sorted(folder_of(log).glob("*.sql")):
        try:
            sql = file.read_text("utf-8").strip()
        except (OSError, ValueError):
            continue
        found[file.stem] = SavedQuestion(file.stem, sql, parameters_in(sql))
    return found


def save(log: StoredLog, name: str, sql: str) -> None:
    """Keep a question under a name, in place of one of that name. Raises NotSaved."""
    file = folder_of(log) / f"{name}.sql"
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(file, [f"{sql.strip()}\n".encode()])
    except OSError as error:
        raise NotSaved(f"{name} was not saved: {file.parent} cannot be written: {because(error, file)}.") from error


def forget(log: StoredLog, name: str) -> None:
    """Delete a saved question. Raises NotFound if there is none of that name, NotSaved for the disk."""
    saved = saved_questions(log)
    if name not in saved:
        raise NotFound(f"No question {name!r} is saved; {did_you_mean(name, saved, otherwise='none is.')}")
    file = folder_of(log) / f"{name}.sql"
    try:
        file.unlink()
    except OSError as error:
        raise NotSaved(f"{name} is still saved: {file} cannot be deleted: {because(error, file)}.") from error


def must_have_values(question: SavedQuestion, values: Mapping[str, object]) -> None:
    """Raise Invalid, with a line to type, where the value of a parameter is missing."""
    if missing := [name for name in question.parameters if name not in values]:
        line = " ".join(f"-p {name}=…" for name in question.parameters)
        raise Invalid(f"{question.name} needs {listed(missing)}: campaign query {question.name} {line}")
