"""Record what the group decided about a rule.

With --set, an option of the rule holds from this turn on; with --since, from that point on, and the turns after it are
decided again. `campaign ruling keep R3` keeps a ruling that was on trial, `campaign ruling end R3` ends it.

Examples:
  campaign ruling 6.4 If one of us rests, we all rest short_rest_together=true
  campaign ruling 6.4 "Keep the better roll" --set keep_higher=true --since S1
  campaign ruling end R1 we forgot it anyway
"""

from cli.shell.declaration import LineDeclaration
from domain.common.rulings import Ruling

ruling = LineDeclaration(Ruling, __doc__)
