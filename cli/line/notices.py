"""What is said beside a line that is done: who is left out, who is away, and that no session is open."""

from collections.abc import Mapping, Sequence

from cli.line.context import Context
from cli.line.understanding import Understood
from domain.common.presence import Absence
from domain.common.sessions import SessionClose
from domain.log.deciding import names_in
from domain.log.effective_history import effective_history
from domain.log.points import session_turns
from domain.naming import called, listed
from domain.system.field_schema import NEW, fields_of
from domain.turn import Action

#: No option of the line.
NOTHING: Mapping[str, str] = {}
#: So many of the latest turns are searched for the end of a session.
TURNS_SEARCHED = 50


def notice_of_absence(context: Context, understood: Understood) -> str:
    """Sentences like "Without Ada (collapsed)." and "Fingers is absent."; "" if there is nothing to say."""
    system, state = context.system, context.state
    left_out = [f"{called(name)} ({system.fallen(state, name)})" for name in understood.without]
    sentences = [f"Without {listed(left_out)}."] if left_out else []
    moves = [action for action in understood.actions if type(action) in system.actions]
    people = dict.fromkeys(name for action in moves for name in names_in(action) if name in state.characters)
    for away in ("absent", "retired"):
        if gone := [called(name) for name in people if state.characters[name].away == away]:
            sentences.append(f"{listed(gone)} {'is' if len(gone) == 1 else 'are'} {away}.")
    return " ".join(sentences)


def outside_a_session(context: Context, actions: Sequence[Action], manner: Mapping[str, str] = NOTHING) -> str:
    """ "No session is open.", where the rules decide something after the latest one was closed; else "".

    Nobody is away from an evening that is over, either.
    """
    moves = [action for action in actions if type(action) in (*context.system.actions, Absence)]
    joins = any(field.names == NEW for action in moves for field in fields_of(type(action)))
    return "No session is open." if moves and not joins and not manner and _is_over(context) else ""


def _is_over(context: Context) -> bool:
    """Whether the latest session is closed, and no other is open."""
    if context.state.campaign.session is not None:
        return False
    after = max(0, context.log.last() - TURNS_SEARCHED)
    effective = effective_history(context.log, after=after)
    turns = session_turns(context.log, context.log.last(), effective, after=after)
    return bool(turns) and isinstance(effective.action(turns[-1]), SessionClose)
