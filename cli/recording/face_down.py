"""Lines about choices that lie face down until they are revealed: which they are, and what may be said of them."""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from cli.line.errors import Ambiguous, Misread, Missing, NoField, NoVerb, Unclear
from cli.line.grammar import Grammar
from cli.line.phrases.omissions import verbs_of_phrase
from cli.line.speech import in_plain_words
from cli.line.spelling import line_of_choice
from cli.line.tracking import verb_in
from cli.line.understanding import understand
from cli.line.values import LEAST_OF_A_NAME, number_of, people_at, people_first, somebody_meant
from cli.line.verbs import Verb, names_a_turn
from cli.line.vocabulary import ARTICLES, FIRST_PERSON, JOINS, NUMBER_WORDS, STOPS
from cli.line.words import Line, quote, rest_of, tokenize, word_to_type
from cli.recording.audience import Audience
from domain.choice import Choice
from domain.common.notes import Note
from domain.common.tracking import Track
from domain.log.deciding import decide
from domain.naming import LITTLE, called, listed, plain_words
from domain.refusal import Invalid, Refusal, Unknown
from domain.registry import verb_name
from domain.system.chance import Chance
from domain.system.drafts import about
from domain.system.field_schema import NEW, Field, fields_of
from domain.system.pending import choices_in
from domain.system.secrets import lies_face_down, secrets_of
from domain.system.type_descriptions import either
from domain.turn import Action
from projections.secrecy import ANYBODY, TABLE, as_known_to, face_down, only_their_player, owns, sheet_for

#: Said of a line that names what is chosen face down in words that no verb of it has.
UNSEEN = "That is chosen face down."
#: Numbers that may be those of cards, in words.
IN_WORDS = NUMBER_WORDS.keys() - ARTICLES
#: In the place of what is chosen, where the answer is the same whatever that is: nothing is called so.
ANYTHING = "?"


class FaceDownLine(Struct, frozen=True):
    """A line that makes a face-down choice, or names what can be chosen so."""

    #: the choice, as far as everybody sees it: its action, and the one character whom the line names
    choice: Choice
    #: the index from which on the line is typed unseen
    unseen_from: int
    #: whether it chooses nothing as it stands, and means nothing else
    is_refused: bool = False


class FaceDownChoices:
    """What lines say of the choices that can be made face down, before one audience."""

    def __init__(self, audience: Audience) -> None:
        self._audience, self._system = audience, audience.system

    def line(self, text: str, questions: Sequence[str] = ()) -> FaceDownLine | None:
        """The line as one that chooses face down, whoever looks on; None: it is none."""
        line, context = tokenize(text), self._audience.context
        try:
            verb, at = verb_in(context, line, 0, questions)
        except NoVerb:
            return self._name_first(text, line) or self._naming_a_choice(text, line, questions, LEAST_OF_A_NAME)
        except Unclear:
            return self._name_first(text, line) or self._naming_a_choice(text, line, questions)
        except Misread:
            return self._naming_a_choice(text, line, questions)
        if isinstance(verb, str):
            return None
        if not lies_face_down(verb.kind):
            # "I" is a verb's short name as well: whom it does something to stands behind that
            speaks = line.words[0].text.casefold() in FIRST_PERSON and not somebody_meant(line.words, 1, context)
            return self._naming_a_choice(text, line, questions) if speaks else None
        try:
            people = people_at(line.words, at, context)
        except Misread:
            return None
        place = people[1] if people is not None else at
        whose = people[0] if people is not None else ()
        return FaceDownLine(self._choice(verb.kind, whose), _start(text, line, place))

    def _choice(self, kind: type[Action], people: Sequence[str], says: str = "") -> Choice:
        """The choice of this kind by the one character among these people; of several it says nobody."""
        who = Grammar(self._audience.context, Verb(verb_name(kind), kind)).who
        return Choice(kind, {who.key: people[0]} if who is not None and len(people) == 1 else {}, says=says)

    def _name_first(self, text: str, line: Line) -> FaceDownLine | None:
        """A line that says first who chooses, or not at all: `gorm plays trample, eye`."""
        state, context = self._audience.current(), self._audience.context
        pending = {choice.action for choice in choices_in(self._system.pending_for_anyone(state))}
        try:
            verbs, last, behind = verbs_of_phrase(line, context)
            people = people_at(line.words, 0, context) if last else None
        except Misread:
            return None
        kinds = [verb.kind for verb in verbs if lies_face_down(verb.kind)]
        is_open = bool(face_down(self._system, state)) or bool(pending & set(kinds))
        if not kinds or not (is_open or len(kinds) == len(verbs)):
            return None
        whose = people[0] if people is not None else ()
        return FaceDownLine(self._choice(kinds[0], whose), _start(text, line, behind))

    def _naming_a_choice(self, text: str, line: Line, questions: Sequence[str], least: int = 0) -> FaceDownLine | None:
        """A line that names what can be chosen, whatever it says of it: `gorm: trample, then eye`, `gorm has 1 and 4`.

        The first word of a line, which may become a verb, names something from `least` letters on; 0: never.
        """
        kinds, words = self._open_kinds(), line.words
        if not kinds:
            return self._too_early(text, line)
        try:
            last = people_first(line, self._audience.context)
            people = people_at(words, 0, self._audience.context) if last else None
        except Misread:
            last, people = 1, None
        whose = people[0] if people is not None else ()
        by_number = self._number_in(line, last, whose, questions)
        at = self._name_in(text, line, last, least) if by_number is None else by_number
        if at is None:
            return None
        choice = self._choice(next(iter(kinds)), whose, UNSEEN)
        return FaceDownLine(choice, words[min(at, max(last, 1))].start, is_refused=by_number is not None)

    def _too_early(self, text: str, line: Line) -> FaceDownLine | None:
        """`tin: trample and eye` where nothing can be chosen yet, and nobody's turn is open: cards of their class."""
        state, context = self._audience.current(), self._audience.context
        kind = next((kind for kind in self._system.actions if lies_face_down(kind)), None)
        if kind is None or self._system.whose_turn(state) is not None:
            return None
        try:
            last = people_first(line, context)
            people = people_at(line.words, 0, context) if last else None
        except Misread:
            return None
        if people is None or not line.words[last - 1].text.endswith(":"):
            return None
        parts = {part for name in self._proposed_to_one_like(people[0][0]) for part in plain_words(name)} - LITTLE
        typing = len(line.words) - 1 if line.words[-1].end == len(text) else None
        places = [
            at
            for at in range(last, len(line.words))
            for piece in plain_words(line.words[at].text)
            if len(piece) >= (1 if at == typing else LEAST_OF_A_NAME) and any(part.startswith(piece) for part in parts)
        ]
        if not places:
            return None
        choice = self._choice(kind, people[0], UNSEEN)
        return FaceDownLine(choice, line.words[places[0]].start, is_refused=len(places) > 1)

    def _name_in(self, text: str, line: Line, last: int, least: int) -> int | None:
        """The first word behind those whom a line names with which the name of something to choose begins.

        The beginning of one word of a name is enough, and while that is typed its first letter is.
        """
        parts, words = self._parts_of_the_hidden(), line.words
        typing = len(words) - 1 if words and words[-1].end == len(text) else None
        for at in range(last, len(words)):
            enough = (least if not at else 1 if at == typing else LEAST_OF_A_NAME) or 0
            pieces = [piece for piece in plain_words(words[at].text) if piece not in LITTLE]
            if enough and any(
                piece in parts or (len(piece) >= enough and any(part.startswith(piece) for part in parts))
                for piece in pieces
            ):
                return at
        return None

    def _number_in(self, line: Line, last: int, whose: Sequence[str], questions: Sequence[str]) -> int | None:
        """The first word behind those whom a line names with a number of what may be chosen: the line means no more."""
        words, can_choose = line.words, self._who_can_choose()
        if whose and not set(can_choose) & set(whose):
            return None
        numbers = [at for at in range(last, len(words)) if any(map(str.isdecimal, plain_words(words[at].text)))]
        in_words = [at for at in range(last, len(words)) if words[at].text.casefold().rstrip(STOPS) in IN_WORDS]
        if not numbers and len(in_words) > 1:  # `brann takes one and four`, and not `brann is the one`
            numbers, line = in_words, in_plain_words(line) or line
        at = next(iter(numbers), None)
        if at is None or len(words) == 1 or names_a_turn(words[0].text):
            return None  # a number alone is the key of a proposal
        if not last and words[0].text.casefold() in FIRST_PERSON:
            # `i 1` uses an item; `I have 1 and 4` is said by whoever chooses
            if at == 1 or not can_choose:
                return None
            line = tokenize(" ".join([quote(can_choose[0]), *rest_of(line, 1)]))
        return None if self._means_otherwise(line, questions, names_somebody=bool(last)) else at

    def _means_otherwise(self, line: Line, questions: Sequence[str], *, names_somebody: bool) -> bool:
        """Whether a line means anything but a face-down choice, or words to write down.

        A number behind `and` is one more than it has a place for: it may be the second of two that are chosen.
        """
        try:
            understood = understand(line, self._audience.context, questions)
        except Ambiguous as error:
            numbers = [word.text.rstrip(STOPS) for word in line.words if number_of(word.text.rstrip(STOPS)) is not None]
            # a meaning that leaves a number out is not all that was said
            lines = (tokenize(choice.line) for choice in error.choices)
            meanings = (
                candidate
                for candidate in lines
                if not Counter(numbers) - Counter(word.text for word in candidate.words)
            )
            return any(self._means_otherwise(meaning, questions, names_somebody=names_somebody) for meaning in meanings)
        except Missing:
            return True
        except NoField as error:
            if error.at is None:
                return False
            # an option that the line does not have, as one of the shell, says nothing of what the rest means
            rest = tokenize(" ".join(word_to_type(line, at) for at in range(len(line.words)) if at != error.at))
            return self._means_otherwise(rest, questions, names_somebody=names_somebody)
        except (NoVerb, Unclear):
            return not names_somebody and number_of(line.words[0].text) is None
        except Invalid:
            return False
        except Refusal:
            return True
        if any(isinstance(action, Note | Track) or lies_face_down(type(action)) for action in understood.actions):
            return False
        places = range(1, len(line.words))
        return not any(
            line.words[at - 1].text.casefold() in JOINS and number_of(line.words[at].text) is not None for at in places
        )

    def _open_kinds(self) -> tuple[type[Action], ...]:
        """The actions by which something can be chosen face down now."""
        kinds = tuple(dict.fromkeys(choice.action for choice in self._open_choices()))
        if not kinds and face_down(self._system, self._audience.current()):
            return tuple(kind for kind in self._system.actions if lies_face_down(kind))
        return kinds

    def _open_choices(self) -> list[Choice]:
        pending = self._system.pending_for_anyone(self._audience.current())
        return [choice for choice in choices_in(pending) if lies_face_down(choice.action)]

    def _who_can_choose(self, kind: type[Action] | None = None) -> list[str]:
        """Those who can choose face down now, by actions of this kind: they have not yet, or can think again."""
        pending = [about(choice) for choice in self._open_choices() if kind in (None, choice.action)]
        choosers = face_down(self._system, self._audience.current())
        return list(dict.fromkeys(name for name in (*pending, *choosers) if name is not None))

    def _parts_of_the_hidden(self) -> frozenset[str]:
        """The words of the names of all that can be chosen face down, as far as those who look on may know them."""
        state = self._audience.known()
        names = [
            legal
            for kind in self._open_kinds()
            for field in secrets_of(kind)
            for name in self._who_can_choose(kind)
            for legal in self._system.proposals(state, kind, field, name) or ()
        ]
        names += [legal for name in self._who_can_choose() for legal in self._may_be_kept(name)]
        return frozenset(part for name in set(names) for part in plain_words(name)) - LITTLE

    def _may_be_kept(self, name: str) -> Iterator[str]:
        """All that somebody else may keep in secret, as everybody knows from their sheet: the cards of their class.

        It tells nothing of what they do keep.
        """
        state, viewer = self._audience.current(), self._audience.viewer
        if viewer is not None and not owns(state, name, viewer):
            yield from self._proposed_to_one_like(name)

    def _proposed_to_one_like(self, name: str) -> Iterator[str]:
        """What the rules propose for the secrets of someone like a character who joins."""
        state = self._audience.current()
        sheet = sheet_for(self._system, state, name, ANYBODY)
        for kind in self._system.actions:
            if any(field.names == NEW for field in fields_of(kind)):
                for field in secrets_of(kind):
                    yield from self._system.proposals_for(state, kind, field, None, sheet) or ()

    # -- what is answered ----------------------------------------------------------------------------------

    def refusal(self, choice: Choice) -> Refusal:
        """The answer to every face-down choice that is refused: why, or who chooses, how much, and what to type.

        It is the same whatever was chosen, as the rules' own reason might show that to everybody; at another's seat it
        is that only their player can say it. Of `choice` only the action and whom it is about are read.
        """
        who, can_choose = about(choice), self._who_can_choose(choice.action)
        viewer = self._audience.viewer
        if who is not None and viewer is not None and not owns(self._audience.current(), who, viewer):
            return only_their_player(who)
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
        how = f"{line} ({meanings}), each by number or name"
        if who is None:
            return Refusal(None, f"Say who chooses: {how}.")
        if who != whose:
            return Refusal(None, f"{called(who)} has nothing to choose now. {either(can_choose)} can: {how}.")
        wrong = f"{called(who)} cannot choose that. Misspelt?"
        return Refusal(None, f"{choice.says or wrong} Type {how}.")

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


def _start(text: str, line: Line, place: int) -> int:
    """The index at which the word at a place begins, or would begin."""
    return line.words[place].start if place < len(line.words) else len(text)
