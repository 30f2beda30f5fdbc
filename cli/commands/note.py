"""Write a note into the log.

Examples:
  campaign note the ghoul had a key
  campaign note --about brog afraid of water since the mill
"""

from cli.shell.declaration import LineDeclaration
from domain.common.notes import Note

note = LineDeclaration(Note, __doc__)
