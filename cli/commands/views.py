"""Find or rebuild the tables behind the questions.

They are made from the log, so they can be made anew at any time.
"""

from cli.pages.formats import Format
from cli.pages.rows import write_rows
from cli.shell import options
from cli.shell.command_context import open_chosen
from cli.shell.reading import ReadOptions, reads
from cli.shell.viewing import viewing
from cli.store.folders import view_path
from cli.store.stored_log import StoredLog
from projections.views.view import View, remove_view


@reads(without=("at", "as_"))
def path(request: ReadOptions) -> None:
    """Print where the tables lie, and up to which turn they go.

    Examples:
      campaign views path
    """
    with open_chosen(request.campaign) as (log, system), viewing(log, system) as view:
        _report(request, view, log)


@reads(without=("at", "as_"))
def rebuild(request: ReadOptions) -> None:
    """Make the tables anew from the log; nothing is lost.

    Examples:
      campaign views rebuild
    """
    with open_chosen(request.campaign) as (log, system):
        remove_view(view_path(log.stream))
        with viewing(log, system) as view:
            _report(request, view, log)


def _report(request: ReadOptions, view: View, log: StoredLog) -> None:
    screen, form = request.screen, request.form
    usual_path = view_path(log.stream)
    (turns,) = view.ask("SELECT count(*) FROM turns")[0]
    size = view.path.stat().st_size if view.path is not None else 0
    row = {"path": str(usual_path) if view.path == usual_path else None, "turns": turns, "bytes": size}
    if form is not Format.text:
        write_rows(screen, [row], form, list(row))
    elif row["path"] is None:
        raise options.NotFound(f"No view can be kept in {usual_path.parent}; one is made for each command instead.")
    else:
        screen.line(str(usual_path))
    screen.flush()


COMMANDS = {"path": path, "rebuild": rebuild}
