"""Making, deleting and switching branches. Only the table of branches is written here, never a turn."""

import secrets
import unicodedata

from cli.store import layout
from cli.store.layout import MAIN
from cli.store.segments import Branch
from cli.store.stored_log import StoredLog
from domain.naming import listed_first
from domain.refusal import Invalid, Refusal, Unknown


def fit_branch_name(name: str) -> str:
    """The name, trimmed. Raises Invalid for one that is empty or could be read as a point or a range."""
    bare_name = name.strip()
    plain = bare_name.replace("-", "").replace("_", "")
    fit = plain.isalnum() and plain == unicodedata.normalize("NFKC", plain) and len(bare_name) <= 40
    like_a_point = bare_name[:1] in "TtSs" and bare_name[1:].isdigit()
    if not fit or like_a_point or bare_name[:1].isdigit():
        raise Invalid(
            f"{bare_name[:40]!r} cannot be the name of a branch: use letters, digits, - and _, begin with a letter, "
            "and do not make it look like a place in the log."
        )
    return bare_name


def make_branch(log: StoredLog, name: str, fork: int, *, switch: bool = False) -> Branch:
    """Make a branch that begins after turn `fork` of this log; with `switch` it becomes the current one.

    Raises Invalid, Refusal, NotSaved, MaybeSaved.
    """
    fit = fit_branch_name(name)
    if fit == MAIN or fit in {branch.name for branch in log.branches()}:
        raise Refusal(None, f"There is a branch {fit} already; choose another name or delete it first.")
    branch = Branch(fit, f"{log.campaign_id}/{fit}-{secrets.token_hex(4)}", log.stream_at(fork), fork)
    statement = (layout.NEW_BRANCH, (branch.stream, branch.name, branch.base, branch.fork))
    log.change(
        [statement, (layout.SWITCH, (fit,))] if switch else [statement],
        there=(layout.BRANCH_IS_THERE, (branch.stream,)),
    )
    log.note_saved(change=f"Branch {fit} is made")
    return branch


def delete_branch(log: StoredLog, name: str) -> None:
    """Mark a branch as deleted; its turns stay in the file. Raises Refusal, NotSaved, MaybeSaved."""
    if name == MAIN:
        raise Refusal(None, "main is the campaign itself and cannot be deleted.")
    if name == log.branch:
        raise Refusal(None, f"You are on {name}; leave it first with `campaign switch main`.")
    must_be_a_branch(log, name)
    (stream,) = (branch.stream for branch in log.branches() if branch.name == name)
    log.change(
        [(layout.FORGET_BRANCH, (stream,))],
        there=(layout.BRANCH_IS_FORGOTTEN, (stream,)),
    )
    log.note_saved(change=f"Branch {name} is forgotten")


def switch_to(log: StoredLog, name: str) -> None:
    """Make a branch the current one for everybody who opens the file. Raises Refusal, NotSaved, MaybeSaved."""
    must_be_a_branch(log, name)
    log.change([(layout.SWITCH, (name,))], there=(layout.BRANCH_SWITCHED_TO, (name,)))
    log.note_saved(change=f"Branch {name} is the current one")


def must_be_a_branch(log: StoredLog, name: str) -> None:
    """Raise Unknown, naming the existing branches, unless there is such a branch."""
    names = [MAIN, *(branch.name for branch in log.branches())]
    if name not in names:
        raise Unknown("branch", name, f"There is no branch {name!r}", f"known: {listed_first(names)}.")


def common_turns(log: StoredLog, line: StoredLog) -> int:
    """The last turn that two branches have in common; 0 if there is none."""
    fork = min(log.last(), line.last())
    while fork and log.stream_at(fork) != line.stream_at(fork):
        fork -= 1
    return fork
