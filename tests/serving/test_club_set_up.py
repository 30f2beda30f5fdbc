"""What the manual shows around a club (a proxy, a unit of systemd) is taken by the programs that read it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.kit.chapters import MANUAL, blocks


def block(kind: str) -> str:
    (text,) = (text for found, text in blocks(MANUAL / "server.md") if found == kind)
    return text


@pytest.mark.skipif(not shutil.which("nginx") or not shutil.which("openssl"), reason="no nginx here")
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


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "campaign@8001.service"
    unit.write_text(block("systemd").replace("/usr/local/bin/campaign", "/bin/true"), "utf-8")
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, encoding="utf-8", check=False)
    assert "campaign@8001.service" not in done.stderr, done.stderr


def test_the_unit_starts_the_command_as_it_is() -> None:
    from cli.shell.catalogue import declaration_of

    (start,) = (line for line in block("systemd").splitlines() if line.startswith("ExecStart="))
    options = {word for word in start.split() if word.startswith("--")}
    assert options == {"--public", "--listen", "--proxy"} and declaration_of("serve") is not None
