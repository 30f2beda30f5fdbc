"""Correct what an earlier turn says, or move it.

Without a turn, amend the latest; a number alone replaces its first number: campaign amend 2. An empty value clears a
field. After = write a whole new line: campaign amend T4 = damage brog 2. Correct several turns of one mistake together:
campaign amend T3 character=Ada T4 character=Ada. Move the (first) turn with --after or --before.

Examples:
  campaign amend 2
  campaign amend T4 amount=2 --why "it was three"
  campaign amend T4 = damage brog 3 a wolf
  campaign amend T6 --after T4
"""

from typing import Annotated

import typer

from cli.shell import options
from cli.shell.declaration import LineDeclaration, parameter
from cli.shell.limited_preview import AS, LimitedPreview
from domain.common.revisions import Amend

WORDS = Annotated[
    list[str] | None, typer.Argument(metavar="[T4] FIELD=VALUE...", help="The turn, and what it should be.")
]
SET = Annotated[list[str] | None, typer.Option("--set", metavar="FIELD=VALUE", help="A field of its action.")]
#: An amendment is described by the fields of the turn that it amends.
PARAMETERS = (parameter("words", WORDS, None), parameter("set_", SET, None), parameter("why", options.Why, None))

amend = LineDeclaration(Amend, __doc__, (AS,), LimitedPreview, PARAMETERS)
