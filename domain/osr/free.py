"""Who is free to act: neither dead nor with an injury that is not settled (OSR 6.6, 6.7)."""

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
    """An open injury comes before anything else that the character does or suffers."""
    injury = must_live(decision, name).injury
    if injury is not None:
        first = (
            f"the strength and will saves against DC {injury.dc} come first"
            if injury.stage == "saves"
            else "the choice of death or a major wound comes first"
        )
        raise Refusal("OSR 6.6", f"{called(name)} has an open injury: {first}.")
