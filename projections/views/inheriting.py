"""A rulebook as another campaign takes it over."""

from domain.common.inheritance import Inheritance, InheritedParagraph, InheritedRemark
from projections.history import Remark
from projections.views.rulebook import LivingParagraph, Rulebook


def inheritance_of(book: Rulebook) -> Inheritance:
    """What differs in it from the rules: own paragraphs, other wordings, and whatever has a history."""
    paragraphs = (_paragraph(book, each) for each in book.paragraphs if not each.own or each.wordings[-1].version)
    told = tuple(each for each in paragraphs if each.own or each.text or each.withdrawn or each.history)
    return Inheritance(book.campaign, book.id, book.rules, book.turn, told)


def _paragraph(book: Rulebook, paragraph: LivingParagraph) -> InheritedParagraph:
    worded = paragraph.own or len(paragraph.wordings) > 1 or paragraph.inherited
    return InheritedParagraph(
        rule=paragraph.rule,
        title=paragraph.title if worded else None,
        text=paragraph.text if worded else None,
        own=paragraph.own,
        withdrawn=not paragraph.in_force,
        history=tuple(_remark(book, each) for each in paragraph.history),
    )


def _remark(book: Rulebook, remark: Remark) -> InheritedRemark:
    """One remark; where a trial was adopted or ended, with what it had come to, which nobody can work out elsewhere."""
    said = {name: getattr(remark, name) for name in InheritedRemark.__struct_fields__ if name not in ("campaign", "at")}
    weighed = book.evidence_at(remark)
    if weighed is not None:
        said["evidence"] = weighed.told()
    return InheritedRemark(campaign=remark.campaign or book.campaign, at=remark.at.isoformat(), **said)


def options_of(book: Rulebook) -> dict[str, object]:
    """The options whose value is another than the default."""
    return {option.name: option.value for option in book.options if option.value != option.default}
