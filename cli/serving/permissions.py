"""What a seat may do: the referee everything, a player things for the own characters, the table's screen nothing.

A player may also do what is for everybody, undo, restore or amend the own last line, and do what the table as a whole
waits for.
"""

from msgspec.structs import replace

from cli.line.context import Context
from cli.line.understanding import Understood, beginning_of
from cli.line.verbs import names_a_turn
from cli.line.words import Line, tokenize
from cli.recording.audience import Audience
from cli.serving.invitations import Seat
from cli.serving.recent_turns import LOOKED_AT, OwnLine, RecentTurns
from domain.common.revisions import REVISIONS, Amend, Redo, Undo
from domain.common.sheets import Override
from domain.log.command_handler import CommandHandler
from domain.log.deciding import names_in
from domain.naming import called, listed
from domain.refusal import Refusal
from domain.registry import action_from, verb_name
from domain.system.field_schema import NEW, fields_of
from domain.turn import Action
from projections.secrecy import owns, played_by
from projections.sentences import turns_in_words

#: Reading commands that have a page here.
QUESTIONS = ("why", "when", "status", "log", "show", "diff", "rules", "recap", "stats", "help")
#: The refusal of an undo that would take the ground from under later turns, whosever they are.
RESTED_ON = "Later turns rest on it; whoever keeps the log can settle that."
READS = "You can only read here."
NOTHING_TO_RESTORE = "You can restore what you undid last, as long as you have recorded nothing since."


def is_for_players(kind: type[Action]) -> bool:
    """Whether a player does such things for the own characters: not what enrols, revises or is about nobody."""
    names = [field.names for field in fields_of(kind) if field.names]
    revises = issubclass(kind, (*REVISIONS, Override))
    return kind.for_everybody or not (revises or not names or NEW in names)


def brings_in(kind: type[Action]) -> bool:
    """Whether an action brings in a new character."""
    return any(field.names == NEW for field in fields_of(kind))


class SeatPermissions:
    """What one seat may do at the table as it stands; `by` is the author of what it records."""

    def __init__(
        self,
        handler: CommandHandler,
        audience: Audience,
        seat: Seat,
        recent: RecentTurns,
        *,
        by: str | None = None,
        readonly: bool = False,
    ) -> None:
        self._handler, self._audience, self.seat, self.by = handler, audience, seat, by
        self.only_reads = readonly or seat.role == "table"
        self.own_line = OwnLine(handler.log, recent, by, only_reads=self.only_reads)
        self.is_referee = seat.role == "referee"

    @property
    def questions(self) -> tuple[str, ...]:
        """The reading commands that a line of this seat may ask."""
        own = ("query",) if self.is_referee else ()
        return (*QUESTIONS, *own, *(lookup.verb for lookup in self._handler.system.lookups))

    def amendable(self) -> tuple[int, ...] | None:
        """The turns that this seat may amend; None: all of them."""
        return None if self.is_referee else self.own_line.amendable()

    def narrow(self, context: Context) -> Context:
        """The context of a player's lines: for whom this seat acts, and which actions it may do."""
        return replace(context, acts_for=played_by(self._handler.state(), self.seat.name), does=self._may_ever_do)

    # -- before a line is understood -----------------------------------------------------------------------

    def check_can_act(self) -> None:
        """Raise Refusal for a seat that only reads."""
        if self.only_reads:
            raise Refusal(None, READS)

    def check_line(self, line: str) -> None:
        """Raise Refusal for a line that speaks of an earlier turn which is not of the own last line."""
        if self._speaks_of_others(line):
            keepers = "Earlier turns are changed by whoever keeps the log."
            raise Refusal(None, self._own_alone("change") if self.own_line.numbers() else keepers)

    def may_be_completed(self, line: str) -> bool:
        """Whether ways for a line to go on are offered: not where a player speaks of a turn. Raises LineError."""
        if self._speaks_of_others(f"{line} …"):
            return False
        # a player's undo or redo is of the own last line, and says no more
        return self.is_referee or self._kind_of(tokenize(line)) not in (Undo, Redo)

    def _speaks_of_others(self, line: str) -> bool:
        """Whether a line would have a player change a turn that is not of the own last line.

        Raises LineError for a line that has no verb.
        """
        if self.is_referee:
            return False
        words = tokenize(line)
        texts = [word.text for word in words.words]
        if self._kind_of(words) is not Amend or (names_a_turn(texts[0]) and len(texts) == 1):
            return False
        upto = texts.index("=") if "=" in texts else len(texts)
        turns = {text.upper() for text in texts[:upto] if names_a_turn(text)}
        return not turns or not turns <= {f"T{turn}" for turn in self.own_line.amendable()}

    def _kind_of(self, words: Line) -> type[Action] | None:
        """What a line does; None: it asks. Raises LineError for a line that has no verb."""
        verb = beginning_of(self._audience.context, words, self.questions)[0]
        return None if isinstance(verb, str) else verb.kind

    # -- once it is understood -----------------------------------------------------------------------------

    def admit(self, understood: Understood) -> Understood:
        """What this seat may record or ask: a player's bare undo or redo is of the own last line. Raises Refusal."""
        if not self.is_referee and understood.actions == (Undo(),):
            own = self.own_line.numbers()
            if not own:
                raise Refusal(None, self._nothing_to_undo())
            understood = replace(understood, actions=(Undo(turns=own),))
        if not self.is_referee and understood.actions == (Redo(),):
            undo = self.own_line.undo()
            if undo is None:
                raise Refusal(None, NOTHING_TO_RESTORE)
            understood = replace(understood, actions=(Redo(turn=undo),))
        if understood.question is None:
            self._check_actions(understood)
        return understood

    def _check_actions(self, understood: Understood) -> None:
        self.check_can_act()
        if self.is_referee:
            return
        if understood.manner:
            raise Refusal(None, f"{listed(understood.manner)} is for whoever keeps the log; leave it out.")
        for action in understood.actions:
            if not self.may_do(action):
                raise Refusal(None, self._why_not(action))

    def may_do(self, action: Action) -> bool:
        """Whether this seat may do an action."""
        if self.only_reads or self.is_referee:
            return self.is_referee and not self.only_reads
        if action.for_everybody:
            return True
        if isinstance(action, Undo):
            others = (action.last, action.to, action.conflicts)
            return bool(action.turns) and set(action.turns or ()) <= set(self.own_line.numbers()) and not any(others)
        if isinstance(action, Redo):
            return action.turn is not None and action.turn == self.own_line.undo() and action.conflicts is None
        if isinstance(action, Amend):
            return self._amends_own(action) and all(map(self.may_do, self._amended(action)))
        return self._audience.may_record(action)

    def _amends_own(self, action: Amend) -> bool:
        return set(action.new_actions) <= set(self.own_line.amendable()) and action.conflicts is None

    def _amended(self, action: Amend) -> list[Action]:
        """What the turns of an amendment say then."""
        return [action_from(self._handler.log.rules, new) for new in action.new_actions.values()]

    def _may_ever_do(self, kind: type[Action]) -> bool:
        return kind in (Undo, Redo, Amend) or is_for_players(kind) or self._audience.waits_for(kind)

    def _why_not(self, action: Action) -> str:
        """The reason why a player may not do an action."""
        names = names_in(action)
        if isinstance(action, Undo | Redo | Amend) and action.conflicts is not None:
            return RESTED_ON
        if isinstance(action, Undo):
            return self._own_alone("undo")
        if isinstance(action, Redo):
            return NOTHING_TO_RESTORE
        if isinstance(action, Amend):
            if not self._amends_own(action):
                return self._own_alone("change")
            return next(self._why_not(new) for new in self._amended(action) if not self.may_do(new))
        if not is_for_players(type(action)) or not names:
            return f"{verb_name(type(action))} is for whoever keeps the log."
        state = self._handler.state()
        others = [name for name in names if not owns(state, name, self.seat.name)]
        return f"{self.seat.label} does not play {listed(map(called, others))}."

    def _nothing_to_undo(self) -> str:
        if self.own_line.undo() is not None:
            return "You have undone your last line already; redo restores it."
        last = self._handler.log.last()
        return (
            f"None of the last {LOOKED_AT} turns is yours to undo."
            if last > LOOKED_AT
            else "You have recorded nothing yet that you could undo."
        )

    def _own_alone(self, does: str) -> str:
        own = self.own_line.amendable() if does == "change" else self.own_line.numbers()
        which = f", {turns_in_words(own)}" if own else ""
        return f"You may {does} your own last line{which}, and no other."
