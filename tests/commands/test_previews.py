"""What a change of the past would do is shown before it is done: sheets, a line for each, and no draw it would make."""

from typing import Any

import pytest

from cli.terminal import previews
from cli.terminal.screen import Page, Screen
from domain.log.command_handler import Command
from domain.registry import action_from, system_of
from domain.system.chance import Draw
from projections.preview import draws_in_words, simulate
from tests.kit.shell import Shell, shell_after
from tests.osr.asked import amend, enrol, hit, table

#: T2 Brog (11 hp) and T3 Wen (6 hp) join, T4 hits Brog for 9, T5 is a short rest of both with their dice.
shell = shell_after(
    "new Table --rules osr --file dc.campaign",
    "osr enrol brog --level 2 --rolled 5,6",
    "osr enrol wen --rolled 6",
    "osr damage brog 9",
    "osr short-rest brog wen --rolled brog=6,5 --rolled wen=2",
)


def dry(shell: Shell, *words: str) -> list[str]:
    result = shell.run(*words, "--dry-run")
    assert result.err == ""
    return result.out.splitlines()


def test_a_line_that_is_told_now_is_told_with_its_sheet(shell: Shell) -> None:
    assert dry(shell, "osr", "damage", "brog", "4") == [
        "T6  Brog is hit for 4 and has 7 hit points left.",
        "    Brog: hp 11 → 7",
    ]
    assert len(shell.turns()) == 5


@pytest.mark.parametrize(
    ("line", "sheets"),
    [
        ("d brog 4", ["    Brog: hp 11 → 7"]),
        ("d brog 4 wen 1", ["    Brog: hp 11 → 7", "    Wen: hp 2 → 1"]),
        ("d brog 4 wen 1 --after T5", ["    Brog: hp 11 → 7", "    Wen: hp 2 → 1"]),
        ("n rain", []),
    ],
)
def test_a_short_line_is_told_like_the_long_one_and_nothing_of_it_is_done(
    shell: Shell, line: str, sheets: list[str]
) -> None:
    result = dry(shell, *line.split())
    assert result[0].startswith("T6  ") and result[len(result) - len(sheets) :] == sheets
    assert len(shell.turns()) == 5


def test_several_turns_of_one_line_that_change_the_past_are_told_first(shell: Shell) -> None:
    result = shell.run("d", "brog", "1", "wen", "1", "--before", "T4", "--dry-run")
    assert result.code == 0 and "    now: Brog is hit for 9 and has 1 hit point left." in result.out.splitlines()
    assert len(shell.turns()) == 5


def test_what_is_refused_for_what_nobody_has_seen_is_not_refused_by_an_imagined_card(shell: Shell) -> None:
    """The top card is ✔✔ against ✗✗, which offers the choice; every other one offers none, and some imagine it."""
    shell.do("new Road --rules deckahedron --file road.campaign")
    deck = ["10", *(str(card) for card in range(20) if card != 10)]
    ranks = {"strength": 1, "dexterity": 1, "intelligence": 1}
    names = ("ada", "ash", "bram", "brog", "hob", "isolde", "tess", "wen")
    for name in names:
        shell.act({"type": "deckahedron.enrol", "character": name, "deck": deck, **ranks}).ok()
    attack = {"type": "deckahedron.attack", "foe": "wolf", "foe_result": "xx", "choice": "wound"}
    foreseen = [shell.act({**attack, "attacker": name}, options=["--dry-run"]) for name in names]
    reason = "Whether this is allowed depends on what is drawn; you see it when you record it."
    refused = (3, [{"refused": {"rule": None, "reason": reason}}])
    left_open: tuple[int, list[Any]] = (0, [{"turn": len(names) + 2, "events": None, "open": True, "draws": []}])
    answers = [(answer.code, answer.rows()) for answer in foreseen]
    assert refused in answers and left_open in answers and all(answer in (refused, left_open) for answer in answers)
    for name in names:
        shell.act({**attack, "attacker": name}).ok()


def test_a_die_that_is_one_of_several_is_told_with_what_it_is_for() -> None:
    loss = Draw(1, "Wren", "attack, defender loses", 4, shuffles=False)
    assert draws_in_words([loss], {}) == "rolls 1d4 for Wren's attack (defender loses)"
    assert draws_in_words([loss], system_of("deckahedron").draw_words) == "rolls 1d4 for what the defender loses"


@pytest.mark.parametrize(
    ("rules", "purpose", "sentence"),
    [
        ("deckahedron", "regained", "draws two of Ash's exhausted cards"),
        ("gloomhaven", "short rest", "draws two of Ash's discarded cards to lose"),
        ("gloomhaven", "modifier", "draws from Ash's modifier deck"),
        ("osr", "ability lost", "draws which of Ash's abilities loses a point"),
        ("osr", "something else", "draws two cards for Ash's something else"),
    ],
)
def test_what_is_drawn_is_told_in_the_words_of_its_rule_system(rules: str, purpose: str, sentence: str) -> None:
    drawn = Draw(2, "ash", purpose, None, shuffles=False)
    assert draws_in_words([drawn], system_of(rules).draw_words) == sentence


def test_a_line_told_late_is_told_with_its_sentence_and_what_it_makes_of_the_sheets(shell: Shell) -> None:
    assert dry(shell, "osr", "damage", "wen", "1", "--after", "T3") == [
        "T6  late entry, after T3: Wen is hit for 1 and has 5 hit points left.",
        "    Wen still has 2 hit points now.",
    ]
    assert dry(shell, "osr", "damage", "wen", "1", "--after", "T5") == [
        "T6  Wen is hit for 1 and has 1 hit point left.",
        "    Wen: hp 2 → 1",
    ]
    assert dry(shell, "osr", "damage", "brog", "1", "--before", "T4") == [
        "T6  late entry, after T3: Brog is hit for 1 and has 10 hit points left.",
        "T4  was: Brog is hit for 9 and has 2 hit points left.",
        "    now: Brog is hit for 9 and has 1 hit point left.",
        "    Brog still has 11 hit points now.",
    ]


def test_a_late_hit_that_later_turns_make_up_for_says_so(new_shell: Shell) -> None:
    new_shell.do(
        "new Mill --rules osr", "session open", "enrol Bram player Ida level 2 66", "d bram 3 goblin", "rest bram 24"
    )
    assert dry(new_shell, "osr", "damage", "bram", "2", "--before", "T4")[-1] == "    Bram still has 6 hit points now."
    assert "now." not in new_shell.run("osr", "damage", "bram", "2", "--dry-run").ok().out
    ruled = new_shell.run("play", "--plain", stdin="d bram 2 before T4\n").ok().out
    assert "Late entry: it happened directly after T3." in ruled


def test_which_cards_are_no_longer_there_is_said_and_not_both_piles(new_shell: Shell) -> None:
    new_shell.do(
        "new Marsh --rules deckahedron", "session open", "enrol Wren player Ada 2 3 3 cards=table", "ls wren 2 10,11",
        "ls wren 1 12", "f wren str 5",
    )  # fmt: skip
    assert dry(new_shell, "undo", "T5")[-1] == (
        "    Wren: deck count 16 → 17, exhaustion no longer has 12, stamina left 7 → 8"
    )

    new_shell.do("deckahedron cards wren log")
    assert "discard depends on what is drawn" in dry(new_shell, "deckahedron", "flip", "wren", "strength")[-2]


def test_what_an_undone_turn_made_of_others_is_not_told_any_more(new_shell: Shell) -> None:
    new_shell.do(
        "new Mill --rules osr", "session open", "enrol Bram player Ida level 2 66", "d bram 3", "d bram 3",
        "d bram 2 before T4", "undo T5",
    )  # fmt: skip
    assert "T4 comes out differently. Late" not in new_shell.run("log").ok().out
    assert "Bram is hit for 2 and has 10 hit points left. T4 comes out differently." in new_shell.run("log").ok().out
    new_shell.do("undo T6")
    assert "comes out differently" not in new_shell.run("log").ok().out.partition("T7")[0]


def test_dice_that_would_be_rolled_anew_are_told_as_such(shell: Shell) -> None:
    """A rest told late makes the next one of Brog's roll one die more, which nobody has reported."""
    result = dry(shell, "osr", "short-rest", "brog", "--after", "T4")
    assert result[0] == "T6  late entry, after T4: rolls 2d6 for Brog's re-roll."
    assert "    now: rolls 1d6 for Brog's re-roll." in result
    assert result[-1] == "Dice and cards that you leave open are drawn when you record it."
    assert any(line.startswith("    Brog: ") and "fatigue 1 → 2" in line for line in result)
    answer: dict[str, Any] = shell.run("osr", "short-rest", "brog", "--after", "T4", "--dry-run", "--json").rows()[0]
    assert answer["turns"] == [{"turn": 6, "events": None, "open": True, "draws": ["rolls 2d6 for Brog's re-roll"]}]
    (changed,) = answer["changed"]
    assert (changed["turn"], changed["after"], changed["open"]) == (5, None, True)


def test_lines_of_json_are_told_without_their_draws(shell: Shell) -> None:
    rest = {"type": "osr.short_rest", "characters": ["wen"]}
    for options in (("--dry-run",), ("--dry-run", "--together")):
        assert shell.act(rest, options=options).rows() == [
            {"turn": 6, "events": None, "open": True, "draws": ["rolls 2d6 for Wen's re-roll"]}
        ]
    hit = {"type": "osr.damage", "character": "wen", "amount": 1}
    (first, second) = shell.act(hit, hit, options=("--dry-run", "--together")).rows()
    assert (first["turn"], second["turn"]) == (6, 7) and first["events"] != second["events"]


def test_was_and_now_are_told_for_whom_they_differ(shell: Shell) -> None:
    assert dry(shell, "amend", "T5", 'rolled={"brog": [1, 1], "wen": [2]}') == [
        "T5  was: Brog rolls 6 5 and has 11 hit points. Brog's fatigue is now 1.",
        "    now: Brog rolls 1 1 and has 2 hit points. Brog's fatigue is now 1.",
        "    Brog: hp 11 → 2",
    ]


def test_the_terminal_is_asked_unless_it_touches_only_the_latest_line(shell: Shell) -> None:
    assert "[y/N]" not in shell.terminal("undo").out
    shell.do("redo")
    for words in (["undo", "T4"], ["amend", "T4", "amount=8"], ["osr", "damage", "brog", "1", "--after", "T3"]):
        asked = shell.terminal(*words, typed="n\n")
        assert "Do this? [y/N]" in asked.out and asked.code == 1, asked
    assert len(shell.turns()) == 7


def test_turns_are_counted_back_from_the_latest_everywhere(shell: Shell) -> None:
    shell.do("note 'Rain.' --turn @-1", "undo @-1", "redo @", "amend @-4 amount=8")
    assert [turn["action"].get("turn") for turn in shell.turns()[5:6]] == [4]
    assert shell.turns()[6]["action"]["turns"] == [5]
    assert shell.turns()[8]["action"]["turn"] == 4
    assert shell.run("show", "@-4").ok().out.startswith("T5")
    assert len(shell.run("log", "@-1..@", "-O", "ndjson").rows()) == 2
    shell.run("undo", "9").is_(2, "9 may be the turn T9 or the last 9 turns. Like: undo T9.")


def test_what_becomes_of_a_wound_is_told_as_the_sheet_tells_it(shell: Shell) -> None:
    shell.do(
        "osr damage wen 4", "osr injury-saves wen 1 40", "osr choose-fate wen major_wound --wound 'a crushed hand'"
    )
    assert "wound 1 gone" in shell.run("undo").out
    words = "wound 1: major, a crushed hand · until the referee says it is over · not treated, may worsen"
    assert words in shell.run("redo").out


def test_what_becomes_of_a_bonus_is_told_as_the_sheet_tells_it(new_shell: Shell) -> None:
    new_shell.do("new Stairs --rules gloomhaven", "enrol Brann brute", "begin-scenario 1", "begin-round", "s brann 7 1")
    new_shell.do("rev", "b warding", "u")
    assert "active 7: Warding Strength (7), persistent, ●○○○○○, Shield 1, counts as lost" in new_shell.run("redo").out


def test_a_turn_of_which_no_more_than_totals_differ_is_told_once(shell: Shell) -> None:
    shell.do("new Barrow --rules gloomhaven", "enrol brann brute", "reward brann xp 1 for glory")
    assert dry(shell, "reward", "brann", "xp", "2", "for", "luck", "--after", "T2") == [
        "T4  late entry, after T2: Brann is rewarded with 2 experience: for luck.",
        "T3  the same words, with other dice, cards or counts behind them: "
        "Brann is rewarded with 1 experience: for glory.",
        "    Brann: xp 1 → 3",
    ]


class Terminal(Page):
    """A page that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_tells_of_the_first_turns_that_come_out_differently_and_counts_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = table(enrol("brog", 6, 6, 6), *[hit(0)] * 6)
    line = action_from("osr", amend(2, enrol("brog", 5, 6, 6)))
    told: dict[type[Page], list[str]] = {}
    monkeypatch.setattr(previews, "MOST_ON_A_TERMINAL", 3)
    for page in (Page(200), Terminal(200)):
        screen = Screen("never", page)
        previews.print_preview(at.system, simulate(at.handler, Command(line)), screen)
        screen.flush()
        told[type(page)] = page.getvalue().splitlines()
    assert told[Terminal][:6] == told[Page][:6]
    rest = "4 more turns come out differently; write them to a file (> FILE) to see them all."
    assert told[Terminal][6:] == [rest, *told[Page][14:]]
    assert len(told[Page]) == 15


def test_the_same_draw_is_told_once_however_often_it_is_made() -> None:
    shuffle = Draw(10, "cass", "deck", None, shuffles=True)
    assert draws_in_words([shuffle, shuffle], {}) == "shuffles ten cards of Cass twice"
