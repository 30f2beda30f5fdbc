"""Lines about choices that lie face down until they are revealed: which they are, and what may be said of them."""

from collections.abc import Sequence

from msgspec import Struct

from cli.line.errors import LineError
from cli.line.people import people_at
from cli.line.spelling import line_of_choice
from cli.line.understanding import beginning_of
from cli.line.verbs import parts_of
from cli.line.words import tokenize
from cli.recording.audience import Audience
from domain.choice import Choice
from domain.log.deciding import decide
from domain.naming import called, listed
from domain.refusal import Refusal, Unknown
from domain.system.chance import Chance
from domain.system.drafts import about
from domain.system.field_schema import Field, fields_of
from domain.system.pending import choices_in
from domain.system.secrets import lies_face_down, secrets_of
from domain.system.type_descriptions import either
from domain.turn import Action
from projections.secrecy import TABLE, as_known_to, face_down

#: In the place of what is chosen, where the answer is the same whatever that is: nothing is called so.
ANYTHING = "?"


class FaceDownLine(Struct, frozen=True):
    """A line that makes a face-down choice."""

    #: the choice, as far as everybody sees it: its action, and the one character whom the line names
    choice: Choice
    #: the index from which on the line is typed unseen
    unseen_from: int


class FaceDownChoices:
    """What lines say of the choices that can be made face down, before one audience."""

    def __init__(self, audience: Audience) -> None:
        self._audience, self._system = audience, audience.system

    def line(self, text: str, questions: Sequence[str] = ()) -> FaceDownLine | None:
        """The line as one that chooses face down, whoever looks on; None: it is none."""
        line, context = tokenize(text), self._audience.context
        try:
            verb, at, who = beginning_of(context, line, questions)
            kind = None if isinstance(verb, str) else verb.kind
        except LineError:
            # a word for several verbs, of which one chooses, is no reason to show the cards
            first = parts_of(line.words[0].text) if line.words else ()
            meant = (kind for kind in self._system.actions if first in map(parts_of, kind.synonyms))
            kind, at, who = next(filter(lies_face_down, meant), None), 1, ()
        if kind is None or not lies_face_down(kind):
            return None
        try:
            people = people_at(context, line, at) if not who else None
        except LineError:
            return None
        whose, place = (who, at) if people is None else people
        start = line.words[place].start if place < len(line.words) else len(text)
        names = next(field.key for field in fields_of(kind) if field.names == "character")
        return FaceDownLine(Choice(kind, {names: whose[0]} if len(whose) == 1 else {}), start)

    def _who_can_choose(self, kind: type[Action]) -> list[str]:
        """Those who can choose face down now, by actions of this kind: they have not yet, or can think again."""
        state = self._audience.current()
        pending = [
            about(choice) for choice in choices_in(self._system.pending_for_anyone(state)) if choice.action is kind
        ]
        choosers = face_down(self._system, state)
        return list(dict.fromkeys(name for name in (*pending, *choosers) if name is not None))

    # -- what is answered ----------------------------------------------------------------------------------

    def refusal(self, choice: Choice) -> Refusal:
        """The answer to every face-down choice that is refused: why, or who chooses, how much, and what to type.

        It is the same whatever was chosen, as the rules' own reason might show that to everybody. Of `choice` only the
        action and whom it is about are read.
        """
        who, can_choose = about(choice), self._who_can_choose(choice.action)
        fields = fields_of(choice.action)
        whom = next(field.key for field in fields if field.names == "character")
        secrets = [field for field in fields if field.key in secrets_of(choice.action)]
        if who is not None and (refusal := self._refused_whatever(choice, secrets)) is not None:
            return refusal
        if not can_choose:
            return Refusal(None, "Nobody can choose that now.")
        whose = who if who is not None and who in can_choose else can_choose[0]
        asks = tuple(field.key for field in secrets)
        line = line_of_choice(self._audience.context, Choice(choice.action, {whom: whose}, asks))
        meanings = listed([field.description or field.key for field in secrets])
        how = f"{line} ({meanings}), each by its name"
        if who is None:
            return Refusal(None, f"Say who chooses: {how}.")
        if who != whose:
            return Refusal(None, f"{called(who)} has nothing to choose now. {either(can_choose)} can: {how}.")
        wrong = f"{called(who)} cannot choose that. Misspelt?"
        return Refusal(None, f"{wrong} Type {how}.")

    def _refused_whatever(self, choice: Choice, secrets: Sequence[Field]) -> Refusal | None:
        """The rules' reason why the character can choose nothing at all; None: it depends on what is chosen.

        The rules decide on what everybody at the table knows, with something that nobody can have in the place of what
        is chosen: so their reason holds nothing that is secret from anybody.
        """
        state = as_known_to(self._system, self._audience.current(), TABLE)
        names = {field.key: field.name for field in fields_of(choice.action)}
        public = {names[key]: value for key, value in choice.fields.items()}
        action = choice.action(**public, **{field.name: ANYTHING for field in secrets})
        try:
            decide(self._system, state, action, Chance(0), self._audience.log.last() + 1)
        except Unknown:
            return None  # of what stands in the place of the choice
        except Refusal as refusal:
            return refusal
        return None
