"""A line of the table as a command, with the help and the completions of its verb: read, and recorded."""

import os
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from msgspec.structs import replace

from cli.line.context import Context as Against
from cli.line.errors import LineError
from cli.line.understanding import Question, Understood
from cli.line.verbs import names_a_turn, verb_at, verb_in, verbs_of
from cli.line.words import Line, for_shell, line_of_arguments
from cli.recording.audience import Audience
from cli.recording.conversation import Conversation
from cli.shell.catalogue import COMMANDS, OF_VERBS
from cli.shell.choose import NotChosen
from cli.shell.command_context import handler_for, open_chosen, played_otherwise
from cli.shell.declaration import LineDeclaration, LineStages, parameter, taking
from cli.shell.offers import is_offered, listing_in, look_up, reading_in, take_in
from cli.shell.parser import Command, CommandGroup, LineCommand, NoSuchCommand, command_of, run_command
from cli.shell.record_options import IN_WORDS, RecordOptions, record_options_of, record_parameters
from cli.shell.terminal_conversation import converse
from cli.shell.verbs import declared_verb, verb
from cli.shell.words import from_file
from domain.log.command_handler import CommandHandler
from domain.refusal import Refusal
from domain.system.installed import SYSTEMS
from domain.system.rulesystem import RuleSystem


def line_of_words(words: Sequence[str]) -> Line:
    """The line that a shell hands over: what it quoted is one text, but for a list behind an option (`1,Iron Fist`).

    Behind `--` every word is a text.
    """
    end = words.index(WORDS_ALONE) if WORDS_ALONE in words else len(words)
    line = line_of_arguments([*words[:end], *words[end + 1 :]])
    is_option_name = [word.text.startswith("--") for word in line.words[:end]]
    options = [
        replace(word, quoted=False) if "," in word.text and (is_option or behind) else word
        for word, is_option, behind in zip(line.words, is_option_name, [False, *is_option_name], strict=False)
    ]
    return replace(line, words=(*options, *(replace(word, quoted=True) for word in line.words[end:])))


def questions_of(rules: str) -> tuple[str, ...]:
    """The commands that no verb stands for."""
    beginnings = {word for verb in verbs_of(rules) for word in (verb.name, verb.words[0])}
    return tuple(name for name in COMMANDS if name not in beginnings)


#: Commands that the beginning of their name runs: they only read. Any other is named whole.
READING = frozenset(("status", "log", "why", "show", "diff", "when", "stats", "rules", "query"))
#: Behind it nothing is an option any more.
WORDS_ALONE = "--"


def line_command(
    first_words: Sequence[str],
    *,
    rules: str | None = None,
    declaration: LineDeclaration | None = None,
    chapter: str = OF_VERBS,
) -> Command:
    """The command that runs a line which begins with these words.

    With `rules` it is the long form of one of their verbs, `campaign osr damage brog 4`; with `declaration` it is that
    command, described in `chapter`.
    """

    def ways(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
        from cli.shell.completion import ways

        words = [*first_words, *(ctx.params.get("words") or ())]
        return ways(words, incomplete, ctx.params.get("campaign"), questions_of)

    def describe(ctx: typer.Context) -> Command:
        if declaration is not None:
            return declared_verb(declaration, first_words[-1], chapter)
        if rules is None:
            return _describe(first_words[0], ctx)
        matching_verb, _ = verb_at(rules, line_of_arguments(first_words[:1]))
        assert not isinstance(matching_verb, str)
        return verb(rules, matching_verb.kind)

    def run(ctx: typer.Context, **arguments: Any) -> None:
        run_line(ctx, first_words, arguments, rules=rules, declaration=declaration)

    words = parameter("words", Annotated[list[str] | None, typer.Argument(autocompletion=ways)], None)
    own_options = declaration.options if declaration is not None else ()
    taking(run, [parameter("ctx", typer.Context), words, *record_parameters(without=IN_WORDS), *own_options])
    command = command_of(first_words[-1], run, "", LineCommand)
    assert isinstance(command, LineCommand)
    command.verb, command.ways = describe, ways
    return command


def _describe(word: str, ctx: typer.Context) -> Command:
    """The help command of the verb that a line begins with. Raises NoSuchCommand."""
    try:
        with open_chosen(ctx.params.get("campaign")) as (log, system):
            rules, against = log.rules, Against(system, handler_for(log).state(), log)
    except NotChosen:
        must_be_known(word)
        raise
    try:
        matching_verb, _at = verb_in(against, line_of_arguments([word]))
    except LineError:
        raise no_such_command(word, rules) from None
    assert not isinstance(matching_verb, str)
    return verb(rules, matching_verb.kind)


def run_line(
    ctx: typer.Context,
    first_words: Sequence[str],
    arguments: dict[str, Any],
    *,
    rules: str | None = None,
    declaration: LineDeclaration | None = None,
) -> None:
    """Do the line that begins with the words `first_words`, with the values of its parameters.

    With `rules` it is the long form of one of their verbs. Raises what understanding and recording a line raise,
    NoSuchCommand, Unanswered and Ended.
    """
    words = [*first_words, *(arguments.pop("words") or ())]
    own_options = declaration.options if declaration is not None else ()
    own_values = {option.name: arguments.pop(option.name) for option in own_options}
    line_options = record_options_of(arguments)
    stages = declaration.stages(line_options, **own_values) if declaration is not None else LineStages()
    question: Question | None = None
    try:
        with open_chosen(line_options.campaign, write=True) as (log, system):
            if rules is not None and system.key != rules:
                raise played_otherwise(log)
            is_extension = is_offered(system, words)
            if not is_extension:
                handler = handler_for(log)
                try:
                    question = _record(handler, words, line_options, stages)
                except LineError as error:
                    if error.at or not error.no_verb:
                        error.nearest = tuple(map(for_shell, error.nearest))
                        raise
                    raise no_such_command(words[0], system.key) from None
                except Refusal as refusal:
                    stages.on_refusal(handler, refusal)
                stages.after_recording(log)
    except NotChosen:
        if rules is None:
            must_be_known(words[0])
        raise
    if is_extension:
        _take_up(ctx, system, words, line_options)
    is_beginning = question is not None and question.command.startswith(words[0]) and question.command != words[0]
    if question is not None and is_beginning and question.command not in READING:
        raise no_such_command(words[0], rules)  # `back aubrey` is no backup in a file aubrey
    if question is not None:
        _run(ctx, [question.command, *question.words], line_options)


def must_be_known(word: str) -> None:
    """Raise NoSuchCommand for a word that is nothing under any rules, as no campaign says which rules there are."""
    for rules in SYSTEMS:
        try:
            verb_at(rules, line_of_arguments([word]), 0, questions_of(rules))
        except LineError as error:
            if error.no_verb:
                continue
        return
    if not names_a_turn(word):
        raise no_such_command(word) from None


def no_such_command(word: str, rules: str | None = None) -> NoSuchCommand:
    return NoSuchCommand(word, [*COMMANDS, *SYSTEMS], None, rules)


def _record(
    handler: CommandHandler,
    words: Sequence[str],
    line_options: RecordOptions,
    stages: LineStages,
) -> Question | None:
    """Record what a line means, asking on a terminal what it leaves open. Returns the question that it is instead."""

    def admits(understood: Understood) -> Understood:
        stages.check(handler, understood.actions)
        return understood

    asks = line_options.screen.answers and not (line_options.yes or line_options.json or line_options.dry_run)
    conversation = Conversation(
        handler,
        Audience(handler.log, handler.system, handler.state, keeper=True, reads=from_file, narrows=stages.narrow),
        by=os.environ.get("CAMPAIGN_BY") or None,
        questions=questions_of(handler.system.key),
        asks=asks,
        confirms=line_options.screen.interactive and not line_options.yes,
        settles=asks,
        dry_run=line_options.dry_run,
        admits=admits,
    )
    return converse(
        conversation, conversation.say(line_of_words(words)), line_options.screen, as_json=line_options.json
    )


def _take_up(ctx: typer.Context, system: RuleSystem, words: Sequence[str], line_options: RecordOptions) -> None:
    """Do a line that begins with an extension of its rule system."""
    if (reading := reading_in(system, words)) is not None:
        take_in(*reading, replace(line_options, by=os.environ.get("CAMPAIGN_BY") or None))
    elif (listing := listing_in(system, words)) is not None:
        look_up(listing, None, None, line_options.campaign, line_options.screen, as_json=line_options.json)
    else:
        _run(ctx, [system.key, *words, *(["--dry-run"] if line_options.dry_run else [])], line_options)


def _run(ctx: typer.Context, words: Sequence[str], line_options: RecordOptions) -> None:
    """Run another command line of the program, with the options of this one."""
    program = ctx.find_root().command
    assert isinstance(program, CommandGroup)
    campaign = ["-c", line_options.campaign] if line_options.campaign else []
    json = ["--json"] if line_options.json else []
    run_command(program, [*words, *campaign, *json, "--color", ctx.params["color"]])
