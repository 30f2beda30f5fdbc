"""What an error advises can be typed: the command lines that it names parse, and what it takes to be meant is there."""

import re
import shlex

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
