"""Change a sheet because the referee says so.

Examples:
  campaign override brog hp=9 he drank at the holy well
"""

from cli.shell.declaration import LineDeclaration
from domain.common.sheets import Override

override = LineDeclaration(Override, __doc__)
