"""Who recorded a turn, and that an assistant did it for them: on record, in every reading, through every copy."""

import json

from cli.shell.command_context import handler_for, open_chosen
from domain.common.notes import Note
from tests.kit.beginnings import WITH_BROG
from tests.kit.shell import Shell, shell_after

shell = shell_after(*WITH_BROG)


def recorded_by_an_assistant(by: str | None) -> None:
    with open_chosen(None, write=True) as (log, _):
        handler_for(log).record(Note(text="the door is open"), by=by, via="assistant")


def test_the_log_says_that_an_assistant_recorded_it(shell: Shell) -> None:
    recorded_by_an_assistant("Mia")
    recorded_by_an_assistant(None)
    *_, first, second = shell.run("log").ok().out.splitlines()
    assert (first[-23:], second[-17:]) == (" (Mia, by an assistant)", " (by an assistant)"[1:])
    row = json.loads(shell.run("log", "-O", "ndjson", "--by", "Mia").ok().out)
    assert (row["by"], row["via"]) == ("Mia", "assistant")
    assert "logged by Mia, by an assistant" in shell.run("show", f"T{row['turn']}").ok().out
    rows = shell.run("query", "--json", "select by, via from turns where via is not null order by turn").ok().out
    assert json.loads(rows) == [{"by": "Mia", "via": "assistant"}, {"by": None, "via": "assistant"}]


def test_what_nobody_else_recorded_says_nothing_of_it(shell: Shell) -> None:
    shell.do("note hello --by Mia")
    assert "via" not in json.loads(shell.run("log", "-O", "ndjson", "-n", "1").ok().out)
    assert '"via"' not in shell.run("export").ok().out


def test_it_goes_along_into_a_copy_and_from_a_branch(shell: Shell) -> None:
    shell.do("branch try")
    recorded_by_an_assistant("Mia")
    shell.do("switch main", "adopt try", "export -o all.ndjson", "import all.ndjson --file copy.campaign")
    for campaign in ((), ("-c", "copy.campaign")):
        shell.run("verify", *campaign).ok()
        rows = [json.loads(line) for line in shell.run("log", "-O", "ndjson", *campaign).ok().out.splitlines()]
        assert [(row["by"], row["via"]) for row in rows if "via" in row] == [("Mia", "assistant")]
