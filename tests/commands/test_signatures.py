"""Signed seals: made, kept and checked by OpenSSH; what is said of them, and what a forger cannot do."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cli.shell.signing import NAMESPACE
from tests.kit.on_disk import meddle
from tests.kit.shell import Shell

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen here")


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A campaign, and two keys: Mia's, who is among the signers, and a stranger's."""
    shell = Shell(tmp_path, monkeypatch)
    for name in ("mia", "stranger"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(shell.folder / name)], check=True
        )
    (shell.folder / "signers").write_text(f"mia@example.org {(shell.folder / 'mia.pub').read_text('utf-8')}")
    shell.do(
        'new "The Mill" --rules osr --file mill.campaign',
        "session open",
        "osr enrol brog --level 2 --rolled 5,6",
        "osr damage brog 4",
    )
    return shell


def test_it_is_a_signature_that_openssh_takes_of_the_line_with_its_end(shell: Shell) -> None:
    lines = shell.run("seal", "--sign", "mia", "-o", "seal.sig").ok().out.splitlines()
    assert lines[0].startswith("T4 ") and lines[1:] == ["The signature is in seal.sig."]
    checked = subprocess.run(
        ["ssh-keygen", "-Y", "verify", "-f", "signers", "-I", "mia@example.org", "-n", NAMESPACE, "-s", "seal.sig"],
        cwd=shell.folder, input=f"{lines[0]}\n", encoding="utf-8", capture_output=True, check=False,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stderr


def test_what_is_signed_is_the_same_to_the_byte_on_every_system(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text that a system encodes and ends lines in by itself would be another text on Windows."""
    given: list[Any] = []

    def listening(*arguments: Any, **options: Any) -> Any:
        given.append(options["input"])
        return run(*arguments, **options)

    run = subprocess.run
    monkeypatch.setattr(subprocess, "run", listening)
    seal = shell.run("seal", "--sign", "mia", "--keep").ok().out.splitlines()[0]
    shell.run("verify", "--signers", "signers").ok()
    assert set(given) == {f"{seal}\n".encode(), b""}


def test_without_a_file_it_is_printed_below_the_seal(shell: Shell) -> None:
    seal, *signature = shell.run("seal", "T2", "--sign", "mia").ok().out.splitlines()
    assert seal.startswith("T2 ") and signature[0] == "-----BEGIN SSH SIGNATURE-----"
    assert shell.run("seal", "T2", "--sign", "mia", "--json").json()["seal"] == seal
    assert "signatures" not in shell.run("verify", "--json").ok().json()


def test_verify_says_who_has_signed_up_to_where_and_what_came_after(shell: Shell) -> None:
    assert "T1 to T4 are signed by nobody." in shell.run("verify", "--signers", "signers").ok().out
    seal = shell.run("seal", "--sign", "mia", "--keep").ok().out.splitlines()[0]
    lines = shell.run("verify", "--signers", "signers").ok().out.splitlines()
    assert lines[0] == f"mia@example.org has signed up to T4 ({seal})." and lines[1].startswith("All 4 turns verified.")
    shell.do("note later", "note still later")
    lines = shell.run("verify", "--signers", "signers").ok().out.splitlines()
    assert lines[:2] == [f"mia@example.org has signed up to T4 ({seal}).", "T5 to T6 came after the last signature."]
    (signed,) = shell.run("verify", "--signers", "signers", "--json").ok().json()["signatures"]
    assert signed == {"branch": "main", "turn": 4, "seal": seal, "signer": "mia@example.org", "fits": True}
    assert shell.run("seal", "T4").ok().out.strip() == seal


def test_closing_a_session_signs_and_keeps_its_seal(shell: Shell) -> None:
    output = shell.run("session", "close", "--sign", "mia").ok().out
    assert "Signed with mia, and kept in the campaign." in output
    assert "mia@example.org has signed up to T5" in shell.run("verify", "--signers", "signers").ok().out


def test_words_without_quotes_are_closed_and_signed_too(shell: Shell) -> None:
    lines = shell.run("session", "close", "two", "words", "--sign", "mia").ok().out.splitlines()
    assert lines[0] == "T5  Session 1 closes: two words." and lines[1].startswith("    Seal: T5 ")
    assert lines[2:] == ["    Signed with mia, and kept in the campaign."]
    assert "mia@example.org has signed up to T5" in shell.run("verify", "--signers", "signers").ok().out


def test_a_key_that_is_not_there_closes_no_session(shell: Shell) -> None:
    result = shell.run("session", "close", "--sign", "nokey")
    assert (result.code, result.out) == (2, "") and "There is no key nokey; ssh-keygen -t ed25519" in result.err
    assert len(shell.turns()) == 4


def test_what_could_not_be_signed_after_it_was_saved_says_so(shell: Shell) -> None:
    (shell.folder / "broken").write_text("no key\n", "utf-8")
    result = shell.run("session", "close", "--sign", "broken")
    assert result.code == 6
    assert result.err.startswith("T5 is saved; Its seal is not signed. ssh-keygen did not sign with broken: ")


def test_a_stranger_is_no_signer(shell: Shell) -> None:
    shell.do("seal --sign stranger --keep")
    lines = shell.run("verify", "--signers", "signers").ok().out.splitlines()
    assert lines[:2] == ["T4 was signed with a key that is not among the signers.", "T1 to T4 are signed by nobody."]


def test_a_signature_of_another_seal_is_found(shell: Shell) -> None:
    shell.do("seal T2 --sign mia --keep")
    seal = shell.run("seal", "T4").ok().out.strip()
    meddle(shell.folder / "mill.campaign", f"UPDATE signatures SET number = 4, seal = '{seal}'")
    result = shell.run("verify", "--signers", "signers")
    assert result.code == 5 and "The signature that is kept for T4 does not sign its seal." in result.out


def test_a_turn_that_was_changed_after_it_was_signed_is_found_without_any_key(shell: Shell) -> None:
    import sqlite3
    from contextlib import closing

    from cli.store.linking import link_all

    seal = shell.run("seal", "--sign", "mia", "--keep").ok().out.splitlines()[0]
    with closing(sqlite3.connect(shell.folder / "mill.campaign", isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute(
            "UPDATE stored_events SET state = replace(state, CAST('brog' AS BLOB), CAST('blog' AS BLOB))"
            " WHERE originator_version = 4"
        )
        connection.execute("UPDATE stored_events SET state = CAST(state AS BLOB)")
        link_all(connection)
        connection.execute("COMMIT")
    result = shell.run("verify", "--quick")
    assert result.code == 5 and f"T4, which was signed as {seal}, has the seal T4 " in result.out


def test_a_signature_is_kept_once_and_goes_with_a_backup(shell: Shell) -> None:
    shell.do("seal --sign mia --keep", "seal --sign mia --keep", "backup copy.campaign")
    (signed,) = shell.run("verify", "--signers", "signers", "--json", "-c", "copy.campaign").ok().json()["signatures"]
    assert signed["signer"] == "mia@example.org"


def test_on_a_branch_it_is_of_the_branch(shell: Shell) -> None:
    shell.do("branch plan T3", "note there", "seal --sign mia --keep", "switch main")
    assert "mia@example.org has signed up to T4 on plan" in shell.run("verify", "--signers", "signers").ok().out


def test_without_openssh_a_sentence_says_so(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.do("seal --sign mia --keep")
    monkeypatch.setenv("PATH", str(shell.folder))
    missing = "Signed seals need ssh-keygen, which is not installed here; it comes with OpenSSH."
    shell.run("seal", "--sign", "mia").is_(2, missing)
    shell.run("verify", "--signers", "signers").is_(2, missing)
    shell.run("verify").ok()


def test_what_does_not_fit_together_is_told(shell: Shell) -> None:
    shell.run("seal", "--keep").is_(2, "--keep and -o are for a signature: add --sign KEY.")
    result = shell.run("verify", "--signers", "nobody")
    assert result.code == 2 and "There is no file nobody" in result.err


# -- which line of play a signature is of


def told_of(shell: Shell, *words: str) -> list[str]:
    return shell.run("verify", "--signers", "signers", *words).ok().out.splitlines()


def test_a_later_turn_of_main_that_is_signed_says_nothing_about_a_branch(shell: Shell) -> None:
    shell.do("note one", "note two", "seal --sign mia --keep", "branch plan T4", "note there")
    assert "T5 came after the last signature." not in told_of(shell, "-c", "mill.campaign")
    seals = told_of(shell)
    assert any(line.startswith("mia@example.org has signed up to T6 (T6 ") for line in seals)
    assert "T1 to T5 are signed by nobody." in seals


def test_what_is_signed_on_the_base_of_a_branch_counts_on_the_branch(shell: Shell) -> None:
    shell.do("branch plan", "note one", "seal --sign mia --keep", "branch further", "note two")
    assert "T6 came after the last signature." in told_of(shell)


def test_a_signature_of_a_branch_that_is_forgotten_is_not_one_of_main(shell: Shell) -> None:
    shell.do("branch plan", "note one", "note two", "seal --sign mia --keep", "switch main", "branch --delete plan")
    seals = told_of(shell)
    assert any(line.startswith("mia@example.org has signed up to T6 on plan, which was deleted (T6 ") for line in seals)
    assert "T1 to T4 are signed by nobody." in seals


# -- joined with the turns that they are of


@pytest.fixture
def laptop(shell: Shell) -> Shell:
    """A copy on a laptop, where Mia plays two turns more and signs; another turn is played here."""
    shutil.copy(shell.folder / "mill.campaign", shell.folder / "laptop.campaign")
    shell.do("note there -c laptop.campaign", "osr damage brog 1 -c laptop.campaign", "note here -c mill.campaign")
    return shell


def signed_there(shell: Shell, point: str = "@") -> str:
    return shell.run("seal", point, "--sign", "mia", "--keep", "-c", "laptop.campaign").ok().out.splitlines()[0]


def joined(shell: Shell) -> list[str]:
    return shell.run("join", "laptop.campaign", "-c", "mill.campaign").ok().out.splitlines()


def test_what_was_signed_in_the_other_copy_stays_signed_on_its_branch(laptop: Shell) -> None:
    seal = signed_there(laptop)
    assert joined(laptop)[-2] == "1 signature is kept here too."
    seals = told_of(laptop, "-c", "mill.campaign")
    assert seals[:2] == [f"mia@example.org has signed up to T6 on laptop ({seal}).", "T1 to T5 are signed by nobody."]
    laptop.do("switch laptop -c mill.campaign")
    seals = told_of(laptop, "-c", "mill.campaign")
    assert seals[0] == f"mia@example.org has signed up to T6 on laptop ({seal})." and "nobody" not in seals[1]
    laptop.run("verify", "--seal", seal, "-c", "mill.campaign").ok()
    assert joined(laptop) == ["Nothing in laptop.campaign is new here."]


def test_what_was_signed_before_they_parted_stays_signed(laptop: Shell) -> None:
    seal = signed_there(laptop, "T3")
    joined(laptop)
    seals = told_of(laptop, "-c", "mill.campaign")
    assert seals[:2] == [f"mia@example.org has signed up to T3 ({seal}).", "T4 to T5 came after the last signature."]


def test_a_signature_alone_is_taken_over_too(laptop: Shell) -> None:
    joined(laptop)
    signed_there(laptop)
    assert joined(laptop) == ["1 signature is kept here too."]


def test_a_branch_of_before_keeps_the_signatures_of_both_copies(shell: Shell) -> None:
    shell.do("branch plan", "note one", "switch main")
    shutil.copy(shell.folder / "mill.campaign", shell.folder / "laptop.campaign")
    shell.do("switch plan -c laptop.campaign", "seal --sign mia --keep -c laptop.campaign")
    assert joined(shell) == ["1 signature is kept here too."]
    assert any(line.startswith("mia@example.org has signed up to T5 on plan (T5 ") for line in told_of(shell))


def test_a_forged_turn_on_the_branch_is_found_by_its_signature(laptop: Shell) -> None:
    import sqlite3
    from contextlib import closing

    from cli.store.linking import link_all

    seal = signed_there(laptop)
    joined(laptop)
    with closing(sqlite3.connect(laptop.folder / "mill.campaign", isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute(
            "UPDATE stored_events SET"
            " state = CAST(replace(state, CAST('there' AS BLOB), CAST('where' AS BLOB)) AS BLOB)"
            " WHERE originator_id LIKE '%/laptop%'"
        )
        link_all(connection)
        connection.execute("COMMIT")
    result = laptop.run("verify", "-c", "mill.campaign")
    assert result.code == 5 and f"T6, which was signed as {seal}, has the seal T6 " in result.out


def test_a_signature_that_is_none_is_left_there(laptop: Shell) -> None:
    signed_there(laptop)
    meddle(laptop.folder / "laptop.campaign", "UPDATE signatures SET signature = replace(signature, 'A', 'B')")
    assert not any("signature" in line for line in joined(laptop))
    laptop.run("verify", "--signers", "signers", "-c", "mill.campaign").ok()


def test_without_openssh_signatures_stay_in_the_other_copy(laptop: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    signed_there(laptop)
    monkeypatch.setenv("PATH", str(laptop.folder))
    result = laptop.run("join", "laptop.campaign", "-c", "mill.campaign")
    assert result.code == 0 and result.err == (
        "1 signature stays in laptop.campaign: ssh-keygen, which checks signatures, is not installed here."
        " Join again where it is.\n"
    )
