"""The log on a PostgreSQL server: what it says when something is wrong, many writers, and lost connections."""

import random
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import psycopg
import pytest
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from psycopg.pq import TransactionStatus

import data
from cli.store.anywhere import campaigns_on, copy_to, create_at, open_log
from cli.store.branches import make_branch
from cli.store.checking import findings_in
from cli.store.failures import Unopenable
from cli.store.file import open_campaign
from cli.store.server.address import server_address
from cli.store.server.administering import initialise, server_facts
from cli.store.server.connection import because
from cli.store.server.log import ServerLog
from cli.store.server.tables import CHANNEL, INIT_LOCK, ONLY_ADDED_TO, SCHEMA
from domain.common.notes import Note
from domain.log.port import MaybeSaved, NotSaved
from tests.campaigns.server import ended_connections, killed_writers, many_campaigns, many_writers, restarted
from tests.kit.elsewhere import begun
from tests.kit.on_disk import first_turn, handler_of, note, started
from tests.kit.postgres import Server
from tests.kit.shell import Shell
from tests.store.test_together import at_once

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


def do(database: str, *statements: str) -> list[Any]:
    """Statements as whoever keeps the server gives them; the rows of the last one."""
    with psycopg.connect(database.partition("?")[0], autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


# -- addresses


@pytest.mark.parametrize(
    ("text", "shown", "driver", "password"),
    [
        ("postgresql://host/db?campaign=x", "postgresql://host/db?campaign=x", "postgresql://host/db", None),
        ("postgres://me@host:5433/db", "postgresql://me@host:5433/db", "postgresql://me@host:5433/db", None),
        ("postgresql://me:se%40ret@host/db?campaign=x", "postgresql://me@host/db?campaign=x", "postgresql://me@host/db",
         "se@ret"),
        ("postgresql://me:a:b@c@host/db", "postgresql://me@host/db", "postgresql://me@host/db", "a:b@c"),
        ("postgresql://host/db?password=secret", "postgresql://host/db", "postgresql://host/db", "secret"),
        ("postgresql://a:1,b:2/db?target_session_attrs=any", "postgresql://a:1,b:2/db?target_session_attrs=any",
         "postgresql://a:1,b:2/db?target_session_attrs=any", None),
        ("postgresql:///db?host=/run", "postgresql:///db?host=/run", "postgresql:///db?host=%2Frun", None),
        ("postgresql://h/db?options=&campaign=", "postgresql://h/db?options=", "postgresql://h/db?options=", None),
    ],
)  # fmt: skip
def test_an_address_is_shown_without_its_password(text: str, shown: str, driver: str, password: str | None) -> None:
    address = server_address(text)
    assert str(address) == shown
    assert address.for_the_driver() == (driver, {"password": password} if password else {})
    assert password is None or password not in repr(address)


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://me:secret@host/db/more",
        "postgresql://me:se cret@host",
        "postgresql://me@home:secret@host/db",
        "postgresql://me:secret@host#db",
        "postgresql://me:secret@h/d?x=%zz&y",
        "postgresql://me:secret@host:port/db",
        "postgres:/me:secret@host/db",
        "jdbc:PostgreSQL://me:secret@host/db",
    ],
)
def test_an_address_that_cannot_be_read_is_not_repeated(text: str) -> None:
    with pytest.raises(Unopenable) as refused:
        open_log(text)
    assert refused.value.reason.startswith("That address cannot be read") and refused.value.exit_code == 2
    assert "secret" not in refused.value.reason and "cret" not in refused.value.reason


# -- what is wrong


@pytest.mark.usefixtures("campaign")
def test_no_server_no_database_no_tables_no_campaign(server: Server, database: str) -> None:
    for address, (sentence, code) in {
        "postgresql://keeper@127.0.0.1:1/club": ("cannot be reached: nothing answers there.", 6),
        server.url("nowhere"): ("has no such database.", 6),
        server.url("postgres"): ("is not set up for campaigns; campaign server init", 2),
        f"{database}?campaign=other": ("There is no campaign 'other' in", 2),
    }.items():
        with pytest.raises(Unopenable) as refused:
            open_log(address)
        assert sentence in refused.value.reason
        assert refused.value.exit_code == code


def test_rules_that_are_newer_than_those_here_are_told_on_a_server_too(database: str) -> None:
    newer = create_at(database, "campaign-1", "Test", "test", first_turn(version=99))
    with pytest.raises(Unopenable, match="test is played under a newer version of the osr rules; update campaign"):
        open_log(newer)


def test_rules_that_are_not_here_are_told_on_a_server_too_where_they_are_needed(
    campaign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("cli.store.server.log", "cli.store.beginning"):
        monkeypatch.setattr(f"{module}.is_installed", lambda _: False)
    with pytest.raises(Unopenable, match="test is played under"):
        open_log(campaign)
    open_log(campaign, needs_rules=False).close()


def test_of_several_servers_each_is_told_with_its_own_reason(server: Server) -> None:
    nowhere = server.url("nowhere").replace("127.0.0.1:", "127.0.0.1:1,127.0.0.1:")
    with pytest.raises(Unopenable) as refused:
        open_log(nowhere, write=True)
    assert refused.value.reason == (
        "The server 127.0.0.1:1/nowhere cannot be reached: nothing answers there."
        f" The server 127.0.0.1:{server.port}/nowhere has no such database."
    )


def test_a_wrong_password_is_told_and_never_shown(server: Server, database: str) -> None:
    do(database, "DROP ROLE IF EXISTS mia", "CREATE ROLE mia LOGIN PASSWORD 'right'")
    rules = (server.data / "pg_hba.conf").read_text("utf-8")
    try:
        (server.data / "pg_hba.conf").write_text("host all mia 127.0.0.1/32 scram-sha-256\n" + rules, "utf-8")
        do(database, "SELECT pg_reload_conf()")
        wrong = database.replace("keeper@", "mia:wr0ng@")
        with pytest.raises(Unopenable) as refused:
            open_log(wrong)
        assert "does not take this user with this password" in refused.value.reason and "wr0ng" not in str(
            refused.value
        )
    finally:
        (server.data / "pg_hba.conf").write_text(rules, "utf-8")
        do(database, "SELECT pg_reload_conf()")


IN_ANOTHER_LANGUAGE = 'connection to server at "127.0.0.1" failed: SCHWERWIEGEND:  so nicht, "timeout expired"'


@pytest.mark.parametrize(
    ("rule", "user", "name", "sentence"),
    [
        ("", "keeper", "nowhere", "has no such database."),
        ("reject", "mia", "", "does not let this user in from this machine, or knows no such user."),
        ("scram-sha-256", "mia", "", "does not take this user with this password, or has no such database."),
        ("", "mia", "", "does not let this user into that database."),
    ],
)
def test_why_somebody_is_not_let_in_is_told_whatever_language_the_server_speaks(
    server: Server, database: str, monkeypatch: pytest.MonkeyPatch, rule: str, user: str, name: str, sentence: str
) -> None:
    wanted = name or database.rpartition("/")[2]
    do(database, f'REVOKE CONNECT ON DATABASE "{database.rpartition("/")[2]}" FROM PUBLIC')
    do(database, "DROP ROLE IF EXISTS mia", "CREATE ROLE mia LOGIN PASSWORD 'right'")
    monkeypatch.setattr(psycopg.OperationalError, "__str__", lambda _: IN_ANOTHER_LANGUAGE)
    rules = (server.data / "pg_hba.conf").read_text("utf-8")
    try:
        (server.data / "pg_hba.conf").write_text(
            (f"host all mia 127.0.0.1/32 {rule}\n" if rule else "") + rules, "utf-8"
        )
        do(database, "SELECT pg_reload_conf()")
        with pytest.raises(Unopenable) as refused:
            open_log(f"postgresql://{user}:wrong@127.0.0.1:{server.port}/{wanted}")
        assert refused.value.reason == f"The server 127.0.0.1:{server.port}/{wanted} {sentence}"
    finally:
        (server.data / "pg_hba.conf").write_text(rules, "utf-8")
        do(database, "SELECT pg_reload_conf()")


def test_why_is_told_of_a_server_behind_a_socket_in_a_folder_too(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(psycopg.OperationalError, "__str__", lambda _: IN_ANOTHER_LANGUAGE)
    with pytest.raises(Unopenable, match=r"has no such database\.$"):
        open_log(f"postgresql:///nowhere?host={server.folder}&port={server.port}&user=keeper")


def test_a_server_without_room_says_so_at_once(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.store.server.sqlstate.state_of", lambda _: "53100")
    with pytest.raises(
        Unopenable, match="has no room left on its disk, or in its memory; try again when there is room"
    ):
        open_log(database.replace("keeper@", "nobody@"))


def test_what_answers_and_is_no_server_is_told_generally(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psycopg.OperationalError, "__str__", lambda _: IN_ANOTHER_LANGUAGE)
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]

        def hang_up() -> None:
            for _ in range(2):
                door, _ = nobody.accept()
                door.recv(1024)
                door.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                door.close()

        host = threading.Thread(target=hang_up)
        host.start()
        with pytest.raises(Unopenable, match="cannot be reached, or does not let you in"):
            open_log(f"postgresql://mia@127.0.0.1:{port}/club?sslmode=disable")
        host.join()


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("25006", "the server only reads: it is a standby, or was made to"),
        ("40P01", "it is busy; try again"),
        ("53100", "the server's disk or memory is full; try again when there is room"),
        ("57P01", "the connection to the server was lost"),
        ("58030", "the server's disk reports an error"),
        ("P0001", "the server reports an error that it calls P0001"),
        (None, "the connection to the server was lost"),
    ],
)
def test_what_a_server_reports_is_told_by_its_code(state: str | None, why: str) -> None:
    kind = type("Said", (psycopg.OperationalError,), {"sqlstate": state})
    assert because(kind("irgendetwas")) == why


def test_the_only_campaign_need_not_be_named_and_several_are_listed(database: str, campaign: str) -> None:
    with open_log(database) as log:
        assert log.address == campaign
    second = create_at(database, "campaign-2", "Test", "test", first_turn())
    assert second.endswith("?campaign=test-2")
    with pytest.raises(Unopenable, match=r"Say which campaign of .*There: test, test-2\."):
        open_log(database)
    assert campaigns_on(database) == {campaign: "Test", second: "Test"}


def test_tables_of_an_older_version_are_brought_up_to_date_first(database: str, campaign: str) -> None:
    do(database, "UPDATE campaign.format SET version = 0")
    with pytest.raises(Unopenable, match=rf"older version of campaign; campaign server init {database} brings them"):
        open_log(campaign)
    initialise(server_address(database))
    open_log(campaign).close()


def test_tables_of_a_newer_version_are_left_alone(database: str, campaign: str) -> None:
    do(database, "UPDATE campaign.format SET version = 99")
    for attempt in (lambda: open_log(campaign), lambda: initialise(server_address(database))):
        with pytest.raises(Unopenable, match="newer version of campaign"):
            attempt()


def test_a_server_that_only_reads_says_so(database: str, campaign: str) -> None:
    with open_log(campaign, write=True) as log:
        log.append(note(2))
        name = database.rpartition("/")[2]
        do(database, f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    with open_log(campaign, write=True) as log:
        with pytest.raises(NotSaved, match="T3 was not saved: the server only reads"):
            log.append(note(3))
        assert log.last() == 2


def test_on_a_server_that_tells_nobody_of_turns_whoever_follows_looks_now_and_then(
    campaign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr("cli.store.server.log.time.sleep", slept.append)
    with open_log(campaign) as log:
        assert isinstance(log, ServerLog)
        listening = Mock(side_effect=psycopg.errors.ReadOnlySqlTransaction("cannot execute LISTEN during recovery"))
        with monkeypatch.context() as standby:
            standby.setattr(log._connection, "execute", listening)
            log.wait(0.5)
            log.wait(20)
        assert slept == [0.5, 1.0]
        assert log.last() == 1


# -- what was played is never changed


def test_nobody_changes_what_was_played(database: str, campaign: str) -> None:
    with open_log(campaign, write=True) as log:
        log.append(note(2))
    for statement in (
        "UPDATE campaign.stored_events SET topic = 'x'",
        "DELETE FROM campaign.stored_events",
        "DELETE FROM campaign.turn_ids",
        "UPDATE campaign.links SET link = 'x'",
        "TRUNCATE campaign.stored_events",
        *(f"TRUNCATE campaign.stored_events_{part}" for part in range(16)),
    ):
        with pytest.raises(psycopg.errors.RestrictViolation, match=r"What was played is never changed\."):
            do(database, statement)


PLAIN = "INSERT INTO campaign.stored_events (originator_id, originator_version, topic, state) VALUES"


def test_a_turn_behind_a_gap_is_refused_whoever_puts_it_there(database: str, campaign: str) -> None:
    with open_log(campaign, write=True) as log:
        make_branch(log, "plan", 1)
        stream = log.branches()[0].stream
    for row in ("('campaign-1', 99, 'note', '')", "('campaign-1', 0, 'note', '')", f"('{stream}', 3, 'note', '')"):
        with pytest.raises(psycopg.errors.CheckViolation, match=r"The next turn of .* is T2\."):
            do(database, f"{PLAIN} {row}")


def test_a_log_with_a_turn_behind_a_gap_goes_on_up_to_it_and_says_so(database: str, campaign: str) -> None:
    do(
        database,
        "ALTER TABLE campaign.stored_events DISABLE TRIGGER next_number",
        f"{PLAIN} ('campaign-1', 99, 'note', 'x')",
        "ALTER TABLE campaign.stored_events ENABLE TRIGGER next_number",
    )
    with open_log(campaign, write=True) as log:
        assert log.notice == "T99 stands behind a gap and is not read; see `campaign verify`."
        log.append(note(2))
        assert log.last() == 2 and [turn.number for turn in log.read()] == [1, 2]
        assert "T3" in " ".join(finding.sentence for finding in findings_in(log))


def test_a_writer_adds_turns_and_a_reader_reads(database: str, campaign: str) -> None:
    there = {row[0] for row in do(database, "SELECT rolname FROM pg_roles")}
    do(database, "SELECT 1", *(f"CREATE ROLE {role} LOGIN" for role in ("writes", "reads") if role not in there))
    initialise(server_address(database), readers=["reads"], writers=["writes"])
    with open_log(campaign.replace("keeper@", "writes@"), write=True) as log:
        log.append(note(2))
        make_branch(log, "plan", 1)
    for statement in (
        "DELETE FROM campaign.stored_events",
        "UPDATE campaign.links SET number = 9",
        "DROP TABLE campaign.links",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            do(database.replace("keeper@", "writes@"), statement)
    with open_log(campaign.replace("keeper@", "reads@"), write=True) as log:
        assert log.last() == 2
        with pytest.raises(NotSaved, match="this user may not do that there"):
            log.append(note(3))
    facts = server_facts(server_address(database.replace("keeper@", "writes@")))
    assert facts["this user may"] == "read and add turns" and facts["turns are only added to"] == "yes"


def test_the_doctor_sees_a_trigger_that_is_off(database: str) -> None:
    do(database, "ALTER TABLE campaign.placed DISABLE TRIGGER only_added_to")
    assert "gone or off" in server_facts(server_address(database))["turns are only added to"]


def test_the_recorder_of_the_library_reads_the_tables_without_us(server: Server, database: str, campaign: str) -> None:
    with open_log(campaign, write=True) as log:
        log.append_all([note(2), note(3)])
        stored = list(log.stored_rows("campaign-1"))
    name = database.rpartition("/")[2]
    with PostgresDatastore(
        name, "127.0.0.1", str(server.port), "keeper", "", schema=SCHEMA, originator_id_type="text"
    ) as datastore:
        events = PostgresApplicationRecorder(datastore).select_events("campaign-1")
    assert [(event.originator_version, event.topic, event.state) for event in events] == stored


# -- many at once


def set_up(_: int, database: str) -> str:
    initialise(server_address(database))
    return "done"


def test_the_tables_are_made_once_by_many_at_once(server: Server) -> None:
    database = server.database("made_by_many")
    assert at_once(8, set_up, database) == ["done"] * 8


def test_whoever_makes_the_tables_is_waited_for(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    database = server.database("made_by_another")
    monkeypatch.setattr("cli.store.server.administering.LONGEST_WAIT", 0.1)
    with psycopg.connect(database) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", (INIT_LOCK,))
        with pytest.raises(Unopenable, match="was not set up: it is busy; try again"):
            initialise(server_address(database))
    initialise(server_address(database))


def test_tables_that_are_there_are_set_up_again_beside_a_writer(database: str, campaign: str) -> None:
    with psycopg.connect(database) as other, open_log(campaign, write=True) as log:
        # as a writer that has stopped in the middle of its transaction
        other.execute("INSERT INTO campaign.turn_ids VALUES ('campaign-2', 'x', 1, 'campaign-2')")
        initialise(server_address(database))
        log.append(note(2))
        # what is missing waits for that writer, but not for long, and says so
        do(database, "DROP TRIGGER only_added_to ON campaign.placed")
        other.execute("INSERT INTO campaign.placed VALUES ('campaign-2', 1)")
        with pytest.raises(Unopenable, match="was not set up: it is busy; try again"):
            initialise(server_address(database))
        log.append(note(3))


def test_an_index_of_another_version_is_made_anew_while_others_write(database: str, campaign: str) -> None:
    (name,) = (row[0] for row in do(database, SPEAKING))
    do(
        database,
        f"DROP INDEX campaign.{name}",
        "CREATE INDEX speaking ON campaign.stored_events (originator_id, originator_version) WHERE topic IN ('undo')",
        # and one that was cut off
        f"CREATE INDEX {name}_3 ON campaign.stored_events_3 (originator_version)",
    )
    with psycopg.connect(database) as other, open_log(campaign, write=True) as log:
        other.execute("INSERT INTO campaign.turn_ids VALUES ('campaign-2', 'x', 1, 'campaign-2')")
        other.execute("SELECT count(*) FROM campaign.stored_events")
        setting_up = threading.Thread(target=initialise, args=(server_address(database),))
        setting_up.start()
        for number in range(2, 8):
            log.append(note(number))
        other.rollback()
        setting_up.join(timeout=30)
    assert [row[0] for row in do(database, SPEAKING)] == [name]


#: The index of revising actions over all parts.
SPEAKING = (
    "SELECT relname FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid WHERE relname ~ '^speaking'"
    " AND relkind = 'I' AND indisvalid"
)


def append_some(writer: int, address: str, some: int) -> list[tuple[int, str]]:
    with open_log(address, write=True) as log:
        handler = handler_of(log)
        turns = [handler.record(Note(text=f"{writer}: {number}")).turn for number in range(some)]
        return [(turn.number, turn.id) for turn in turns]


def test_writers_of_one_campaign_take_turns(campaign: str) -> None:
    answers = at_once(6, append_some, campaign, 8)
    with open_log(campaign) as log:
        assert [(turn.number, turn.id) for turn in log.read(after=1)] == sorted(
            turn for turns in answers for turn in turns
        )


@pytest.mark.usefixtures("campaign")
def test_a_writer_of_one_campaign_does_not_wait_for_another(database: str) -> None:
    other = create_at(database, "campaign-2", "Other", "other", first_turn())
    with psycopg.connect(database) as connection:
        # as a writer that has stopped in the middle of its transaction
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('campaign-1', 0))")
        with open_log(other, write=True) as log:
            log.append(note(2))
            assert log.last() == 2


# -- lost connections


def end_connections(database: str) -> None:
    do(
        database,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )


def test_reading_and_appending_go_on_over_a_new_connection(database: str, campaign: str) -> None:
    with open_log(campaign, write=True) as log:
        log.append(note(2))
        end_connections(database)
        assert log.last() == 2
        end_connections(database)
        log.append(note(3))
        end_connections(database)
        log.append(note(4))
        assert [turn.number for turn in log.read()] == [1, 2, 3, 4]


def test_whoever_follows_goes_on_over_a_new_connection(database: str, campaign: str) -> None:
    with open_log(campaign) as log:
        end_connections(database)
        log.wait(0)
        assert log.last() == 1


def out_of_reach(log: ServerLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server answers no more, and is not waited for."""
    monkeypatch.setattr(log._shared, "address", server_address("postgresql://keeper@127.0.0.1:1/club"))
    monkeypatch.setattr("cli.store.server.log.FAILOVER", 0.0)


def test_a_server_that_is_gone_saved_nothing(campaign: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_log(campaign, write=True) as log:
        assert isinstance(log, ServerLog)
        log._connection.close()
        out_of_reach(log, monkeypatch)
        with pytest.raises(NotSaved, match=r"T2 was not saved\. The server .* cannot be reached"):
            log.append(note(2))
    with open_log(campaign) as log:
        assert log.last() == 1


def breaks_after_the_commit(
    log: ServerLog, monkeypatch: pytest.MonkeyPatch, then: Callable[[], None] = lambda: None
) -> None:
    """From here on the connection is lost once a turn is saved."""
    writer = log._writer
    assert writer is not None
    put: Callable[..., None] = writer.put

    def lose(turns: Any) -> None:
        put(turns)
        log._connection.close()
        then()
        raise psycopg.OperationalError("the connection broke after the commit")

    monkeypatch.setattr(writer, "put", lose)


def test_a_turn_whose_acknowledgement_is_lost_is_saved_once_and_told_to_who_follows(
    database: str, campaign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_log(campaign, write=True) as log, psycopg.connect(database, autocommit=True) as follower:
        assert isinstance(log, ServerLog)
        follower.execute(f"LISTEN {CHANNEL}")
        log.append(note(2))
        breaks_after_the_commit(log, monkeypatch)
        log.append(note(3))
        assert [turn.id for turn in log.read()] == ["id-1", "id-2", "id-3"]
        notices = list(follower.notifies(timeout=20, stop_after=2))
        assert [notice.payload for notice in notices] == ["campaign-1", "campaign-1"]


@pytest.mark.parametrize("committed", [True, False])
def test_a_campaign_whose_acknowledgement_is_lost_is_looked_for(
    database: str, monkeypatch: pytest.MonkeyPatch, committed: bool
) -> None:
    transaction = psycopg.Connection.transaction

    @contextmanager
    def lost(connection: psycopg.Connection[Any]) -> Iterator[None]:
        outermost = connection.info.transaction_status == TransactionStatus.IDLE
        with transaction(connection) as whole:
            yield
            if outermost and not committed:
                raise psycopg.Rollback(whole)
        if outermost:
            connection.close()
            raise psycopg.OperationalError("the connection broke")

    with monkeypatch.context() as patch:
        patch.setattr(psycopg.Connection, "transaction", lost)
        if committed:
            assert create_at(database, "campaign-1", "Test", "test", first_turn()).endswith("?campaign=test")
        else:
            with pytest.raises(MaybeSaved, match="The campaign may or may not be made"):
                create_at(database, "campaign-1", "Test", "test", first_turn())
    assert len(campaigns_on(database)) == committed


def test_a_server_that_stays_away_is_waited_for_once_and_again_after_it_was_back(
    campaign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr("cli.store.server.log.time", SimpleNamespace(monotonic=lambda: sum(slept), sleep=slept.append))
    with open_log(campaign) as log:
        assert isinstance(log, ServerLog)
        log.patience = 1.0
        there = log._shared.address

        def waited() -> int:
            slept.clear()
            log._shared.address = server_address("postgresql://keeper@127.0.0.1:1/club")
            log._connection.close()
            with pytest.raises(Unopenable, match="nothing answers there"):
                log.last()
            return len(slept)

        assert waited() > 1
        assert waited() == 1
        log._shared.address = there
        assert log.last() == 1
        assert waited() > 1


def test_an_acknowledgement_that_is_lost_with_the_server_is_not_known(
    campaign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_log(campaign, write=True) as log:
        assert isinstance(log, ServerLog)
        log.append(note(2))
        breaks_after_the_commit(log, monkeypatch, lambda: out_of_reach(log, monkeypatch))
        with pytest.raises(MaybeSaved, match="Turn T3 may or may not be saved"):
            log.append(note(3))


def killed(driver: "Connection", address: str) -> None:
    """Appends, and tells each turn that was acknowledged, until it is killed."""
    with open_log(address, write=True) as log:
        handler = handler_of(log)
        while True:
            driver.send(handler.record(Note(text="more")).turn.id)


def test_what_was_acknowledged_before_a_kill_is_there(campaign: str) -> None:
    processes = begun()
    reading, writing = processes.Pipe(duplex=False)
    process = processes.Process(target=killed, args=(writing, campaign))
    process.start()
    writing.close()
    with reading:
        acknowledged = [reading.recv() for _ in range(10)]
        process.kill()
        process.join()
        with suppress(EOFError, OSError):  # the last one may be cut off
            while True:
                acknowledged.append(reading.recv())
    with open_log(campaign) as log:
        ids = [turn.id for turn in log.read(after=1)]
    assert set(acknowledged) <= set(ids) and len(ids) - len(acknowledged) <= 1


# -- between a file and a server


def test_a_campaign_goes_to_a_server_and_back_with_every_branch_byte_and_link(tmp_path: Path, database: str) -> None:
    path = started(tmp_path / "here.campaign", 5)
    with open_campaign(path, write=True) as log:
        make_branch(log, "plan", 3, switch=True)
    with open_campaign(path, write=True) as log:
        log.append(note(4, "Planned.", turn_id="planned"))
        address = copy_to(database, log, "Test", "test")
    with open_log(address) as there:
        assert (there.branch, there.last()) == ("plan", 4)
        there.backup(tmp_path / "back.campaign")
    with open_campaign(path) as here, open_campaign(tmp_path / "back.campaign") as back, open_log(address) as there:
        for name in ("main", "plan"):
            with here.on(name) as one, back.on(name) as other, there.on(name) as third:
                assert list(one.read()) == list(other.read()) == list(third.read())
                assert one.link(one.last()) == other.link(other.last()) == third.link(third.last())
    with open_campaign(path) as here, pytest.raises(Unopenable, match=r"is in .* already"):
        copy_to(database, here, "Test", "test")


def test_a_file_without_links_gets_them_on_the_server(tmp_path: Path, database: str) -> None:
    path = tmp_path / "old.campaign"
    shutil.copy(Path(data.__path__[0]) / "old_logs" / "format-1" / "slashes.campaign", path)
    with open_campaign(path, write=True) as log:
        make_branch(log, "plan", 3)
        assert not log.is_linked
        link, address = log.link(log.last()), copy_to(database, log, "Test", "test")
    with open_log(address, write=True) as there:
        assert there.link(there.last()) == link
        there.append(note(there.last() + 1))
        assert not [finding for finding in findings_in(there) if finding.kind == "damage"]


def test_what_a_copy_in_a_file_went_on_with_is_joined(tmp_path: Path, campaign: str) -> None:
    from cli.store.joining import join

    with open_log(campaign, write=True) as log:
        log.append(note(2))
        log.backup(tmp_path / "laptop.campaign")
        log.append(note(3))
    with open_campaign(tmp_path / "laptop.campaign", write=True) as copy:
        copy.append(note(3, "On the train.", turn_id="train"))
    with open_log(campaign, write=True) as log, open_campaign(tmp_path / "laptop.campaign") as copy:
        (joined,) = join(log, copy)
        assert (joined.branch, joined.known, joined.last) == ("laptop", 2, 3)
        assert join(log, copy) == []
        with log.on("laptop") as line:
            assert [turn.id for turn in line.read()] == ["id-1", "id-2", "train"]


def gone_separate_ways(shell: Shell, address: str) -> None:
    """T2 both have; T3 is another one on the server and in the file that was taken along."""
    with open_log(address, write=True) as log:
        log.append(note(2))
        log.backup(shell.folder / "laptop.campaign")
        log.append(note(3))
    with open_campaign(shell.folder / "laptop.campaign", write=True) as copy:
        copy.append(note(3, "On the train.", turn_id="train"))


def test_the_command_joins_a_file_to_a_campaign_on_a_server(shell: Shell, campaign: str) -> None:
    gone_separate_ways(shell, campaign)
    assert shell.run("join", "laptop.campaign", "-c", campaign).ok().out.splitlines() == [
        "laptop is new, which begins after T2 of main: T3 of laptop.campaign.",
        "Next: campaign diff main..laptop compares them, campaign adopt laptop takes it over.",
    ]
    again = shell.run("join", "laptop.campaign", "-c", campaign).ok()
    assert again.out == "Nothing in laptop.campaign is new here.\n"
    shell.run("verify", "-c", campaign).ok()
    shell.run("adopt", "laptop", "-c", campaign).ok()
    assert "On the train." in shell.run("log", "-c", campaign).ok().out


def test_the_command_joins_a_campaign_on_a_server_to_a_file(shell: Shell, campaign: str) -> None:
    gone_separate_ways(shell, campaign)
    lines = shell.run("join", campaign, "-c", "laptop.campaign").ok().out.splitlines()
    assert lines[0].startswith("test is new, which begins after T2 of main: T3 of ")
    shell.run("verify", "-c", "laptop.campaign").ok()
    assert shell.run("join", campaign, "-c", "laptop.campaign").ok().out.endswith(" is new here.\n")


def test_a_refused_line_draws_the_same_on_every_machine(shell: Shell, database: str) -> None:
    shell.run("new", "Mill", "--rules", "osr", "--in", database).ok()
    shell.do("enrol Brog level 5")
    rest = {"type": "osr.short_rest", "characters": ["brog"]}
    check = {"type": "sheet.check", "character": "brog", "expect": {"hp": 99}}
    tried = set()
    for machine in ("one", "two", "three"):
        with shell.at_home(machine):
            tried.add(shell.act(rest, check, options=["--together", "-c", f"{database}?campaign=mill"]).out)
    assert len(tried) == 1
    # another draw comes with another turn; of two alone the second may come to the same hit points
    for _ in range(6):
        shell.act(rest).ok()
        tried.add(shell.act(rest, check, options=["--together"]).out)
    assert len(tried) > 1
    # tables of an earlier version keep nothing beside the turns, and everything goes on as before
    do(database, "DROP TABLE campaign.kept")
    shell.run("verify").ok()
    assert shell.act(rest, check, options=["--together"]).code == 3


def test_one_table_is_taken_out_for_good_and_stays_in_a_file(
    shell: Shell, database: str, campaign: str, tmp_path: Path
) -> None:
    create_at(database, "campaign-2", "Other", "other", first_turn())
    with open_log(campaign, write=True) as log:
        log.append(note(2))
        make_branch(log, "plan", 1, switch=True)
    with open_log(campaign, write=True) as log:
        handler_of(log).record(Note(text="On the plan."))
    kept = tmp_path / "kept.campaign"
    command = ("server", "remove", database, "--campaign", "test", "-o", str(kept))
    result = shell.run(*command, stdin="other\n")
    assert result.code == 1 and "That is not its name; nothing was removed." in result.err and not kept.exists()
    there = {row[0] for row in do(database, "SELECT rolname FROM pg_roles")}
    do(database, "SELECT 1", *(f"CREATE ROLE {role} LOGIN" for role in ("writes",) if role not in there))
    initialise(server_address(database), writers=["writes"])
    by_a_player = database.replace("keeper@", "writes@")
    result = shell.run("server", "remove", by_a_player, "--campaign", "test", "-o", str(kept), stdin="test\n")
    assert result.code == 6 and "Nothing was removed: this user may not do that there" in result.err
    kept.unlink()
    assert "test is removed from" in shell.run(*command, stdin="test\n").out
    assert list(campaigns_on(database).values()) == ["Other"]
    for table in ("stored_events", "turn_ids", "links", "branches", "settings"):
        (rows,) = do(database, f"SELECT count(*) FROM campaign.{table}")[0]
        assert rows == (1 if table in ("stored_events", "turn_ids", "links") else 0), table
    with open_campaign(kept, branch="plan") as log:
        assert log.last() == 2


def test_a_turn_told_while_its_table_is_taken_out_is_in_the_file_or_refused(
    shell: Shell, database: str, campaign: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here it comes when the file is made, and nothing is deleted yet."""
    kept, backup = tmp_path / "kept.campaign", ServerLog.backup
    with ThreadPoolExecutor(1) as threads, open_log(campaign, write=True) as other:
        told: list[Future[Any]] = []

        def copy_and_tell(log: ServerLog, target: Path) -> None:
            backup(log, target)
            told.append(threads.submit(handler_of(other).record, Note(text="Late.")))
            wait(told, 0.3)

        monkeypatch.setattr(ServerLog, "backup", copy_and_tell)
        command = ("server", "remove", database, "--campaign", "test", "-o", str(kept))
        assert shell.run(*command, stdin="test\n").code == 0
        with pytest.raises(Unopenable, match=r"^test is no longer there\.$"):
            told[0].result()
    (rows,) = do(database, "SELECT count(*) FROM campaign.stored_events")[0]
    assert rows == 0


def test_a_branch_made_while_its_table_is_taken_out_is_refused(
    shell: Shell, database: str, campaign: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = ServerLog.backup
    with ThreadPoolExecutor(1) as threads, open_log(campaign, write=True) as other:
        made: list[Future[Any]] = []

        def copy_and_make(log: ServerLog, target: Path) -> None:
            backup(log, target)
            made.append(threads.submit(make_branch, other, "plan", 1))
            wait(made, 0.3)

        monkeypatch.setattr(ServerLog, "backup", copy_and_make)
        command = ("server", "remove", database, "--campaign", "test", "-o", str(tmp_path / "kept.campaign"))
        assert shell.run(*command, stdin="test\n").code == 0
        with pytest.raises(NotSaved, match=r"^Nothing was saved: test is no longer there\.$"):
            made[0].result()
    assert do(database, "SELECT count(*) FROM campaign.branches") == [(0,)]


def test_a_branch_of_a_campaign_that_was_taken_out_says_so(
    shell: Shell, database: str, campaign: str, tmp_path: Path
) -> None:
    with open_log(campaign, write=True) as log:
        make_branch(log, "plan", 1, switch=True)
    with open_log(campaign, write=True) as on_the_branch:
        command = ("server", "remove", database, "--campaign", "test", "-o", str(tmp_path / "kept.campaign"))
        assert shell.run(*command, stdin="test\n").code == 0
        with pytest.raises(Unopenable, match=r"^test is no longer there\.$"):
            handler_of(on_the_branch).record(Note(text="Late."))


def test_a_removal_whose_end_is_lost_says_that_it_is_not_known(
    shell: Shell, database: str, campaign: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del campaign

    def end(connection: psycopg.Connection[Any], campaign_id: str) -> None:
        del campaign_id
        do(database, f"SELECT pg_terminate_backend({connection.info.backend_pid})")

    monkeypatch.setattr("cli.store.server.administering.notify_of_seats", end)
    kept = tmp_path / "kept.campaign"
    result = shell.run("server", "remove", database, "--campaign", "test", "-o", str(kept), stdin="test\n")
    assert result.code == 6 and "test may or may not be removed" in result.err and "see campaign list" in result.err
    assert list(campaigns_on(database).values()) == ["Test"] and kept.exists()


def test_a_file_that_is_there_already_is_not_said_to_be_made(
    shell: Shell, database: str, campaign: str, tmp_path: Path
) -> None:
    del campaign
    (tmp_path / "kept.campaign").touch()
    command = ("server", "remove", database, "--campaign", "test", "-o", str(tmp_path / "kept.campaign"))
    result = shell.run(*command, stdin="test\n")
    assert result.code == 2 and "is made" not in result.err
    assert list(campaigns_on(database).values()) == ["Test"]


def test_who_accepts_a_server_put_back_to_an_earlier_hour_plays_on(shell: Shell, database: str, campaign: str) -> None:
    shell.run("note", "Before.", "-c", campaign).ok()
    shell.run("note", "After.", "-c", campaign).ok()
    do(database, *(f"ALTER TABLE campaign.{table} DISABLE TRIGGER only_added_to" for table in ONLY_ADDED_TO))
    do(
        database,
        "DELETE FROM campaign.stored_events WHERE originator_version = 3",
        "DELETE FROM campaign.turn_ids WHERE number = 3",
        "DELETE FROM campaign.links WHERE number = 3",
    )
    do(database, *(f"ALTER TABLE campaign.{table} ENABLE TRIGGER only_added_to" for table in ONLY_ADDED_TO))
    assert "no longer holds what was last seen" in shell.run("note", "Now.", "-c", campaign).err
    assert shell.run("verify", "--accept", "-c", campaign).code == 0
    assert shell.run("note", "Now.", "-c", campaign).ok().out == "T3  Note: Now.\n"


# -- a short form of the longer runs (`python -m tests.campaigns.server`)


def test_killed_writers_ended_connections_and_a_crashed_server_lose_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run, rounds in ((killed_writers, 1), (ended_connections, 2), (restarted, 1)):
        found = run(server, rounds, random.Random(f"7 {run.__name__}"))
        assert (found.lost, found.doubled, found.acknowledged > 0) == (0, 0, True), run.__name__
    assert many_writers(server, 4, 5) == (20, 0, 0, 21)
    monkeypatch.setattr("tests.campaigns.server.PROCESSES", 1)
    assert many_campaigns(server, 6, 3) == (18, 0, 0, 24)
