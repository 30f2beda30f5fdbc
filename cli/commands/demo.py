"""Play the example campaigns into new files and show them.

The files are made in the current folder; each is shown command by command.

Examples:
  campaign demo
"""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from cli.shell import options
from cli.shell.examples import Example, examples, first_turn, play
from cli.terminal.screen import Screen, Span
from domain.naming import did_you_mean
from domain.refusal import Invalid


def demo(
    name: Annotated[
        str | None,
        typer.Argument(help="One example, or those of one rule system (default: each in turn).", show_default=False),
    ] = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    known = examples()
    chosen = {folder: each for folder, each in known.items() if name in (None, folder, each.rules)}
    if not chosen:
        raise Invalid(f"There is no example {name!r}; {did_you_mean(str(name), known, otherwise='none here.')}")
    for folder, example in chosen.items():
        _show(folder, example, color)


def _show(folder: str, example: Example, color: options.Color) -> None:
    import secrets

    from cli.shell.catalogue import program
    from cli.store.file import open_campaign
    from cli.store.making import create

    path = _free_path(folder)
    create(path, secrets.token_hex(8), first_turn(example))
    with open_campaign(path, write=True) as log:
        turns = sum(1 for _ in play(folder, log)) + 1
    screen = Screen(color)
    screen.line(Span(f"{example.name}: {turns} turns of {example.rules}, now in {path}.", "bold"))
    screen.flush()
    for show in example.shows:
        line = show.replace("{file}", path.stem)
        screen.line()
        screen.line(Span(f"$ campaign {line} -c {path}", "bold green"), indent=None)
        screen.flush()
        words = [*shlex.split(line), "-c", str(path), "--color", "always" if screen.paints else "never"]
        program().main(args=words, prog_name="campaign", standalone_mode=False)
    screen.line()
    screen.flush()


def _free_path(folder: str) -> Path:
    """A file of this name that does not exist yet: nothing is overwritten."""
    path, number = Path(f"{folder}.campaign"), 1
    while path.exists():
        number += 1
        path = Path(f"{folder}-{number}.campaign")
    return path
