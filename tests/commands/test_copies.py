"""Two files that are one campaign, as a sync tool leaves them: named, with what brings them together."""

import shutil

from tests.kit.shell import Shell

JOIN = "campaign join 'dc (conflicted copy).campaign' -c dc.campaign"


def test_a_conflicted_copy_is_named_until_it_is_joined(shell: Shell) -> None:
    shell.run("new", "Crypt", "--rules", "osr", "--file", "dc.campaign").ok()
    shutil.copy(shell.folder / "dc.campaign", shell.folder / "dc (conflicted copy).campaign")
    assert "another copy" not in shell.run("status", "-c", "dc.campaign").err, "it has nothing that is not here"
    shell.run("note", "There.", "-c", "dc (conflicted copy).campaign").ok()
    assert "another copy" in shell.run("note", "Here.", "-c", "dc.campaign").err
    for words in ("list",), ("doctor",):
        out = " ".join(shell.run(*words).out.split())
        assert "are one campaign; campaign join" in out, words
    assert "are one campaign" not in shell.run("list", "-O", "json").out
    said = " ".join(shell.run("status", "-c", "dc.campaign").err.split())
    assert "with turns up to T2 that are not here" in said and JOIN in said
    shell.run("join", "dc (conflicted copy).campaign", "-c", "dc.campaign").ok()
    assert "another copy" not in shell.run("status", "-c", "dc.campaign").err
