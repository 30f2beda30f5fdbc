"""What a server may be set to, who may do what there, and what lies beside the tables: told, and never guessed at."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from cli.store.anywhere import copy_to, create_at, open_log
from cli.store.checking import findings_in
from cli.store.failures import Unopenable
from cli.store.file import open_campaign
from cli.store.server.address import server_address
from cli.store.server.administering import initialise
from cli.store.server.log import ServerLog
from cli.store.stored_log import Signature
from domain.common.notes import Note
from domain.log.port import NotSaved, NumberTaken
from tests.kit.on_disk import first_turn, handler_of, note
from tests.kit.postgres import Server
from tests.store.test_server import do


def findings(address: str) -> list[str]:
    with open_log(address) as log:
        return [finding.sentence for finding in findings_in(log) if finding.kind != "older"]


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_the_client_speaks_utf_8_whatever_the_role_or_the_environment_say(
    database: str, campaign: str, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    do(database, f"ALTER ROLE keeper SET client_encoding = '{encoding}'")
    monkeypatch.setenv("PGCLIENTENCODING", encoding)
    try:
        with open_log(campaign, write=True) as log:
            handler_of(log).record(Note(text="Żółw, naïve, 龍"))
        assert findings(campaign) == []
        with open_log(campaign) as log:
            assert [turn.action.text for turn in log.read(after=1)] == ["Żółw, naïve, 龍"]  # type: ignore[attr-defined]
    finally:
        do(database, "ALTER ROLE keeper RESET client_encoding")


@pytest.fixture(params=["SQL_ASCII", "LATIN1"])
def in_another_encoding(request: pytest.FixtureRequest, server: Server) -> Iterator[tuple[str, str]]:
    """A database that is not in UTF-8: its address and its encoding."""
    name = f"other_{request.param.lower()}"
    do(server.url("postgres"), f"DROP DATABASE IF EXISTS {name}",
       f"CREATE DATABASE {name} ENCODING '{request.param}' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")  # fmt: skip
    yield server.url(name), request.param
    do(server.url("postgres"), f"DROP DATABASE {name} WITH (FORCE)")


def test_a_database_in_another_encoding_is_refused(in_another_encoding: tuple[str, str]) -> None:
    url, encoding = in_another_encoding
    with pytest.raises(Unopenable, match=f"is in {encoding}; campaigns need a database in UTF-8: createdb -E UTF8"):
        initialise(server_address(url))


def test_one_that_was_set_up_before_still_reads_and_verifies(
    in_another_encoding: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an earlier version set up: an intact log is never called damaged, and what does not fit is a sentence."""
    url, encoding = in_another_encoding
    monkeypatch.setattr("cli.store.server.administering._must_be_in_utf8", lambda *_: None)
    initialise(server_address(url))
    campaign = create_at(url, "campaign-1", "Test", "test", first_turn())
    with open_log(campaign, write=True) as log:
        log.append(note(2))
    assert findings(campaign) == []
    if encoding == "LATIN1":
        with pytest.raises(Exception, match="not in UTF-8"):
            create_at(url, "campaign-2", "龍", "dragon", first_turn())


def test_a_schema_of_somebody_else_is_told_and_left_alone(server: Server) -> None:
    do(server.url("postgres"), "DROP DATABASE IF EXISTS foreign_one", "CREATE DATABASE foreign_one")
    url = server.url("foreign_one")
    for table in ("CREATE TABLE campaign.leads (id int)", "CREATE TABLE campaign.format (name text)"):
        do(url, "DROP SCHEMA IF EXISTS campaign CASCADE", "CREATE SCHEMA campaign", table)
        with pytest.raises(Unopenable, match="there is a schema campaign that something else made") as refused:
            initialise(server_address(url))
        assert refused.value.exit_code == 2
    with pytest.raises(Unopenable, match="that something else made"):
        open_log(url)
    do(url, "DROP SCHEMA campaign CASCADE", "CREATE SCHEMA campaign")
    initialise(server_address(url))


def test_a_role_without_rights_is_told_who_gives_them(database: str, campaign: str) -> None:
    there = {row[0] for row in do(database, "SELECT rolname FROM pg_roles")}
    do(database, "SELECT 1", *(["CREATE ROLE stranger LOGIN"] if "stranger" not in there else []))
    for statement in ("SELECT 1", "GRANT USAGE ON SCHEMA campaign TO stranger"):
        do(database, statement)
        with pytest.raises(Unopenable, match=r"stranger may not read the campaigns in .* --reader stranger") as refused:
            open_log(campaign.replace("keeper@", "stranger@"))
        assert "set up" not in refused.value.reason
    do(database, "REVOKE USAGE ON SCHEMA campaign FROM stranger")


@pytest.mark.parametrize("level", ["serializable", "repeatable read"])
def test_a_role_with_a_stricter_isolation_writes_beside_others(database: str, campaign: str, level: str) -> None:
    do(database, f"ALTER ROLE keeper SET default_transaction_isolation = '{level}'")
    try:
        with open_log(campaign, write=True) as one, open_log(campaign, write=True) as other:
            for number in range(3):
                handler_of(one).record(Note(text=f"one {number}"))
                handler_of(other).record(Note(text=f"other {number}"))
        assert findings(campaign) == []
    finally:
        do(database, "ALTER ROLE keeper RESET default_transaction_isolation")


@pytest.mark.parametrize("error", [psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected])
def test_what_the_server_could_not_put_in_order_is_decided_again(
    campaign: str, error: type[psycopg.Error], monkeypatch: pytest.MonkeyPatch
) -> None:
    from cli.store.server.recorder import ServerWriter

    put, failures = ServerWriter.put, iter([error("x"), error("y")])

    def failing(self: ServerWriter, turns: Any) -> None:
        if (failure := next(failures, None)) is not None:
            raise failure
        put(self, turns)

    monkeypatch.setattr(ServerWriter, "put", failing)
    with open_log(campaign, write=True) as log:
        assert isinstance(log, ServerLog)
        with pytest.raises(NumberTaken):
            log.append(note(2))
        handler_of(log).record(Note(text="later"))
        assert log.last() == 2
    assert findings(campaign) == []


def test_a_signature_is_kept_there_and_goes_to_a_file_and_back(
    database: str, campaign: str, server: Server, tmp_path: Path
) -> None:
    seal = Signature("campaign-1", 1, "T1 0000-0000-0000-0000", "-----BEGIN SSH SIGNATURE-----")
    with open_log(campaign, write=True) as log:
        log.keep_signature(seal)
        log.keep_signature(seal)
        assert log.signatures() == [seal]
        log.backup(tmp_path / "copy.campaign")
    other = server.database("signed")
    initialise(server_address(other))
    with open_campaign(tmp_path / "copy.campaign") as copy:
        assert copy.signatures() == [seal]
        back = copy_to(other, copy, "Test", "test")
    with open_log(back) as log:
        assert log.signatures() == [seal]
    with pytest.raises(psycopg.errors.RestrictViolation):
        do(database, "DELETE FROM campaign.signatures")


def test_where_an_earlier_version_made_the_tables_a_signature_says_what_to_do(database: str, campaign: str) -> None:
    do(database, "DROP TABLE campaign.signatures")
    assert findings(campaign) == []
    with open_log(campaign, write=True) as log:
        assert log.signatures() == []
        with pytest.raises(NotSaved, match=r"server init .* brings them up to date"):
            log.keep_signature(Signature("campaign-1", 1, "T1", "x"))
    initialise(server_address(database))
    with open_log(campaign, write=True) as log:
        log.keep_signature(Signature("campaign-1", 1, "T1", "x"))
