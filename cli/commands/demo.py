"""Try the example campaigns in a folder of their own.

The folder is ./campaign-demo. See a screenful of each campaign and what to try next; nothing of yours is touched.

Examples:
  campaign demo
  campaign demo gloomhaven
"""

import secrets
import shlex
from pathlib import Path
from typing import Annotated

import typer

from cli.shell import options
from cli.shell.examples import Example, examples, first_turn, play
from cli.shell.program import program
from cli.store.file import open_campaign
from cli.store.making import create
from cli.terminal.screen import Screen, Span
from domain.naming import did_you_mean, numbered
from domain.refusal import Invalid

FOLDER = "campaign-demo"


def demo(
    name: Annotated[str | None, typer.Argument(help="One example, or those of one rule system (default: all).")] = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    all_examples = examples()
    examples_to_make = {
        folder: example for folder, example in all_examples.items() if name in (None, folder, example.rules)
    }
    if not examples_to_make:
        raise Invalid(f"There is no example {name!r}; {did_you_mean(str(name), all_examples, otherwise='none here.')}")
    folder = _new_folder()
    for example_name, example in examples_to_make.items():
        _show(folder, example_name, example, color)
    _say_what_next(folder, [f"{example_name}.campaign" for example_name in examples_to_make], color)


def _show(folder: Path, example_name: str, example: Example, color: options.Color) -> None:

    path = folder / f"{example_name}.campaign"
    create(path, secrets.token_hex(8), first_turn(example))
    with open_campaign(path, write=True) as log:
        turns = sum(1 for _ in play(example_name, log)) + 1
    screen = Screen(color)
    screen.line(Span(f"{example.name}: {turns} turns of {example.rules}, in {path}", "bold"))
    for show in example.shows:
        screen.line()
        screen.line(Span(f"$ campaign {show} -c {path}", "bold green"), indent=None)
        screen.flush()
        words = [*shlex.split(show), "-c", str(path), "--color", "always" if screen.paints else "never"]
        program().main(args=words, prog_name="campaign", standalone_mode=False)
    screen.line()
    screen.flush()


def _say_what_next(folder: Path, files: list[str], color: options.Color) -> None:
    screen = Screen(color)
    screen.line(Span("What to try next", "bold"))
    first = folder / files[0]
    for line, purpose in (
        (f"campaign play -c {first}", "Sit down at its table"),
        (f"campaign recap S2 -c {first}", "Read an evening of it"),
        (f"campaign rules --book -O html -o rules.html -c {first}", "See its rulebook as a page"),
        ('campaign new "My campaign" --rules osr', "Begin your own"),
        ("campaign manual first-evening", "Read how an evening goes"),
    ):
        screen.line(Span(f"  {purpose}:", "dim"), indent=None)
        screen.line(Span(f"    {line}", "green"), indent=None)
    screen.flush()


def _new_folder() -> Path:
    """A folder that does not exist yet: nothing is overwritten."""
    path = next(path for path in map(Path, numbered(FOLDER)) if not path.exists())
    path.mkdir()
    return path
