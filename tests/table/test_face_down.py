"""Cards that lie face down: on a screen that all look at, and at one seat. What was chosen is told by nothing there."""

import re
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

import pytest

from tests.kit.shell import Shell
from tests.table.seen import SIZES, Seen, Table

#: The answer to every choice that Brann cannot make: it names no card.
HOW_TO_CHOOSE = (
    "Brann cannot choose that. Misspelt? "
    "Type select Brann LEAD SECOND (the card that gives the initiative and the other card), "
    "each by number or name."
)
#: Two ways to choose; whoever looks on cannot tell them apart.
CHOICES = [(1, 4), (2, 5)]


def stairs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """Three players at the beginning of a round."""
    folder.mkdir(exist_ok=True)
    found = Shell(folder, monkeypatch)
    found.do(
        "new Stairs --rules gloomhaven",
        "gloomhaven enrol Brann brute --player Bea",
        "gloomhaven enrol Sina spellweaver --player Ada",
        "gloomhaven enrol Cole brute --player Jo",
        "gloomhaven begin-scenario 1",
        "gloomhaven begin-round",
        "session open Stairs",
    )
    return found


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return stairs(tmp_path, monkeypatch)


def looked_at(table: Table, script: Callable[[Seen, list[str]], Awaitable[None]]) -> list[str]:
    """All that the screen showed while a script was played."""
    seen_at: list[str] = []

    async def play(seen: Seen) -> None:
        await script(seen, seen_at)

    table.play(play)
    return seen_at


@pytest.mark.parametrize("size", SIZES, ids=str)
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
        await seen.type("rev", "enter")
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


def test_somebody_who_can_choose_nothing_gets_the_reason_of_the_rules(shell: Shell) -> None:
    shell.do("gloomhaven enrol Dorn brute --player Max")
    with Table(shell, (80, 24)).sitting() as table:
        for line in ("s dorn 1 4", "s dorn 1 1", "s dorn 61 62", "dorn plays 2 5", "s dorn trample nonsense"):
            told = "Dorn joins with the next scenario and has no turn in this one (GH 75)."
            assert plain(table.answer(line).lines) == told and table.preview(line).text == told


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
        assert "Tra72" in party and "hand 6 cards" in party and "Fire" not in seen.everything()
        assert "select Brann" in seen.of("waiting") and "select Cole" not in seen.of("waiting")
        await seen.type("s bra ")
        assert "Trample" in seen.of("list")
        await seen.type("s sina ")
        assert "Fire" not in seen.of("list")
        await seen.type("s cole 1 2")
        assert "Trample" not in seen.of("preview")
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
            seat.see(b"Spare Dagger\r\n? ")
            seat.press(f"{first}\n".encode())
            seat.see(b"the other card")
            seat.see(b"Spare Dagger\r\n? ")
            seat.press(f"{second}\n".encode())
            seat.see(b"1 of 3")
            seat.see(b"> ")
            shown.append(seat.output)
            seat.press(b"quit\n")
            assert seat.end() == 0
    assert shown[0] == shown[1]
    assert b"Brann selects two cards." in shown[0]


@pytest.mark.parametrize(
    "beginning",
    ["brann plays", "brann selects", "bea plays", "plays", "he plays", "they play", "brann chooses"],
)
def test_cards_that_are_said_and_not_commanded_are_unseen_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beginning: str
) -> None:
    def saying(first: object, second: object) -> Callable[[Seen, list[str]], Awaitable[None]]:
        async def say(seen: Seen, shown: list[str]) -> None:
            for word in (beginning, f" {first}", f" {second}"):
                await seen.type(f"{seen.line}{word}")
                shown.append(seen.everything())
            await seen.press("enter")
            shown.append(seen.everything())
            await seen.press("up")
            shown.append(seen.everything())

        return say

    for wrong in (False, True):
        pairs = [(1, 61), (2, 62)] if wrong else CHOICES
        one, other = (
            looked_at(Table(stairs(tmp_path / f"{wrong}{pair}", monkeypatch), (80, 24)), saying(*pair))
            for pair in pairs
        )
        assert one == other


def plain(lines: Iterable[str]) -> str:
    """What a reply says, without colours."""
    return "\n".join(re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines)


def test_what_comes_of_a_revision_is_told_while_nothing_lies_face_down(shell: Shell) -> None:
    with Table(shell, (80, 24)).sitting() as table:
        hit = table.log.last() + 1
        table.answer("d sina 2 no-attack", asking=False)
        table.answer("h sina 1", asking=False)
        told = plain(table.answer(f"T{hit} amount=1").lines)
        assert "was: Sina suffers 2 damage" in told and "now: Sina suffers 1 damage" in told and "hp 5 → 6" in told
        done = plain(table.choose("y").lines)
        assert f"Amends T{hit}" in done and "was:" not in done, "it was told before"
        table.answer("s bra 1 4")
        hidden = plain(table.answer(f"T{hit} amount=2").lines)
        assert "was:" not in hidden and "may depend on cards that you cannot see" in hidden


@pytest.mark.parametrize("line", ["r", "{} lead=5", "{} second=6"])
def test_a_choice_that_was_never_revealed_is_told_by_no_preview(shell: Shell, line: str) -> None:
    with Table(shell, (80, 24)).sitting() as table:
        number = table.log.last() + 1
        table.answer("s bra 1 4", asking=False)
        table.answer("note meanwhile", asking=False)
        table.answer(f"undo T{number}", asking=False)
        told = plain(table.answer(line.format(f"T{number}")).lines)
        assert not any(card in told for card in ("Trample", "Provoking", "Assault", "Grab")), told


@pytest.mark.parametrize(
    "line",
    [
        "Brann picks Provoking Roar and Trample",
        "Brann leads with Provoking Roar and then Trample",
        "Brann: Provoking Roar first, then Trample",
        "I take Provoking Roar and Trample for Brann",
        "Brann goes with Provoking, Trample",
        "we want Provoking Roar",
        "Provoking Roar and Trample",
        "bea would like to use trample and provoking",
        "Brann uses Provoking Roar and Trample",
    ],
)
def test_cards_of_a_hand_that_a_line_names_are_unseen_and_no_note(shell: Shell, line: str) -> None:
    async def say(seen: Seen) -> None:
        party, chosen = seen.of("party-lines"), re.compile("Prov|Tramp", re.IGNORECASE)
        assert not chosen.search(party)
        words = line.split()
        for at in range(len(words)):
            # a word is unseen from its beginning, but one that may become a verb
            for letters in (words[at][:3], words[at]):
                await seen.type(" ".join([*words[:at], letters]))
                assert not chosen.search(seen.everything())
        await seen.press("enter")
        assert not chosen.search(seen.everything()) and "note" not in seen.everything()
        assert "select Brann" in seen.of("preview") or "Brann selects two cards." in seen.chronicle[-1]
        await seen.press("up")
        assert not chosen.search(seen.line_as_shown)
        assert not any("Roar" in turn or "Trample" in turn for turn in seen.turns)

    Table(shell, (80, 24)).play(say)


def test_cards_that_are_said_before_the_round_begins_are_unseen_and_no_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = stairs(tmp_path, monkeypatch)
    shell.do("undo T6")

    async def say(seen: Seen) -> None:
        chosen = re.compile("Prov|Tramp", re.IGNORECASE)
        for text in ("Brann: Pro", "Brann: Provoking Roar", "Brann: Provoking Roar and Tramp"):
            await seen.type(text)
            assert not chosen.search(seen.everything()), text
        await seen.press("enter")
        assert not chosen.search(seen.everything()) and "note" not in seen.everything()
        assert "Round 1 has not begun" in seen.of("preview")
        await seen.type("Brann: we go and fight")
        assert "we go and fight" in seen.line_as_shown

    Table(shell, (80, 24)).play(say)


NUMBERS = [
    "Brann picks {} {}",
    "Brann {} {}",
    "Brann: {}, {}",
    "Brann's cards are {} and {}",
    "Bea wants {} and {}",
    "Brann takes {} and {}",
    "Brann and Cole pick {} {}",
    "I have {} and {}",
    "{} and {} for Brann",
    "Brann picks {} {} --dry-run",
]


@pytest.mark.parametrize("line", NUMBERS)
def test_numbers_of_cards_in_words_that_mean_nothing_else_are_unseen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    def saying(first: int, second: int) -> Callable[[Seen, list[str]], Awaitable[None]]:
        async def say(seen: Seen, shown: list[str]) -> None:
            whole = line.format(first, second)
            await seen.type(whole)
            shown.append(seen.everything())
            await seen.press("enter")
            shown.append(seen.everything())
            assert "select Brann LEAD SECOND" in " ".join(seen.of("preview").split())
            assert "note" not in seen.everything()
            await seen.press("escape", "up")
            assert str(first) not in seen.line

        return say

    one, other = (
        looked_at(Table(stairs(tmp_path / str(pair), monkeypatch), (80, 24)), saying(*pair)) for pair in CHOICES
    )
    assert one == other


@pytest.mark.parametrize("line", ["Brann takes one and four", "Brann picks one and four", "Brann: one, four"])
def test_numbers_of_cards_in_words_are_unseen_as_well(shell: Shell, line: str) -> None:
    with Table(shell, (80, 24)).sitting() as table:
        unseen_from = table.unseen_from(line)
        assert unseen_from is not None and unseen_from <= line.index("one")
        answer = table.answer(line)
        assert "select Brann LEAD SECOND" in " ".join(plain(answer.lines).split())
        assert not answer.choices and "note" not in plain(answer.lines)
        assert table.unseen_from("Brann is the one who opens the door") is None


@pytest.mark.parametrize(
    "line", [*(line.format(1, 4) for line in NUMBERS[:-2]), "Brann chucks Trample", "bea: trample"]
)
def test_at_a_seat_and_in_a_pipe_no_card_that_can_be_chosen_is_offered_to_be_written_down(
    shell: Shell, line: str
) -> None:
    result = shell.run(*line.split())
    assert result.code and "note" not in result.out + result.err and "track" not in result.out + result.err
    for asking in (True, False):
        for viewer in ("Bea", "Ada", None):
            with Table(shell, (80, 24), viewer=viewer).sitting() as table:
                answer = table.answer(line, asking=asking)
                shown = plain(answer.lines) + str(answer.choices) + str(table.preview(line))
                assert "note" not in shown and "track" not in shown
                if viewer == "Ada" and "rample" in line:
                    assert "Only Brann's player can say that." in shown


@pytest.mark.parametrize(
    "line",
    [
        "brann takes 2",
        "brann -2",
        "brann heals 2",
        "brann attacks guard 3",
        "damge brann 3",
        "T3 2 --dry-run",
        "T3 9 9",
        "brann takes 2 --dry-run",
        "i 1",
        "brann is hit for 2",
        "brann takes 2 --dry-run",
        "T8 2",
        "T8 2 --dry-run",
    ],
)
def test_a_number_that_means_something_else_is_seen(shell: Shell, line: str) -> None:
    shell.do("gloomhaven damage brann 3 'a spike'")

    async def say(seen: Seen) -> None:
        await seen.type(line)
        assert seen.line_as_shown == line

    Table(shell, (80, 24)).play(say)


def test_a_line_that_names_a_card_and_means_something_else_is_not_shown_beforehand(shell: Shell) -> None:
    async def say(seen: Seen) -> None:
        await seen.type("cole suffers 2 from a tramp")
        assert "tramp" not in seen.everything() and seen.of("preview").startswith("Typed unseen")
        await seen.press("enter", "1")
        assert "Cole suffers 2 damage (a tramp)" in seen.chronicle[-1]

    Table(shell, (80, 24)).play(say)


@pytest.mark.parametrize(
    "line", ["note Brann picks a tramp", "d bra 2 trampled no-attack", "re", "brann takes 2 damage"]
)
def test_a_line_that_names_no_card_or_is_a_verb_is_seen(shell: Shell, line: str) -> None:
    async def say(seen: Seen) -> None:
        await seen.type(line)
        assert seen.line_as_shown == line

    Table(shell, (80, 24)).play(say)
