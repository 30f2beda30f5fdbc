"""The sentences for wrong command lines, with what to type instead."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import typer

from cli.line.verbs import verbs_meant
from cli.shell.catalogue import COMMANDS
from cli.shell.parser import TYPED, NoSuchCommand, TooManyWords, choices_of
from cli.terminal.spelling import in_quotes
from domain.common import ACTIONS as COMMON
from domain.naming import listed_first, reads_as_point
from domain.registry import SYSTEMS, system_of, verb_name
from domain.system.type_descriptions import either


def usage_sentence(error: typer.TyperException) -> str:
    """The sentence for a wrong command line, and where its help is."""
    ctx = getattr(error, "ctx", None)
    path = ctx.command_path if ctx is not None else "campaign"
    sentence = error.format_message().removesuffix(".")
    wrong = getattr(error, "param", None)
    option = getattr(error, "option_name", None)
    if isinstance(error, NoSuchCommand):
        hint = _command_hint(error, path)
        sentence = f"{sentence}; {hint}" if hint else sentence
        path = f"campaign {error.rules}" if error.rules is not None and not hint.startswith("did you") else path
    elif option is not None and hasattr(error, "possibilities"):
        sentence = f"There is no option {option}{_option_hint(option, ctx)}"
        if path == "campaign" and option in ("-c", "--campaign"):
            sentence = "Put -c after the command, like campaign status -c FILE"
    elif wrong is not None and hasattr(error, "param_type"):
        name = wrong.opts[0]
        sentence = f"{name if name[:1] == '-' else name.upper()} is missing"
    elif wrong is not None and (choices := choices_of(wrong)):
        sentence = f"{wrong.opts[0]} takes {either(choices)}"
    elif wrong is not None and wrong.type.name.startswith("int"):
        least, most = getattr(wrong.type, "min", None), getattr(wrong.type, "max", None)
        bounds = "" if least is None else f" of {least} or more" if most is None else f" from {least} to {most}"
        sentence = f"{wrong.opts[0]} takes a whole number{bounds}"
    elif isinstance(error, TooManyWords):
        hint, line = _words_hint(error.words, path, ctx)
        sentence = f"{' '.join(error.words)!r} does not fit here; {hint}"
        if line:
            return f"{sentence}. Try: {line}"
    end = "" if sentence[-1:] in "?!" else "."
    return f"{sentence}{end} Try: {path} --help"


def _command_hint(error: NoSuchCommand, path: str) -> str:
    """A hint for an unknown command: where it exists, names that contain it, the most similar, or the known ones."""
    word, names = error.word, error.names
    words = f"{path.removeprefix('campaign')} {word}".strip()
    if verbs := [verb_name(kind) for kind in COMMON if words in (*kind.synonyms, *kind.meant_by)]:
        return f"did you mean campaign {' or '.join(verbs)}?"
    if path != "campaign" and word in COMMANDS:
        return f"did you mean campaign {word}?"
    known = SYSTEMS if path == "campaign" else ()
    elsewhere = [system for system in known if word in map(verb_name, system_of(system).actions)]
    if error.rules is not None:
        near = verbs_meant(error.rules, word, () if elsewhere else names)
        if not near and elsewhere:
            return f"it is a verb of {' and '.join(elsewhere)}, and this campaign is played under {error.rules}"
        return f"did you mean {' or '.join(near)}?" if near else ""
    if elsewhere:
        return f"did you mean {' or '.join(f'campaign {system} {word}' for system in elsewhere)}?"
    near = [name for name in names if word in name.split("-")] or get_close_matches(word, names, n=1)
    if (system := path.rpartition(" ")[2]) in SYSTEMS:
        near = [verb_name(kind) for kind in system_of(system).actions if word in kind.shorts] or near
    if near or path == "campaign":
        return f"did you mean {' or '.join(near)}?" if near else ""
    return f"known: {listed_first(names)}"


def _option_hint(option: str, ctx: Any) -> str:
    """A clause with the most similar option; "" if none is."""
    names = [name for parameter in ctx.command.get_params(ctx) for name in (*parameter.opts, *parameter.secondary_opts)]
    # a high cutoff, as short options like --at are similar to almost anything
    near = get_close_matches(option, sorted(name for name in names if name[:2] == "--"), n=1, cutoff=0.7)
    return f"; did you mean {near[0]}?" if near else ""


def _words_hint(words: Sequence[str], path: str, ctx: Any) -> tuple[str, str]:
    """A hint for words that a command does not take, and the line that was meant; "" if only the help can tell."""
    if path == "campaign why":
        return "put a dot between the character and the field, like brog.hp", ""
    if all(re.fullmatch(r"[\d,]+", word) for word in words):
        return "write several dice or cards as one word, like 5,6", ""
    arguments = [parameter.name for parameter in ctx.command.params if parameter.param_type_name == "argument"]
    if not arguments:
        return f"{path} takes options only", ""
    first, line = str(ctx.params[arguments[-1]]), list(ctx.meta[TYPED])
    at = line.index(first) if first in line else len(line)
    if reads_as_point(first) and path != "campaign log":
        return "name one place only", ""
    if reads_as_point(first):
        hint, one_word = "write from one place to another as one word", f"{first}..{words[-1]}"
    else:
        hint, one_word = "put a name of several words in quotes", f'"{" ".join([first, *words])}"'
    if line[at + 1 : at + 1 + len(words)] != list(words) or '"' in "".join([first, *words]):
        return hint, ""
    others = [in_quotes(word) for word in line[at + 1 + len(words) :]]
    missing = ["--rules osr"] if path == "campaign new" and ctx.params["rules"] is None else []
    return hint, " ".join([path, *map(in_quotes, line[:at]), one_word, *others, *missing])
