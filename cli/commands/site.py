"""Write the campaign as pages for any web space.

An index, a page for each session and each character, the rulebook, statistics. The pages load nothing from elsewhere,
and their links work from a file. The folder is replaced in one step, and a second run writes only what changed.

Examples:
  campaign site pages
  campaign site pages --as Mia
  campaign site pages --as table
"""

from pathlib import Path
from typing import Annotated

import typer

from cli.shell.command_context import open_chosen, read_up_to, seen_by
from cli.shell.reading import ReadOptions, reads
from cli.shell.site_contents import SiteContents
from cli.shell.site_folder import SiteManifest, hash_of, manifest_of, swap_in
from cli.shell.versions import version_of


@reads(without=("output", "json"))
def site(
    request: ReadOptions,
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Where the pages go: a new folder, or that of an earlier run.")
    ],
) -> None:
    with open_chosen(request.campaign) as (store, system):
        upto = read_up_to(store, request.at)
        viewer = seen_by(store, system, request.as_)
        old = manifest_of(folder, store.campaign_id)
        made_by = f"{version_of('campaign-log')}, {system.key} {system.version}"
        usable = old is not None and (old.viewer, old.made_by) == (viewer or "", made_by)
        contents = SiteContents(store, system, upto, viewer, old if usable else None)
        pages = dict(contents.pages())
        old_hashes = {
            path: hash_of_page
            for path, hash_of_page in (old.files if usable and old else {}).items()
            if path in contents.unchanged_pages
        }
        manifest = SiteManifest(
            store.campaign_id,
            viewer or "",
            made_by,
            tuple(contents.sessions.values()),
            {**old_hashes, **{path: hash_of(page) for path, page in pages.items()}},
        )
        new_count = swap_in(folder, manifest, pages, old)
    count = len(manifest.files)
    how_many = "all of them" if new_count == count else f"{new_count} of them" if new_count else "none of them"
    request.screen.line(f"The site is in {folder}: {count} pages, {how_many} written now.", indent=None)
    request.screen.line(f"Open {folder / 'index.html'} in a browser, or copy the folder to any web space.", indent=None)
    request.screen.flush()
