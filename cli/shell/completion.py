"""The values that the shell completes: characters, turns, rules, legal values. Any error means no proposals.

Each function takes the beginning of a word and the values of the parameters that stand before it.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from cli.line.context import Context
from cli.line.guiding import begins_so, candidates_for, latest_sessions, latest_turns, option_values
from cli.line.verbs import verbs_of
from cli.line.words import line_of_arguments
from cli.shell.choose import choose
from cli.shell.saved_questions import saved_questions
from cli.store.anywhere import campaigns_on, open_log
from cli.store.layout import MAIN
from cli.store.server.address import is_server
from cli.terminal.screen import safe, truncate
from domain.common import ACTIONS
from domain.log.folding import state_at
from domain.log.port import Log
from domain.registry import system_of, verb_name
from domain.system.installed import installed
from domain.system.rulesystem import RuleSystem
from projections.chronicle_range import entries_between, session_titles
from projections.secrecy import players_of
from projections.views.named_queries import named_queries, plots

P = ParamSpec("P")
T = TypeVar("T")
#: The values of the parameters before the word, by name.
Values = Mapping[str, Any]


class MatchedValue(str):
    """A value that was matched ignoring case; Typer would compare it again, exactly, and drop it."""

    def startswith(self, *_: Any) -> bool:
        return True


def proposals(values: Iterable[Any], incomplete: str) -> list[str]:
    """The values that begin with `incomplete`, ignoring case and accents, quoted for the shell."""
    return [proposal(str(value)) for value in values if begins_so(str(value), incomplete)]


def proposal(value: str) -> str:
    """A value quoted for the shell, kept whatever was typed of it.

    It is escaped for bash outside of quotes; other shells, and bash inside quotes, quote it themselves.
    """
    line = os.environ.get("COMP_WORDS", "")
    if os.environ.get("_CAMPAIGN_COMPLETE") == "complete_bash" and not (line.count('"') % 2 or line.count("'") % 2):
        value = re.sub(r"([^\w@%+=:,./-])", r"\\\1", value)
    return MatchedValue(value)


def quiet(propose: Callable[P, list[T]]) -> Callable[P, list[T]]:
    """Decorate a function that proposes something: nothing after any error, which must not break the shell's prompt."""

    @wraps(propose)
    def propose_quietly(*arguments: P.args, **options: P.kwargs) -> list[T]:
        try:
            return propose(*arguments, **options)
        except Exception:
            return []

    return propose_quietly


@quiet
def _propose(proposals_in: Callable[[Context], Iterable[Any]], incomplete: str, values: Values) -> list[str]:
    """The proposals that `proposals_in` makes from the chosen campaign."""
    with open_log(choose(values.get("campaign")).address) as log:
        system = system_of(log.rules)
        return proposals(proposals_in(Context(system, state_at(system, log), log)), incomplete)


def subjects_of(command: str) -> Callable[[str, Values], list[str]]:
    """What a reading command may be about, as the table proposes it behind the command and what stands there."""

    def complete(incomplete: str, values: Values) -> list[str]:
        line = line_of_arguments([command, *(values.get("what") or ())])
        return _propose(
            lambda context: (way.text for way in candidates_for(line, incomplete, context, (command,))),
            incomplete,
            values,
        )

    return complete


characters, rules, figures = subjects_of("status"), subjects_of("rules"), subjects_of("stats")
#: The subjects of `why` and `when`: characters, and behind a full stop the fields of their sheets.
about_somebody, sheet_values = subjects_of("why"), subjects_of("when")


def options_of_rule(incomplete: str, values: Values) -> list[str]:
    """The options of the rule that was named, as NAME=VALUE for each value."""
    rule = str(values.get("rule"))
    return _propose(lambda context: option_values(context.system, rule), incomplete, values)


#: A proposal with what a shell shows beside it.
Explained = tuple[str, str]


def turns(incomplete: str, values: Values) -> list[Explained]:
    """The latest turns, newest first, each with its sentence."""
    return _explained(
        lambda context: sentences_of(context.system, context.log, latest_turns(context.log)), incomplete, values
    )


def points(incomplete: str, values: Values) -> list[Explained]:
    """Points of the log: the sessions, newest first, and the latest turns."""
    return [*sessions(incomplete, values), *turns(incomplete, values)]


def sessions(incomplete: str, values: Values) -> list[Explained]:
    """The sessions, newest first, each with its title."""

    def titles(context: Context) -> dict[str, str]:
        known = session_titles(context.log, context.log.last())
        return {name: shown_beside(known.get(int(name[1:]), "")) for name in latest_sessions(context.log)}

    return _explained(titles, incomplete, values)


def sentences_of(system: RuleSystem, log: Log, names: Iterable[str]) -> dict[str, str]:
    """The sentences of the turns among these names, by name."""
    numbers = {int(name[1:]): name for name in names if re.fullmatch(r"T\d{1,9}", name)}
    entries = entries_between(system, log, log.last(), min(numbers), max(numbers), numbers) if numbers else ()
    return {numbers[entry.turn]: shown_beside(entry.sentence) for entry in entries}


#: The columns of what is shown beside a proposal; Typer would break a longer text into two proposals.
BESIDE = 70


def shown_beside(text: str) -> str:
    """A text as a shell shows it beside a proposal: on one line, and without what Rich takes for a style."""
    line = safe(text).translate(str.maketrans("[]", "()"))
    return "".join(span.text for span in truncate([line], BESIDE))


@quiet
def _explained(meanings: Callable[[Context], Mapping[str, str]], incomplete: str, values: Values) -> list[Explained]:
    """The names that begin so, each with what it means."""
    with open_log(choose(values.get("campaign")).address) as log:
        system = system_of(log.rules)
        known = meanings(Context(system, system.opening(), log))
    return [(proposal(name), known[name]) for name in known if begins_so(name, incomplete)]


def players(incomplete: str, values: Values) -> list[str]:
    return _propose(lambda context: players_of(context.system, context.log), incomplete, values)


def kinds(incomplete: str, values: Values) -> list[str]:
    """The verbs of all actions."""
    return _propose(lambda context: map(verb_name, (*context.system.actions, *ACTIONS)), incomplete, values)


@quiet
def verbs() -> list[Explained]:
    """The verbs of the chosen campaign with their help, and their short names of more than two letters."""
    with open_log(choose(None).address) as log:
        actions = system_of(log.rules).actions
        usable = [verb for verb in verbs_of(log.rules) if verb.kind in actions]
    return [(verb.name, verb.help) for verb in usable if verb.name == verb_name(verb.kind) or len(verb.name) > 2]


@quiet
def ways(
    words: Sequence[str], beginning: str, campaign: str | None, questions_of: Callable[[str], Sequence[str]]
) -> list[Explained]:
    """How a line of these words goes on, each with its help; `questions_of` are commands that it may name."""
    with open_log(choose(campaign).address) as log:
        system = system_of(log.rules)
        against = Context(system, state_at(system, log), log)
        candidates = candidates_for(line_of_arguments(words), beginning, against, questions_of(system.key))
        # a shell writes what all proposals begin with, so it is given those alone that begin as typed
        fitting_ones = [way for way in candidates if begins_so(way.text, beginning)]
        sentences = sentences_of(system, log, [way.text for way in fitting_ones])
    return [(proposal(way.text), way.help or sentences.get(way.text, "")) for way in fitting_ones]


@quiet
def options_of_rules(incomplete: str, values: Values) -> list[str]:
    """The options of the rules that a new campaign is to have, as NAME=VALUE for each value."""
    return proposals(option_values(system_of(str(values.get("rules"))), None), incomplete)


@quiet
def questions(incomplete: str, values: Values) -> list[str]:
    """The questions that have a name: those of `stats`, and those that were saved."""
    with open_log(choose(values.get("campaign")).address) as log:
        return proposals((*named_queries(log.rules), *plots(log.rules), *saved_questions(log)), incomplete)


def systems(incomplete: str, values: Values) -> list[str]:  # noqa: ARG001
    return proposals(installed(), incomplete)


@quiet
def campaigns(incomplete: str, values: Values) -> list[str]:  # noqa: ARG001
    """The campaign files of this folder; behind the address of a server, the campaigns there."""
    if not is_server(incomplete):
        return proposals(sorted(path.name for path in Path().glob("*.campaign")), incomplete)
    there = campaigns_on(incomplete.partition("?")[0])
    return [proposal(address) for address in there if address.startswith(incomplete)]


@quiet
def branches(incomplete: str, values: Values) -> list[str]:
    with open_log(choose(values.get("campaign")).address) as log:
        return proposals((MAIN, *(branch.name for branch in log.branches())), incomplete)
