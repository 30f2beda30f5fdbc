"""What the manual shows around a club (a proxy, a unit, an image) is taken by the programs that read it."""

import json
import re
import shutil
import subprocess
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.responses import PlainTextResponse
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from cli.commands.serve import network_of
from cli.serving.addresses import club_address
from tests.campaigns.club_evenings import Named, nginx
from tests.kit.chapters import MANUAL, blocks
from tests.kit.shell import ROOT, Shell

with_nginx = pytest.mark.skipif(not shutil.which("nginx") or not shutil.which("openssl"), reason="no nginx here")


def block(kind: str) -> str:
    (text,) = (text for found, text in blocks(MANUAL / "server.md") if found == kind)
    return text


@with_nginx
def test_nginx_takes_the_block(tmp_path: Path) -> None:
    certificate, key = tmp_path / "club.pem", tmp_path / "club.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=club.example",
         "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    text = block("nginx").replace("/etc/ssl/club.pem", str(certificate)).replace("/etc/ssl/club.key", str(key))
    settings = tmp_path / "nginx.conf"
    settings.write_text(f"pid {tmp_path}/pid;\nerror_log {tmp_path}/log;\nevents {{}}\nhttp {{\n{text}}}\n", "utf-8")
    done = subprocess.run(["nginx", "-t", "-c", str(settings)], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr


class Broken(BaseHTTPRequestHandler):
    """A process at which one table cannot be read."""

    def do_GET(self) -> None:
        self.send_response(503 if self.headers["host"].startswith("broken.") else 200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@contextmanager
def listening() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Broken) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@with_nginx
def test_a_table_that_cannot_be_read_closes_no_other_table(tmp_path: Path) -> None:
    with listening() as one, listening() as other, nginx(tmp_path, (one, other)) as (port, certificate):

        def status(table: str) -> int:
            connection = Named(f"{table}.club.example", port, certificate)
            connection.request("GET", "/")
            answer = connection.getresponse().status
            connection.close()
            return answer

        assert [status(table) for table in ("mill", "broken", "mill", "broken", "mill")] == [200, 503, 200, 503, 200]


NOWHERE = "postgresql://players@127.0.0.1:1/club"


@pytest.mark.parametrize("words", [("serve", NOWHERE), ("server", "invite", NOWHERE)])
@pytest.mark.parametrize("public", ["club.example", "ftp://club.example", "https://club.example/x", "https://10.0.0.5"])
def test_an_address_before_which_no_table_can_have_a_name_is_refused(
    shell: Shell, words: tuple[str, ...], public: str
) -> None:
    result = shell.run(*words, "--public", public)
    assert (result.code, result.err) == (
        2, f"{public} is not the address of a club; write it like https://club.example.\n"
    )  # fmt: skip


@pytest.mark.parametrize("written", ["https://club.example/", "https://CLUB.example", "https://club.example:443"])
def test_the_address_of_a_club_is_taken_as_browsers_write_it(written: str) -> None:
    assert club_address(written) == "https://club.example"
    assert club_address("http://club.example:443") == "http://club.example:443"


@pytest.mark.parametrize("proxy", ["nginx", "10.0.0.2:80", "*"])
def test_a_proxy_that_nothing_could_ever_be_believed_of_is_refused(shell: Shell, proxy: str) -> None:
    result = shell.run("serve", NOWHERE, "--public", "https://club.example", "--proxy", proxy)
    assert (result.code, result.err) == (
        2, f"{proxy} is not the address of a proxy; write it like 10.0.0.2, or 10.0.0.0/24.\n"
    )  # fmt: skip


def test_a_proxy_is_believed_in_its_whole_network() -> None:
    """uvicorn takes an address with a mask that is no network for the name of one host."""
    headers = ProxyHeadersMiddleware(cast(Any, PlainTextResponse("")), trusted_hosts=[network_of("10.0.0.2/24")])
    assert "10.0.0.77" in headers.trusted_hosts and "10.0.1.2" not in headers.trusted_hosts
    assert (
        network_of("10.0.0.2") == "10.0.0.2/32"
        and "10.0.0.2"
        in ProxyHeadersMiddleware(
            cast(Any, PlainTextResponse("")), trusted_hosts=[network_of("10.0.0.2")]
        ).trusted_hosts
    )


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "campaign@8001.service"
    unit.write_text(block("systemd").replace("/opt/campaign/bin/campaign", "/bin/true"), "utf-8")
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, encoding="utf-8", check=False)
    assert "campaign@8001.service" not in done.stderr, done.stderr


def test_the_unit_starts_the_command_as_it_is() -> None:
    from cli.shell.catalogue import declaration_of

    (start,) = (line for line in block("systemd").splitlines() if line.startswith("ExecStart="))
    options = {word for word in start.split() if word.startswith("--")}
    assert options == {"--public", "--listen", "--proxy"} and declaration_of("serve") is not None


def container() -> dict[str, str]:
    """Each instruction of the image with what stands behind it."""
    return dict(line.split(" ", 1) for line in block("containerfile").splitlines())


def has_docker() -> bool:
    return (
        bool(shutil.which("docker"))
        and not subprocess.run(["docker", "info"], capture_output=True, check=False).returncode
    )


@pytest.mark.skipif(not has_docker(), reason="no docker here that answers")
def test_docker_takes_the_image(tmp_path: Path) -> None:
    (tmp_path / "Containerfile").write_text(block("containerfile"), "utf-8")
    check = ["docker", "build", "--check", "-f", str(tmp_path / "Containerfile"), "."]
    done = subprocess.run(check, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr


def test_the_image_installs_what_the_command_needs_and_starts_it_as_nobody_special() -> None:
    from cli.shell.catalogue import declaration_of

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = re.search(r"/src\[([a-z,]+)\]", container()["RUN"])
    assert (
        extras is not None
        and set(extras[1].split(",")) == {"serve", "postgres"} <= project["optional-dependencies"].keys()
    )
    (version,) = re.findall(r"python:([0-9.]+)-slim", container()["FROM"])
    assert f"Programming Language :: Python :: {version}" in project["classifiers"]
    assert container()["USER"] in container()["RUN"] and container()["USER"] != "root"
    program, command, *options = json.loads(container()["ENTRYPOINT"])
    assert program in project["scripts"] and declaration_of(command) is not None
    assert options == ["--listen", f"0.0.0.0:{container()['EXPOSE']}"]
    assert f":{container()['EXPOSE']}/healthz" in container()["HEALTHCHECK"]
