"""The view in Datasette: what it is told, what a browser shows of it, whom it answers, and when it ends."""

import http.client
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.cookiejar import CookieJar
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from cli.shell.listening import listening
from projections.views.metadata import metadata
from projections.views.tables import TABLES
from projections.views.view import kept_view
from tests.kit.browsers import CHROMIUM, browser_running
from tests.kit.elsewhere import needs
from tests.kit.postgres import free_port
from tests.kit.shell import LONGEST, PROGRAM, ROOT, Shell
from tests.kit.sqlites import needs_full_text
from tests.osr.tables import osr_table

pytestmark = pytest.mark.skipif(find_spec("datasette") is None, reason="the extra `explore` is not installed")


def test_it_is_told_titles_meanings_facets_and_the_named_questions(tmp_path: Path) -> None:
    table, path = osr_table(), tmp_path / "view.sqlite"
    with kept_view(path, table.log, table.system) as view:
        described = metadata(view, "view", "osr")
    assert described["title"] == "Test"
    database = described["databases"]["view"]
    assert set(TABLES) | {"sheets", "changes"} <= set(database["tables"])
    assert database["tables"]["turns"]["facets"] == ["session", "kind", "by", "standing"]
    assert database["tables"]["values"]["columns"]["old"]
    assert database["tables"]["position"] == {"hidden": True}
    assert "select" in database["queries"]["dice-fairness"]["sql"]
    assert "cards-lost" not in database["queries"]


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """A campaign in which a note tries to be a script."""
    import_module("datasette.app")  # here, so that whatever is forked has it already
    with pytest.MonkeyPatch.context() as patch:
        shell = Shell(tmp_path_factory.mktemp("explored"), patch)
        _play(shell)
        yield shell


def _play(shell: Shell) -> None:
    shell.do(
        "new Crypt --rules osr --file dc.campaign",
        "session open 'The crypt'",
        "osr enrol brog --level 2 --rolled 5,6",
        "osr damage brog 9 --source trap",
        "osr short-rest brog --rolled 3,4",
        "note \"<script>document.title = 'taken over'</script>\"",
    )


class Browser:
    """Whoever opens the address that was printed, and keeps the cookie."""

    def __init__(self, address: str) -> None:
        self.address = address
        parts = urlsplit(address)
        assert parts.hostname is not None and parts.port is not None
        self.host, self.port = parts.hostname, parts.port
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        with self._opener.open(address, timeout=20) as answer:
            self.path = urlsplit(answer.url).path

    def page(self, path: str = "") -> str:
        with self._opener.open(f"http://{self.host}:{self.port}{self.path}{path}", timeout=20) as answer:
            text: str = answer.read().decode()
        return text

    def asked(self, sql: str) -> tuple[int, object]:
        """The status and the JSON that a question comes to."""
        try:
            return 200, json.loads(self.page(f".json?_shape=objects&sql={quote(sql)}"))
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def bare(self, path: str, **headers: str) -> tuple[int, str]:
        """What somebody is answered who has no cookie and sends these headers: the page, or where else to look."""
        with closing(http.client.HTTPConnection(self.host, self.port, timeout=20)) as connection:
            connection.putrequest("GET", path, skip_host=True)
            for name, value in ({"host": f"{self.host}:{self.port}"} | headers).items():
                connection.putheader(name, value)
            connection.endheaders()
            with connection.getresponse() as answer:
                return answer.status, answer.getheader("location") or answer.read().decode()


def told_by(process: "subprocess.Popen[bytes]") -> Browser:
    assert process.stdout is not None
    line = process.stdout.readline().decode()
    assert line.endswith("  (stop with Ctrl-C)\n"), line
    return Browser(line.split()[0])


@contextmanager
def served(shell: Shell, *words: str) -> Iterator[Browser]:
    with shell.start("explore", *words) as process:
        yield told_by(process)


@pytest.fixture(scope="module")
def browser(shell: Shell) -> Iterator[Browser]:
    with served(shell) as found:
        yield found


def test_every_table_and_every_named_question_opens(browser: Browser) -> None:
    start = browser.page()
    assert "Turns" in browser.page("/turns") and "position" not in start
    for name in (*TABLES, "sheets", "changes", "rests-per-session", "dice-fairness"):
        assert json.loads(browser.page(f"/{name}.json?_shape=array")) is not None


@needs_full_text
def test_turns_are_searched_for_words(browser: Browser) -> None:
    found = json.loads(browser.page("/turns.json?_shape=array&_search=trap"))
    assert [row["turn"] for row in found] == [4]


def test_it_answers_only_who_has_the_token(browser: Browser) -> None:
    token = urlsplit(browser.address).query.partition("=")[2]
    for path in ("/", browser.path, f"{browser.path}/turns.json", "/-/in", "/-/versions.json"):
        assert browser.bare(path)[0] == 403
        assert browser.bare(f"{path}?token=x{token}")[0] == 403
        assert browser.bare(path, cookie=f"campaign-{browser.port}=x")[0] == 403
    assert browser.bare(browser.path, cookie=f"campaign-{browser.port}={token}")[0] == 200
    # the token leaves the address at once: it is in no history and no referrer
    assert browser.bare(f"/-/in?token={token}&x=1") == (302, browser.path)
    assert "campaign explore" in browser.bare("/")[1]


def test_an_earlier_point_has_a_view_of_its_own_and_leaves_this_one_open(shell: Shell, browser: Browser) -> None:
    with served(shell, "--at", "T3") as other:
        rows = json.loads(other.page("/turns.json?_shape=array"))
        assert sorted(row["turn"] for row in rows) == [1, 2, 3]
        # and in the same browser
        browser._opener.open(other.address, timeout=20).close()
    assert "Turns" in browser.page("/turns")


ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"


def test_a_question_has_the_limits_of_query(browser: Browser) -> None:
    assert browser.asked("select turn from turns where turn = 1")[0] == 200
    for sql in (
        ENDLESS,
        "select * from position",
        "select load_extension('x')",
        "select randomblob(5000000)",
        "select printf('%.*c', 500000000, 'x')",
        "select group_concat(hex(zeroblob(1000000))) from turns",
        "pragma journal_mode",
        "attach 'x' as y",
    ):
        assert browser.asked(sql)[0] in (400, 500), sql
    many = "with recursive n(i) as (select 1 union all select i + 1 from n limit 5000) select i from n"
    status, body = browser.asked(many)
    assert isinstance(body, dict)
    assert (status, len(body["rows"]), body["truncated"]) == (200, 1000, True)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there a process can bound its memory")
def test_rows_that_fill_the_memory_are_refused_and_it_serves_on(browser: Browser) -> None:
    many = "with recursive n(i) as (select 1 union all select i + 1 from n limit 900)"
    assert browser.asked(f"{many} select hex(zeroblob(1900000)) from n")[0] in (400, 500)
    assert browser.asked("select turn from turns where turn = 1")[0] == 200


def test_two_that_start_at_once_have_a_port_each() -> None:
    usual = free_port()
    with listening(None, usual=usual) as one, listening(None, usual=usual) as other:
        assert one.getsockname() != other.getsockname()


def test_a_port_that_is_taken_is_told(shell: Shell, browser: Browser) -> None:
    shell.run("explore", "--port", str(browser.port)).is_(1, f"Port {browser.port} is in use; try another with --port.")


@needs("signal.SIGHUP")
@pytest.mark.parametrize("number", ["SIGINT", "SIGHUP", "SIGTERM"])
def test_it_ends_when_it_is_told_to_and_leaves_nothing(shell: Shell, number: str, tmp_path: Path) -> None:
    how = signal.Signals[number]
    with shell.start("explore", "--at", "T3", env={"TMPDIR": str(tmp_path)}) as process:
        browser = told_by(process)
        assert list(tmp_path.iterdir())
        with ThreadPoolExecutor(1) as pool:
            pool.submit(browser.asked, ENDLESS)  # which is answered, or not any more
            process.send_signal(how)
            process.wait(timeout=LONGEST)
        assert process.returncode == {signal.SIGINT: 0}.get(how, 128 + how)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_answered_has_a_page_that_says_why_and_prints_no_traceback(shell: Shell) -> None:
    with shell.start("explore") as process:
        browser = told_by(process)
        for path, status, words in (
            ("/nowhere", 404, "Table not found"),
            ("?sql=select+nothing", 400, "near &#34;nothing&#34;: syntax error"),
            ("?sql=delete+from+turns", 400, "Statement must be a SELECT"),
            ("?sql=select+randomblob(9)", 400, "not authorized to use function: randomblob"),
            ("/turns?_sort=nothing", 500, "Cannot sort table by nothing"),
        ):
            with pytest.raises(urllib.error.HTTPError) as error:
                browser.page(path)
            with error.value as answer:
                assert (answer.code, words in answer.read().decode()) == (status, True), path
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LONGEST)
        assert (out, b"Traceback" in err) == (b"", False)


def test_plugins_that_somebody_installed_do_not_see_the_log(shell: Shell, tmp_path: Path) -> None:
    spy = tmp_path / "spy-1.dist-info"
    spy.mkdir()
    (spy / "METADATA").write_text("Metadata-Version: 2.1\nName: spy\nVersion: 1\n", "utf-8")
    (spy / "entry_points.txt").write_text("[datasette]\nspy = spy\n", "utf-8")
    (tmp_path / "spy.py").write_text("open(__file__ + '.ran', 'w')\n", "utf-8")
    path = os.pathsep.join((str(ROOT), str(tmp_path)))
    with shell.start("explore", env={"PYTHONPATH": path}) as process:
        assert "spy" not in told_by(process).page(".json")
    assert not (tmp_path / "spy.py.ran").exists()


def test_it_ends_with_whoever_started_it(shell: Shell) -> None:
    """A parent that is killed tells nobody."""
    # a port of its own: the usual one may be another's as soon as it is given back
    code = f"import subprocess; subprocess.run({[*PROGRAM, 'explore', '--port', str(free_port())]!r})"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, env=shell.environment(), cwd=shell.folder
    ) as parent:
        browser = told_by(parent)
        parent.kill()
        assert parent.stdout is not None
        assert parent.stdout.read() == b""  # until the last one that holds it is gone
    with pytest.raises(OSError, match="refused"):
        browser.bare(browser.path)


@pytest.mark.skipif(CHROMIUM is None, reason="no headless browser is installed")
def test_a_real_browser_shows_labels_and_runs_no_note(browser: Browser) -> None:
    with browser_running() as chromium:
        page = chromium.new_page()
        page.goto(browser.address)
        here = page.url

        def seen(path: str) -> str:
            page.goto(f"{here}{path}")
            # a question may take two seconds, which are over sooner where others use the machine
            for _ in range(LONGEST):
                if page.title() != "Invalid SQL":
                    break
                page.reload()
            return str(page.content())

        turns = seen("/turns")
        assert "token" not in here and page.title() != "taken over"
        assert "&lt;script&gt;document.title" in turns
        # the key of another table shows what it stands for
        assert "Brog is hit for 9 (trap)" in seen("/values")
        assert "rests" in seen("/rests-per-session")
