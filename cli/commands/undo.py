"""Undo turns without erasing them.

Later turns are decided again with the dice and cards they had. Undo the undo to have it all back.

Examples:
  campaign undo
  campaign undo T10 --why "it hit the wall" --drop
  campaign undo --last 2
"""

from cli.shell.declaration import LineDeclaration
from cli.shell.limited_preview import AS, LimitedPreview
from domain.common.revisions import Undo

undo = LineDeclaration(Undo, __doc__, (AS,), LimitedPreview)
