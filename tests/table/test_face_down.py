"""Cards that lie face down: on a screen that all look at, and at one seat. What was chosen is told by nothing there."""

import re
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

import pytest

from tests.kit.shell import Shell, shell_after
from tests.table.seen import SIZES, Seen, Table

#: The answer to every choice that Brann cannot make: it names no card.
HOW_TO_CHOOSE = (
    "Brann cannot choose that. Misspelt? "
    "Type select Brann LEAD SECOND (the card that gives the initiative and the other card), "
    "each by its name."
)
#: Two ways to choose; whoever looks on cannot tell them apart.
CHOICES = [(1, 4), (2, 5)]


#: Three players at the beginning of a round.
STAIRS = (
    "new Stairs --rules gloomhaven",
    "gloomhaven enrol Brann brute --player Bea",
    "gloomhaven enrol Sina spellweaver --player Ada",
    "gloomhaven enrol Cole brute --player Jo",
    "gloomhaven begin-scenario 1",
    "gloomhaven begin-round",
    "session open Stairs",
)
shell = shell_after(*STAIRS)


def stairs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """Such a table in a folder of its own."""
    folder.mkdir()
    found = Shell(folder, monkeypatch)
    found.do(*STAIRS)
    return found


def looked_at(table: Table, script: Callable[[Seen, list[str]], Awaitable[None]]) -> list[str]:
    """All that the screen showed while a script was played."""
    seen_at: list[str] = []

    async def play(seen: Seen) -> None:
        await script(seen, seen_at)

    table.play(play)
    return seen_at


@pytest.mark.parametrize("size", SIZES)
def test_typed_or_picked_the_screen_shows_nothing_of_it_until_the_reveal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    def choosing(first: int, second: int) -> Callable[[Seen, list[str]], Awaitable[None]]:
        async def choose(seen: Seen, shown: list[str]) -> None:
            for part in ("s", " ", "b", "r", "a", " ", str(first), " ", str(second)):
                await seen.press("space" if part == " " else part)
                shown.append(seen.everything())
            await seen.press("enter")
            shown.append(seen.everything())
            # another one picks with keys, and thinks again
            for key in ("2", "enter", str(first), str(second), "up"):
                await seen.press(key)
                shown.append(seen.everything())
            await seen.press("escape")
            await seen.type("s cole", "enter")
            for key in str(second) * 2:
                await seen.press(key)
            shown.append(seen.everything())
            await seen.type("status", "enter")
            await seen.type("log", "enter")
            await seen.type("diff T6", "enter")
            shown.append(seen.everything())

        return choose

    one, other = (
        looked_at(Table(stairs(tmp_path / str(pair), monkeypatch), size), choosing(*pair)) for pair in CHOICES
    )
    assert one == other
    assert "s bra •••" in one[8]
    assert "Brann selects two cards." in one[9]


def test_who_has_chosen_is_said_and_the_reveal_tells_all(shell: Shell) -> None:
    async def evening(seen: Seen) -> None:
        assert "chosen" not in seen.of("state")
        await seen.type("s bra 1 4", "enter")
        assert "Bea has chosen, 1 of 3" in seen.of("state")
        await seen.type("s sina 61 62", "enter")
        assert "Bea and Ada have chosen, 2 of 3" in seen.of("state")
        await seen.type("s cole 1 2", "enter")
        await seen.type("rev")
        assert "Trample" not in seen.everything(), "who looks could still choose otherwise"
        assert "neither selected" not in seen.everything(), "what waits is not dimmed by what nobody may see"
        await seen.press("enter")
        assert "chosen" not in seen.of("state")
        assert "Trample" in seen.chronicle[-1] and "Trample" in seen.of("party-lines")
        await seen.press("up", "up")
        assert "•" not in seen.line_as_shown and " 1 " not in seen.line, "what was typed unseen does not come back"

    Table(shell, (80, 24)).play(evening)


def test_what_cannot_be_chosen_does_not_say_what_it_was(shell: Shell) -> None:
    async def wrong(seen: Seen) -> None:
        for line in ("s bra 1 1", "s bra 1 61", "s bra trample 61", "s bra 99 1", "s bra 1 4 9"):
            await seen.type(line)
            assert " ".join(seen.of("preview").split()) == HOW_TO_CHOOSE
        await seen.press("enter")
        assert " ".join(seen.of("preview").split()) == HOW_TO_CHOOSE

    Table(shell, (80, 24)).play(wrong)


def test_who_may_choose_is_said_where_somebody_else_tries_or_nobody_is_named(shell: Shell) -> None:
    with Table(shell, (80, 24)).sitting() as table:
        assert table.answer("s bra 1 4").code == 0
        (nobody,) = table.answer("s dorn 1 4").lines
        assert nobody.startswith("Say who chooses: select Sina LEAD SECOND (")
        table.answer("s sina 61 62")
        (again,) = table.answer("s sina 61 61").lines
        assert again.startswith("Sina cannot choose that. Misspelt? Type select Sina")
        table.answer("s cole 1 2")
        assert table.answer("rev").code == 0
        (late,) = table.answer("s bra 1 4").lines
        assert late == "Cards and long rests are chosen only at the start of a round (GH 75)."


def test_one_player_alone_keeps_nothing_from_anybody(new_shell: Shell) -> None:
    new_shell.do(
        "new Alone --rules gloomhaven",
        "gloomhaven enrol Brann brute --player Bea",
        "gloomhaven enrol Sina spellweaver --player Bea",
        "gloomhaven begin-scenario 1",
        "gloomhaven begin-round",
    )

    async def choose(seen: Seen) -> None:
        await seen.type("s bra 1 4")
        assert seen.line_as_shown == "s bra 1 4"
        await seen.press("enter")
        assert "Trample" in seen.chronicle[-1]

    Table(new_shell, (80, 24)).play(choose)


def test_at_ones_own_seat_ones_own_cards_are_seen_and_nobody_elses(shell: Shell) -> None:
    shell.do("gloomhaven select Sina 61 62")

    async def sit(seen: Seen) -> None:
        party = seen.of("party-lines")
        assert "Tr 72" in party and "hand 6 cards" in party and "Fire" not in seen.everything()
        assert "select Brann" in seen.of("waiting") and "select Cole" not in seen.of("waiting")
        await seen.type("s bra ")
        assert "Trample" in seen.of("list")
        await seen.type("s sina ")
        assert "Fire" not in seen.of("list")
        await seen.type("s cole 1 2")
        assert seen.of("preview") == "Only Cole's player can say that."
        latest = int(seen.chronicle[-1].split()[0].removeprefix("T"))
        await seen.type(f"T{latest} ")
        assert "lead=61" not in seen.everything() and "Fire" not in seen.everything()
        await seen.type(f"T{latest} lead=61")
        assert "is not open to you" in seen.of("preview"), "nor whether it says that already"
        for command in ("query select 1", "stats"):
            await seen.type(command, "enter")
            assert f"{command.split()[0]} cannot keep secrets" in seen.everything()
        await seen.type("s bra 1 4", "enter")
        assert "Brann selects Trample, then Provoking Roar." in seen.chronicle[-1]

    Table(shell, (80, 24), viewer="Bea").play(sit)


def test_at_the_plain_prompt_the_keys_are_not_echoed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    for first, second in CHOICES:
        shell = stairs(tmp_path / str(first), monkeypatch)
        with shell.seated("play", "--plain", "--color", "never") as seat:
            seat.see(b"select Brann")
            seat.press(b"1\n")
            seat.see(b"gives the initiative")
            seat.see(b"Spare Dagger: 27\r\n? ")
            seat.press(f"{first}\n".encode())
            seat.see(b"the other card")
            seat.see(b"Spare Dagger: 27\r\n? ")
            seat.press(f"{second}\n".encode())
            seat.see(b"1 of 3")
            seat.see(b"> ")
            shown.append(seat.output)
            seat.press(b"quit\n")
            assert seat.end() == 0
    assert shown[0] == shown[1]
    assert b"Brann selects two cards." in shown[0]


def plain(lines: Iterable[str]) -> str:
    """What a reply says, without colours."""
    return "\n".join(re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines)


def test_what_comes_of_a_revision_is_told_while_nothing_lies_face_down(shell: Shell) -> None:
    with Table(shell, (80, 24)).sitting() as table:
        hit = table.log.last() + 1
        table.answer("d sina 2 no-attack")
        table.choose("1")
        table.answer("h sina 1")
        told = plain(table.answer(f"T{hit} amount=1").lines)
        assert "was: Sina suffers 2 damage" in told and "now: Sina suffers 1 damage" in told and "hp 5 → 6" in told
        done = plain(table.choose("yes").lines)
        assert f"Amends T{hit}" in done and "was:" not in done, "it was told before"
        table.answer("s bra 1 4")
        hidden = plain(table.answer(f"T{hit} amount=2").lines)
        assert "was:" not in hidden and "may depend on cards that you cannot see" in hidden


@pytest.mark.parametrize("line", ["r", "{} lead=5", "{} second=6"])
def test_a_choice_that_was_never_revealed_is_told_by_no_preview(shell: Shell, line: str) -> None:
    with Table(shell, (80, 24)).sitting() as table:
        number = table.log.last() + 1
        table.answer("s bra 1 4")
        table.answer("note meanwhile")
        table.answer(f"undo T{number}")
        table.choose("yes")
        told = plain(table.answer(line.format(f"T{number}")).lines)
        assert not any(card in told for card in ("Trample", "Provoking", "Assault", "Grab")), told


#: Lines with numbers that are no card's.
OPEN = (
    "brann takes 2", "brann -2", "brann heals 2", "brann attacks guard 3", "damge brann 3", "T3 2 --dry-run", "T3 9 9",
    "brann takes 2 --dry-run", "i 1", "brann is hit for 2", "T8 2", "T8 2 --dry-run",
)  # fmt: skip


def test_a_number_that_means_something_else_is_seen(shell: Shell) -> None:
    shell.do("gloomhaven damage brann 3 'a spike'")

    async def say(seen: Seen) -> None:
        for line in OPEN:
            await seen.type(line)
            assert seen.line_as_shown == line

    Table(shell, (80, 24)).play(say)
