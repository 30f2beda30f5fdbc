"""What is bounded takes the last thing within its bound and refuses the first beyond it."""

import json

import pytest

from tests.kit.shell import Result, Shell, shell_after

shell = shell_after("new Crypt --rules osr --file dc.campaign", "osr enrol brog --rolled 4")


def imported(shell: Shell, *, turns: int = 2, turn_id: str | None = None) -> Result:
    """What an import says to the export of T1 and T2 that promises so many turns, and with this id of T2."""
    header, first, second, _ = shell.run("export").ok().rows()
    header["turns"] = turns
    second["id"] = second["id"] if turn_id is None else turn_id
    text = "".join(json.dumps(line) + "\n" for line in (header, first, second))
    (shell.folder / "dc.ndjson").write_text(text, "utf-8")
    return shell.run("import", "dc.ndjson", "--file", "again.campaign")


@pytest.mark.parametrize("length", [1, 200])
def test_an_id_of_up_to_200_characters_is_imported(shell: Shell, length: int) -> None:
    imported(shell, turn_id="x" * length).ok()


@pytest.mark.parametrize("length", [0, 201])
def test_an_id_of_none_or_more_is_not(shell: Shell, length: int) -> None:
    result = imported(shell, turn_id="x" * length)
    assert result.code != 0 and "an id of 1 to 200 characters" in result.err
    assert not (shell.folder / "again.campaign").exists()


def test_an_import_of_a_million_turns_is_begun_and_one_of_more_is_not(shell: Shell) -> None:
    assert "at most 1,000,000" in imported(shell, turns=1_000_001).err
    begun = imported(shell, turns=1_000_000).err
    assert begun and "at most" not in begun
    assert not (shell.folder / "again.campaign").exists()


def ones(count: int, between: str = ", ") -> str:
    return between.join(["1"] * count)


@pytest.mark.parametrize(
    ("within", "beyond"),
    [
        (f"select {ones(200)}", f"select {ones(201)}"),
        (f"select {ones(100, '+')}", f"select {ones(101, '+')}"),
        (f"select max({ones(100)})", f"select max({ones(101)})"),
        (" union all ".join(["select 1"] * 50), " union all ".join(["select 1"] * 51)),
    ],
    ids=["columns", "depth", "arguments", "compound"],
)
def test_a_question_may_be_so_complicated_and_no_more(shell: Shell, within: str, beyond: str) -> None:
    shell.run("query", within).ok()
    refused = shell.run("query", beyond)
    assert refused.code != 0 and refused.out == "" and refused.err.count("\n") == 1


def test_who_says_so_takes_up_to_200_characters(shell: Shell) -> None:
    shell.run("note", "Rain.", "--by", "x" * 200).ok()
    assert "1 to 200 characters" in shell.run("note", "Rain.", "--by", "x" * 201).err


def test_a_name_longer_than_a_file_can_have_is_told_in_a_sentence(shell: Shell) -> None:
    name = "x" * 300
    for command in (("log", "-c"), ("use",)):
        shell.run(*command, name).is_(2, f"{name} cannot be opened: the name is too long.")
