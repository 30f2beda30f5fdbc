"""Correct an earlier turn: set fields of its action.

Without a turn it is the latest, and a number alone is its first number: campaign amend 2. An empty value leaves a
field out; behind = stands a whole line instead: campaign amend T4 = damage brog 2. Several turns of one mistake are
amended as one: campaign amend T3 character=Ada T4 character=Ada. With --after or --before the (first) turn is moved.

Examples:
  campaign amend 2
  campaign amend T4 amount=2 --why "it was three"
  campaign amend T4 = damage brog 3 a wolf
  campaign amend T6 --after T4
"""

from typing import Annotated

from cli.shell import options
from cli.shell.declaration import ArgumentSpec, LineDeclaration, OptionSpec, parameter
from cli.shell.limited_preview import AS, LimitedPreview
from domain.common.revisions import Amend

WORDS = Annotated[
    list[str] | None,
    ArgumentSpec(metavar="[T4] FIELD=VALUE...", help="The turn, and what it should be.", show_default=False),
]
SET = Annotated[
    list[str] | None, OptionSpec("--set", metavar="FIELD=VALUE", help="A field of its action.", show_default=False)
]
#: An amendment is described by the fields of the turn that it amends.
DESCRIBED = (parameter("words", WORDS, None), parameter("set_", SET, None), parameter("why", options.Why, None))

amend = LineDeclaration(Amend, __doc__, (AS,), LimitedPreview, DESCRIBED)
