"""The inheritance of a rulebook: what another campaign takes over from it."""

from domain.common.inheritance import Inheritance, InheritedParagraph, InheritedRemark
from projections.rule_history import Remark
from projections.views.rulebook import LivingParagraph, Rulebook


def inheritance_of(book: Rulebook) -> Inheritance:
    """The paragraphs that differ from the rules: the group's own, reworded ones, and those with a history."""
    paragraphs = (
        _paragraph(book, paragraph)
        for paragraph in book.paragraphs
        if not paragraph.own or paragraph.wordings[-1].version
    )
    differing = tuple(
        paragraph
        for paragraph in paragraphs
        if paragraph.own or paragraph.text or paragraph.withdrawn or paragraph.history
    )
    return Inheritance(book.campaign, book.id, book.rules, book.turn, differing)


def _paragraph(book: Rulebook, paragraph: LivingParagraph) -> InheritedParagraph:
    is_own_wording = paragraph.own or len(paragraph.wordings) > 1 or paragraph.inherited
    return InheritedParagraph(
        rule=paragraph.rule,
        title=paragraph.title if is_own_wording else None,
        text=paragraph.text if is_own_wording else None,
        own=paragraph.own,
        withdrawn=not paragraph.in_force,
        history=tuple(_remark(book, remark) for remark in paragraph.history),
    )


def _remark(book: Rulebook, remark: Remark) -> InheritedRemark:
    """One remark; with the evidence if it adopts or ends a trial, because it needs this campaign's log."""
    fields = {
        name: getattr(remark, name) for name in InheritedRemark.__struct_fields__ if name not in ("campaign", "at")
    }
    evidence = book.evidence_at(remark)
    if evidence is not None:
        fields["evidence"] = evidence.sentence()
    return InheritedRemark(campaign=remark.campaign or book.campaign, at=remark.at.isoformat(), **fields)


def options_of(book: Rulebook) -> dict[str, object]:
    """The options whose value is another than the default."""
    return {option.name: option.value for option in book.options if option.value != option.default}
