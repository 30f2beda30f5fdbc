"""The meanings of a line for an audience: without those that are refused, or that would tell a secret."""

from collections.abc import Callable, Sequence

from cli.line.errors import Ambiguous, Misread, Missing
from cli.line.understanding import Understood, understand
from cli.line.words import Line, tokenize
from cli.recording.audience import Audience
from domain.common.notes import Note
from domain.common.tracking import Track
from domain.refusal import Conflict, Invalid, Refusal, ReportedShort, Unreported
from domain.registry import verb_name


class Meanings:
    """The meanings of lines.

    `questions` are the reading commands that one may ask; `preview` raises what doing would raise.
    """

    def __init__(self, audience: Audience, questions: Sequence[str], preview: Callable[[Understood], object]) -> None:
        self._audience, self._questions, self._preview = audience, questions, preview

    def understand(self, line: Line) -> Understood:
        """What a line means here. Raises what `cli.line.understanding.understand` raises."""
        try:
            return self._read(line)
        except Ambiguous as error:
            raise self._possible(error, line) from None
        except Missing as error:
            raise self._likely(error) from None

    def _read(self, line: Line) -> Understood:
        """What a line means, if it is about nobody else's characters. Raises what `understand` raises, and Refusal."""
        understood = understand(line, self._audience.context, self._questions)
        for action in understood.actions:
            self._audience.must_be_own(action)
        return understood

    def _possible(self, error: Ambiguous, line: Line) -> Ambiguous | Refusal | Invalid:
        """The ambiguity without the meanings that are refused; if all are, the refusal of the line as it stands."""
        refusals: dict[str, Refusal | Invalid] = {}
        for choice in error.choices:
            refusal: Refusal | Invalid | None = self._refused_to_write_down(choice.line, line)
            if refusal is None:
                try:
                    refusal = self.refusal_of(self._read(tokenize(choice.line)))
                except (Refusal, Invalid):
                    continue  # something else is asked about it
            if refusal is not None:
                refusals[choice.line] = refusal
        remaining = [choice for choice in error.choices if choice.line not in refusals]
        if remaining or not refusals:
            return error.only(remaining)
        return error.unasked or _refusal_of_line(error, list(refusals.values()))

    def _refused_to_write_down(self, offer: str, line: Line) -> Refusal | None:
        """The refusal to offer a note that would tell what is chosen face down; None: it tells nothing of it."""
        writes = offer.partition(" ")[0] in (verb_name(Note), verb_name(Track))
        if not writes or not self._audience.system.keeps_secrets or not self._audience.several_play:
            return None
        from cli.recording.face_down import FaceDownChoices  # most lines mean something, and few systems keep secrets

        face_down = FaceDownChoices(self._audience)
        choosing = face_down.line(line.text, self._questions)
        return face_down.refusal(choosing.choice) if choosing is not None else None

    def _likely(self, error: Missing) -> Missing:
        """The error about what a line lacks, with the first example of the whole line that is not refused."""
        for at, line in enumerate(error.like):
            try:
                refusal = self.refusal_of(understand(tokenize(line), self._audience.context, self._questions))
            except (Refusal, Invalid):
                continue
            if refusal is None:
                return error.with_examples(error.like[at:])
        return error.with_examples(())

    def refusal_of(self, understood: Understood) -> Refusal | Invalid | None:
        """The refusal of what is understood, as far as the audience may know it beforehand; None: there is none."""
        if not understood.actions or not all(map(self._audience.may_see_preview_of, understood.actions)):
            return None
        from projections.preview import RestsOnDraw  # what a line means is hardly ever in doubt

        try:
            self._preview(understood)
        except (Conflict, Unreported, ReportedShort, RestsOnDraw):
            return None  # that is asked for, or said, by itself
        except (Refusal, Invalid) as refusal:
            return refusal
        return None


def _refusal_of_line(error: Ambiguous, refusals: Sequence[Refusal | Invalid]) -> Refusal | Invalid:
    """The refusal of a line all of whose meanings are refused: its own sentence, with the reason of the last meaning.

    The last meaning is the nearest to what was typed: the words as words, or the referee's word. What the first one
    lacks, as the dice of a rest, says nothing about a line that named no rest.
    """
    last = refusals[-1]
    if error.question.endswith((":", "?")):
        return last
    if isinstance(last, Refusal):
        return Refusal(last.rule, f"{error.question} {last.reason}", last.choices)
    return Misread(f"{error.question} {last}", error.at)
