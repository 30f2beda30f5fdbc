"""The checks for actions: the character is alive and has no open injury (OSR 6.6, 6.7)."""

from domain.naming import called
from domain.osr.sheet import OsrDecision, OsrSheet
from domain.refusal import Refusal
from domain.system.citing import rule


@rule("OSR 6.7")
def must_live(decision: OsrDecision, name: str) -> OsrSheet:
    """Return the sheet. Raises Refusal for the dead: nothing more is done by or to them."""
    sheet = decision.sheet(name)
    if sheet.condition == "dead":
        raise Refusal("OSR 6.7", f"{called(name)} is dead.")
    return sheet


@rule("OSR 6.6")
def must_be_free(decision: OsrDecision, name: str) -> None:
    """Raise Refusal for the dead, and while an injury is open: it must be settled first."""
    injury = must_live(decision, name).injury
    if injury is not None:
        first = (
            f"the strength and will saves against DC {injury.dc} come first"
            if injury.stage == "saves"
            else "the choice of death or a major wound comes first"
        )
        raise Refusal("OSR 6.6", f"{called(name)} has an open injury: {first}.")
