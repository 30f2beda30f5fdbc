"""Inheritance: the paragraphs, with histories, that a campaign takes over from the rulebook of another."""

from typing import Any

from msgspec import Struct

from domain.refusal import Refusal
from domain.system.paragraphs import paragraphs_of
from domain.system.rulesystem import RuleSystem


class InheritedRemark(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One entry in the history of an inherited paragraph; `turn` and `session` refer to the other campaign's log."""

    campaign: str
    turn: int
    at: str
    #: "ruling", "kept", "ended", "note", "added", "revised", "withdrawn"
    kind: str
    text: str = ""
    session: int = 0
    date: str | None = None
    place: str | None = None
    by: str | None = None
    title: str | None = None
    why: str | None = None
    because: tuple[int, ...] = ()
    ruling: int | None = None
    of: int | None = None
    set: dict[str, Any] = {}
    since: int | None = None
    trial: bool = False
    review: int | str | None = None
    kept_by: int | None = None
    #: The result of a trial as a sentence, if it was adopted or ended.
    evidence: str | None = None
    supersedes: int | None = None
    disputed: bool = False
    late: int | None = None
    amended_by: int | None = None
    no_longer: str | None = None
    struck: bool = False


class InheritedParagraph(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """An inherited paragraph; without a text it keeps the built-in wording."""

    rule: str
    title: str | None = None
    text: str | None = None
    own: bool = False
    withdrawn: bool = False
    history: tuple[InheritedRemark, ...] = ()


class Inheritance(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The differences between another campaign's rulebook and the rules, as of its turn `turn`."""

    campaign: str
    id: str
    rules: str
    turn: int
    paragraphs: tuple[InheritedParagraph, ...] = ()

    def fit(self, system: RuleSystem) -> "Inheritance":
        """Return self if it fits these rules. Raises Refusal."""
        if self.rules != system.key:
            raise Refusal(
                None, f"The rulebook of {self.campaign} is one of {self.rules}; it does not fit {system.key}."
            )
        built_in = paragraphs_of(system.key)
        for paragraph in self.paragraphs:
            if paragraph.own == (paragraph.rule in built_in) or (
                paragraph.own and not (paragraph.title and paragraph.text)
            ):
                raise Refusal(None, f"{system.key} cannot have the paragraph {paragraph.rule} of {self.campaign}.")
        return self
