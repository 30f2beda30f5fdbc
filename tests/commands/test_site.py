"""The campaign as pages: every link leads somewhere, nothing is loaded, and a second run writes only what changed."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from cli.pages.site import character_page
from cli.shell.examples import examples
from cli.shell.site_folder import SiteManifest, hash_of, manifest_of, swap_in
from domain.refusal import Invalid
from tests.kit.beginnings import NASTY, TWO_EVENINGS
from tests.kit.elsewhere import ask_for
from tests.kit.shell import Shell, shell_after


class Links(HTMLParser):
    """The places of a page, where its links lead, and whatever would load or run something."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if "id" in attributes:
            assert attributes["id"] not in self.places, attributes["id"]
            self.places.add(attributes["id"])
        if tag == "a" and "href" in attributes:
            self.links.add(attributes["href"])
        if (
            tag in ("script", "link", "img", "iframe", "object")
            or "src" in attributes
            or any(n.startswith("on") for n in attributes)
        ):
            self.loads.add(tag)


def read(folder: Path) -> dict[str, str]:
    """Every page of a site by its path."""
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in sorted(folder.rglob("*.html"))}


def led_astray(folder: Path) -> list[str]:
    """The links of a site that lead nowhere on it; what lies in the net is not followed."""
    pages = {path: Links(page) for path, page in read(folder).items()}
    wrong = []
    for path, page in pages.items():
        assert page.loads == set(), path
        for link in page.links:
            if link.startswith(("http://", "https://")):
                assert path == "rulebook.html", f"{path}: {link}"
                continue
            target, _, place = link.partition("#")
            where = (folder / path).parent.joinpath(unquote(target)).resolve() if target else (folder / path).resolve()
            known = pages.get(where.relative_to(folder.resolve()).as_posix())
            if known is None or (place and unquote(place) not in known.places):
                wrong.append(f"{path}: {link}")
    return wrong


@pytest.mark.parametrize("name", sorted(examples()))
def test_every_link_of_an_example_leads_somewhere_from_a_file(shell: Shell, name: str) -> None:
    shell.run("demo", name).ok()
    for as_ in ((), ("--as", "table")):
        output = shell.run("site", "pages", "-c", f"campaign-demo/{name}.campaign", *as_).ok().out
        assert output.startswith("The site is in pages: ")
        assert led_astray(shell.folder / "pages") == []
    pages = read(shell.folder / "pages")
    assert {"index.html", "rulebook.html", "sessions/session-1.html"} <= pages.keys()
    shell.run("site", "pages", "-c", f"campaign-demo/{name}.campaign").ok()
    whole = read(shell.folder / "pages")
    assert any('href="../rulebook.html#R' in page for path, page in whole.items() if path.startswith("characters/"))
    assert all("default-src 'none'" in page for page in pages.values())


shell = shell_after(*TWO_EVENINGS)


def files(folder: Path) -> dict[str, int]:
    """Each page and the file on the disk that it is."""
    return {path.relative_to(folder).as_posix(): path.stat().st_ino for path in folder.rglob("*.html")}


def test_the_index_tells_the_last_evening_and_the_party(shell: Shell) -> None:
    shell.run("site", "pages").ok()
    pages = read(shell.folder / "pages")
    index = pages["index.html"]
    assert "Crypt" in index and character_page("brog") in index and "session-2.html" in index
    brog = pages[character_page("brog")]
    assert '<a href="../sessions/session-1.html#T5">T5</a>' in brog and '<svg class="plot"' in brog
    assert '<a id="T5"></a>' in pages["sessions/session-1.html"] and NASTY not in "".join(pages.values())


def test_a_second_run_writes_only_what_changed(shell: Shell) -> None:
    shell.run("site", "pages").ok()
    before = files(shell.folder / "pages")
    assert "none of them written now" in shell.run("site", "pages").ok().out
    assert files(shell.folder / "pages") == before
    shell.do("session close", "session open", "d brog 1 a bat", "session close")
    shell.run("site", "pages").ok()
    after = files(shell.folder / "pages")
    stayed = {path for path, inode in before.items() if after[path] == inode}
    assert {"sessions/session-1.html", character_page("ada")} <= stayed
    assert after.keys() - before.keys() == {"sessions/session-3.html"}
    assert "sessions/session-2.html" not in stayed, "it knows the session after it now"
    assert led_astray(shell.folder / "pages") == []


def test_what_is_corrected_later_is_written_anew(shell: Shell) -> None:
    shell.run("site", "pages").ok()
    shell.do("amend T5 --set amount=3")
    shell.run("site", "pages").ok()
    first = read(shell.folder / "pages")["sessions/session-1.html"]
    assert "loses 3 hit points to a ghoul" in first and "amount 9 → 3" in first
    shell.do("undo")
    shell.run("site", "pages").ok()
    again = read(shell.folder / "pages")
    shell.run("site", "fresh").ok()
    assert again == read(shell.folder / "fresh")


def test_a_folder_that_is_not_ours_is_left_alone(shell: Shell) -> None:
    (shell.folder / "photos").mkdir()
    (shell.folder / "photos" / "cat.jpg").write_bytes(b"meow")
    shell.run("site", "photos").is_(2, "photos holds other files; name a new or an empty folder.")
    (shell.folder / "empty").mkdir()
    shell.run("site", "empty").ok()
    (shell.folder / "empty" / "CNAME").write_text("example.org", "utf-8")
    shell.run("site", "empty").is_(
        2, "empty holds CNAME, which is no page of the site; move it elsewhere, or name a new folder."
    )
    assert (shell.folder / "empty" / "CNAME").exists()
    shell.run("site", "crypt.campaign").is_(2, "crypt.campaign is a file; name a folder.")
    shell.run("site", "no/where").is_(2, "There is no folder no to make where in.")
    shell.run("site", ".").is_(2, ". is the folder you are in, or one around it; give the site a folder of its own.")
    shell.do("new Other --rules osr --file other.campaign")
    (shell.folder / "empty" / "CNAME").unlink()
    shell.run("site", "empty", "-c", "other.campaign").is_(
        2, "empty holds the site of another campaign; name another folder."
    )


def test_a_run_that_breaks_leaves_the_old_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, page = tmp_path / "site", b"<p>one</p>"
    old = SiteManifest("c", "", "1", (), {"index.html": hash_of(page)})
    assert swap_in(folder, old, {"index.html": page}, None) == 1
    new = SiteManifest("c", "", "1", (), {"index.html": hash_of(page), "more.html": "?"})
    with pytest.raises(KeyError):
        swap_in(folder, new, {}, old)
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
    rename = Path.rename

    def breaks(self: Path, target: Path) -> Path:
        if self.name.startswith(".site.") and not self.name.endswith(".before"):
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", breaks)
    with pytest.raises(OSError, match="No space"):
        swap_in(folder, new, {"more.html": b"two"}, old)
    monkeypatch.undo()
    assert (folder / "index.html").read_bytes() == page
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_run_that_was_killed_between_two_names_is_mended_by_the_next(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    old = SiteManifest("c", "", "1", (), {"index.html": hash_of(b"x")})
    swap_in(folder, old, {"index.html": b"x"}, None)
    folder.rename(tmp_path / ".site.before")
    assert manifest_of(folder, "c") == old
    assert (folder / "index.html").read_bytes() == b"x"
    with pytest.raises(Invalid):
        manifest_of(folder, "another")


@pytest.mark.parametrize(
    "name", ["Brog", "brog", "con", "a/b\\c", "..", "Ségolène", "龍", "x" * 60, "a:b*c?d", "ADA ", "ﬀ", "😀"]
)
def test_the_address_of_a_character_is_safe_on_every_file_system(name: str) -> None:
    page = character_page(name)
    assert re.fullmatch(r"characters/[a-z0-9-]{6,50}\.html", page)
    assert not page.removeprefix("characters/").startswith("-")


def test_names_that_fold_to_the_same_letters_have_pages_of_their_own() -> None:
    assert len({character_page(name) for name in ("Ana", "Áná", "A-na", "龍", "虎")}) == 5
    assert character_page("BROG") == character_page("brog")


def _by_a_link(folder: Path) -> str:
    (folder / "www").symlink_to("real", target_is_directory=True)
    return "www"


def _by_a_link_to_nothing_yet(folder: Path) -> str:
    (folder / "www").symlink_to("later", target_is_directory=True)
    return "www"


#: Ways to name a folder other than by its own name.
ROUNDABOUT = (
    _by_a_link, _by_a_link_to_nothing_yet, lambda _: "real/../real", lambda _: "./real/", lambda _: "other/../real",
)  # fmt: skip


@pytest.mark.parametrize("name", ROUNDABOUT)
def test_a_site_goes_to_where_its_name_leads(shell: Shell, name: Callable[[Path], str]) -> None:
    ask_for("os.symlink")
    shell.do("site real")
    (shell.folder / "other").mkdir()
    way = name(shell.folder)
    links = [path for path in shell.folder.iterdir() if path.is_symlink()]
    for line in ("note one", "note two"):
        shell.do(line, f"site {way}")
        assert [path for path in shell.folder.iterdir() if path.is_symlink()] == links
    pages = (shell.folder / way).resolve()
    assert pages.parent == shell.folder.resolve() and shell.run("site", str(pages)).ok().out.count("none of them")
    assert not [path for path in shell.folder.iterdir() if path.name.startswith(".real")]


def test_a_link_that_leads_to_itself_is_no_folder_for_a_site(shell: Shell) -> None:
    (shell.folder / "loop").symlink_to("loop")
    shell.run("site", "loop").is_(2, "loop is not the name of a folder.")
