"""Restore what an undo took back.

If you have recorded something since, say which undo you mean.

Examples:
  campaign redo
"""

from cli.shell.declaration import LineDeclaration
from cli.shell.limited_preview import AS, LimitedPreview
from domain.common.revisions import Redo

redo = LineDeclaration(Redo, __doc__, (AS,), LimitedPreview)
