"""Restore what an undo took back.

Once something else was done after it, say which undo is meant.

Examples:
  campaign redo
"""

from cli.shell.declaration import LineDeclaration
from cli.shell.limited_preview import AS, LimitedPreview
from domain.common.revisions import Redo

redo = LineDeclaration(Redo, __doc__, (AS,), LimitedPreview)
