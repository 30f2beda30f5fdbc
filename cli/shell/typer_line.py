"""Lines of the table as Typer commands, with the help and the completions of their verbs."""

from collections.abc import Sequence
from typing import Annotated, Any

from cli.line.errors import LineError
from cli.line.values import Context as Against
from cli.line.verbs import verb_at, verb_in
from cli.line.words import line_of_arguments
from cli.shell.choose import NotChosen
from cli.shell.command_context import handler_for, open_chosen
from cli.shell.declaration import ArgumentSpec, LineDeclaration, parameter, takes
from cli.shell.line_command import (
    Commands,
    line_parameters,
    must_be_known,
    no_such_command,
    questions_of,
    run_line,
)
from cli.shell.parser import Command, Context, LineCommand, command_of
from cli.shell.verbs import declared_verb, verb


def line_command(
    first_words: Sequence[str],
    commands: Sequence[str],
    find_command: Commands,
    *,
    rules: str | None = None,
    declaration: LineDeclaration | None = None,
    chapter: str = "line",
) -> Command:
    """The Typer command that runs a line which begins with these words.

    `commands` are the names of all commands, `find_command` returns the command of a name. With `rules` it is the long
    form of one of their verbs, `campaign osr damage brog 4`; with `declaration` it is that command, described in
    `chapter`.
    """

    def ways(ctx: Context, incomplete: str) -> list[tuple[str, str]]:
        return _ways([*first_words, *(ctx.params.get("words") or ())], incomplete, ctx.params.get("campaign"), commands)

    def describe(ctx: Context) -> Command:
        if declaration is not None:
            return declared_verb(declaration, first_words[-1], chapter)
        return _verb_of(rules, first_words[0]) if rules is not None else _describe(first_words[0], commands, ctx)

    def run(**arguments: Any) -> None:
        run_line(first_words, commands, find_command, arguments, rules=rules, declaration=declaration)

    words = parameter("words", Annotated[list[str] | None, ArgumentSpec(autocompletion=ways)], None)
    takes(run, line_parameters(declaration, words))
    command = command_of(first_words[-1], run, "", LineCommand)
    assert isinstance(command, LineCommand)
    command.verb, command.ways = describe, ways
    return command


def _verb_of(rules: str, word: str) -> Command:
    """The help command of a verb by its full name. Raises LineError for any other word."""
    matching_verb, _ = verb_at(rules, line_of_arguments([word]))
    assert not isinstance(matching_verb, str)
    return verb(rules, matching_verb.kind)


def _describe(word: str, commands: Sequence[str], ctx: Context) -> Command:
    """The help command of the verb that a line begins with. Raises NoSuchCommand."""
    try:
        with open_chosen(ctx.params.get("campaign")) as (log, system):
            rules, against = log.rules, Against(system, handler_for(log).state(), log)
    except NotChosen:
        must_be_known(word, commands)
        raise
    try:
        matching_verb, _at = verb_in(against, line_of_arguments([word]))
    except LineError:
        raise no_such_command(word, commands, rules) from None
    assert not isinstance(matching_verb, str)
    return verb(rules, matching_verb.kind)


def _ways(words: Sequence[str], beginning: str, campaign: str | None, commands: Sequence[str]) -> list[tuple[str, str]]:
    """The completions with their help; none after any error."""
    from cli.line.guiding import begins_so, candidates_for
    from cli.shell.completion import proposal

    try:
        with open_chosen(campaign) as (log, system):
            against = Against(system, handler_for(log).state(), log)
            line, questions = line_of_arguments(words), questions_of(system.key, commands)
            candidates = candidates_for(line, beginning, against, questions)
    except Exception:  # a broken campaign must not break the shell's prompt
        return []
    # a shell writes what all proposals begin with, so it is given those alone that begin as typed
    return [(proposal(way.text), way.help) for way in candidates if begins_so(way.text, beginning)]
