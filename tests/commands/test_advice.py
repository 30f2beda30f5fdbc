"""What an error advises can be typed: the command lines that it names parse, and what it takes to be meant is there."""

import re
import shlex

import pytest

from tests.commands.test_errors import GALLERY
from tests.kit.advice import IN_BACKTICKS, advice_in, none_that_does_not_parse
from tests.kit.beginnings import IN_THE_CRYPT
from tests.kit.shell import ROOT, Shell, shell_after

#: The word that is none, or the option, and what is meant by it.
MEANT = re.compile(r"(?:'([^']+)'|(--\w+))(?: [^;]*)?; did you mean ([^?(]+)")


shell = shell_after(*IN_THE_CRYPT)


def test_every_command_line_that_an_error_names_parses(shell: Shell) -> None:
    rooms = (path for room in ("cli", "domain", "projections") for path in (ROOT / room).rglob("*.py"))
    in_the_sources = {line for path in rooms for line in IN_BACKTICKS.findall(path.read_text("utf-8"))}
    assert len(in_the_sources) > 20
    none_that_does_not_parse(shell, {*in_the_sources, *(line for _, _, text in GALLERY for line in advice_in(text))})


def test_what_is_meant_is_there(shell: Shell) -> None:
    asked = 0
    for typed, _, text in GALLERY:
        for word, option, meant in MEANT.findall(text):
            words = shlex.split(typed) if isinstance(typed, str) else list(typed)
            at = next(at for at, other in enumerate(words) if (word or option) in other)
            one_of_those = meant.strip().partition(" or ")[0]
            if one_of_those.startswith("campaign "):
                mended = shlex.split(one_of_those)[1:]
            else:
                mended = [*words[:at], words[at].replace(word or option, one_of_those)]
            again = shell.run(*mended, *words[at + 1 :])
            assert not MEANT.search(again.err) and "There is no" not in again.err, (typed, again)
            asked += 1
    assert asked > 20


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("ls pip 2", "are missing (flipped=…): ls pip 2 FLIPPED"),
        ("ls pip 2 0", "lose-stamina Pip 2 0 FLIPPED"),
        ("strain pip a fall", "strain Pip FLIPPED a fall"),
        ("at bo pip", "at bo pip defender_flipped=DEFENDER_FLIPPED"),
        ("fa captain v pip", "fa captain v pip FLIPPED"),
        (
            "fa captain v pip 3",
            "behind 3 for the lost Stamina are missing (flipped=…): fa captain v pip 3 FLIPPED ",
        ),
        ("fa captain v pip 3 rolled=2", "fa captain v pip 3,FLIPPED rolled=2"),
        ("br pip dex 4", "the d4 is missing (rolled=…): br pip dex 4 rolled=ROLLED"),
        (
            "br pip dex 4 rolled=2",
            "the cards that come back are missing (regained=…): br pip dex 4 rolled=2 regained=REGAINED",
        ),
        ("at pip captain x 17", "the d4 (rolled=…) is missing: at pip captain x 17 rolled=ROLLED"),
    ],
)
def test_no_line_that_is_named_invents_a_card_or_a_die(new_shell: Shell, line: str, told: str) -> None:
    new_shell.do("new Reef --rules deckahedron", "enrol Pip 2 3 3 cards=table", "enrol Bo 3 3 2", "foe captain 8")
    new_shell.do("scene combat", "ls pip 3 10,11,12")
    refused = new_shell.run(*line.split())
    assert refused.code in (2, 3) and told in refused.err, refused
    assert len(new_shell.turns()) == 6


def test_what_stands_behind_an_attack_on_a_foe_is_no_card_of_a_defender(new_shell: Shell) -> None:
    new_shell.do("new Reef --rules deckahedron", "enrol Pip 2 3 3 cards=table", "foe captain 8")
    assert "costs the captain 4 Stamina" in new_shell.run("at", "pip", "captain", "x", "13", "ranged", "4").ok().out
