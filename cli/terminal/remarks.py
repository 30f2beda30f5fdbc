"""The remarks in the history of a rule as text, for every page and screen that shows one."""

from msgspec import Struct

from domain.common.rulings import review_to_come
from domain.naming import ended, letters, listed
from domain.values import in_words
from projections.rule_history import Remark
from projections.views.rulebook import LivingParagraph, Wording


class RemarkInWords(Struct, frozen=True):
    """The parts of a remark as text: what it is, its words, and sentences about it."""

    what: str
    #: when, where, in which turn and by whom
    where: str
    words: str
    why: str
    sets: str
    #: sentences about what it replaces, which turns gave rise to it, and the like
    more: tuple[str, ...]
    #: sentences about a trial or a dispute
    marks: tuple[str, ...]
    no_longer: str


def remark_in_words(remark: Remark) -> RemarkInWords:
    """The parts of a remark as text."""
    of = f" of {remark.campaign}" if remark.campaign is not None else ""
    what = {
        "ruling": f"R{remark.ruling}{of}",
        "note": "note",
        "kept": f"R{remark.of}{of} is kept",
        "ended": f"R{remark.of}{of} ends",
        "added": "added",
        "revised": "reworded",
        "withdrawn": "withdrawn",
    }[remark.kind]
    evening = [f"session {remark.session}", remark.date, remark.place] if remark.session else []
    elsewhere = remark.campaign if remark.ruling is None and remark.of is None else None
    where = ", ".join(part for part in (elsewhere, *evening, f"T{remark.turn}", remark.by) if part)
    words = ended(remark.text) if remark.text else ""
    is_title = letters(remark.title or "") == letters(remark.text or "")  # which is then said once
    title = f"{remark.title}. " if remark.title and not is_title else ""
    more = [
        *([f"It replaces R{remark.supersedes}."] if remark.supersedes else []),
        *([f"Because of {listed(f'T{turn}' for turn in remark.because)}."] if remark.because else []),
        *([f"Counts from T{remark.since} on."] if remark.since is not None else []),
        *([f"Late entry: it counts directly after T{remark.late}."] if remark.late is not None else []),
        *([f"Reworded by T{remark.amended_by}."] if remark.amended_by is not None else []),
        *([remark.evidence] if remark.evidence is not None else []),
    ]
    marks = [*([_trial(remark)] if remark.trial else []), *(["Disputed."] if remark.disputed else [])]
    return RemarkInWords(
        what=what,
        where=where,
        words=f"{title}{words}",
        why=ended(remark.why) if remark.why else "",
        sets=listed(f"{name} = {in_words(value)}" for name, value in remark.set.items()) if remark.set else "",
        more=tuple(more),
        marks=tuple(marks),
        no_longer=f"No longer in force: {ended(remark.no_longer)}" if remark.no_longer else "",
    )


def wording_in_words(paragraph: LivingParagraph) -> str:
    """Since when a paragraph is worded as it is, and how often that was played, as the part of a sentence; or ""."""
    wording = paragraph.wordings[-1]
    since = f"worded like this since T{wording.turn}" if wording.turn is not None else ""
    if wording.turn is None and paragraph.inherited is not None:
        since = f"in the words of {paragraph.inherited}"
    return "; ".join(part for part in (since, str(wording.played or "")) if part)


def not_in_source(paragraph: LivingParagraph) -> str:
    """A sentence about the parts of a paragraph that the source of the rules lacks."""
    return ended(f"Not in the source: {'; '.join(paragraph.not_in_source)}")


def original(wording: Wording) -> tuple[str, str]:
    """The wording of the rules themselves in the form of a remark: what it is, and its words."""
    return "in the rules", f"{wording.title}. {ended(wording.text)}"


def _trial(remark: Remark) -> str:
    """The state of a trial in a sentence."""
    if remark.kept_by is not None:
        return f"On trial until T{remark.kept_by}."
    if not remark.on_trial:
        return "It was on trial."
    return f"On trial{review_to_come(remark.review)}."
