"""Who comes in: a link is used once, ends when it is ended, and lets nobody guess it."""

import json
import stat

import pytest

from cli.commands.serve import STOP
from cli.serving.http_guard import RateLimit
from cli.serving.invitations import Invitations, path_of
from cli.serving.table_server import TableServer
from cli.shell.command_context import open_chosen
from domain.naming import key_of
from tests.kit.elsewhere import keeps_modes
from tests.kit.phones import HOST, Phone, Served, served
from tests.kit.shell import Shell


def test_a_link_is_looked_at_and_used_once(crypt: Served) -> None:
    token = crypt.invitations.unused_links["Mia"]
    first, second = Phone(crypt), Phone(crypt)
    for _ in range(2):
        assert "Sit down as Mia" in first.get(f"/in/{token}").main
    assert first.post("/in", token=token).status == 303
    assert "Brog" in first.get("/").main
    assert second.post("/in", token=token).status == 403
    assert second.get("/").status == 401
    # the tap that is sent again by the one who used it leads to the table
    assert first.post("/in", token=token).headers["location"] == "/"


def test_the_cookie_is_for_this_page_alone(crypt: Served) -> None:
    (cookie,) = Phone(crypt).post("/in", token=crypt.invitations.unused_links["Mia"]).cookies
    name, *attributes = cookie.split("; ")
    assert {attribute.casefold() for attribute in attributes} == {
        "httponly", "path=/", "samesite=strict", "max-age=86400",
    }  # fmt: skip
    assert name.startswith(f"{crypt.invitations.evening.cookie}=")


def test_a_seat_that_is_kept_outlasts_the_browser(crypt: Served) -> None:
    crypt.invitations.begin(anew=False, keep=True)
    (cookie,) = Phone(crypt).post("/in", token=crypt.invitations.unused_links["Mia"]).cookies
    assert "Max-Age=34560000" in cookie


def test_the_host_prints_a_new_link_for_a_lost_seat(crypt: Served, shell: Shell) -> None:
    """Another process makes it: the page knows it for a link, and no longer shows the one before."""
    referee = crypt.phone("referee")
    old = crypt.invitations.unused_links["Mia"]
    crypt.invitations.begin(anew=False, keep=True, address="http://table.example:8440")
    out = shell.run("serve", "--invite", "mia").ok().out
    assert out.startswith("Mia: http://table.example:8440/in/")
    assert old not in referee.get("/seats").main
    phone = Phone(crypt)
    assert phone.post("/in", token=old).status == 403
    assert phone.post("/in", token=out.strip().rpartition("/")[2]).status == 303
    assert "Brog" in phone.get("/").main
    nobody = "Nobody called 'Zoe' has a seat; known: Mia, Jo, referee and table."
    assert shell.run("serve", "--invite", "Zoe").is_(1, nobody)


def test_what_is_kept_is_no_token(crypt: Served) -> None:
    phone = crypt.phone("Mia")
    kept = path_of(crypt.log.campaign_id)
    text = kept.read_text("utf-8")
    assert not any(token in text for token in (*crypt.invitations.unused_links.values(), *phone.cookies.values()))
    assert not keeps_modes() or stat.S_IMODE(kept.stat().st_mode) == 0o600
    log = crypt.log.path.read_bytes() if hasattr(crypt.log, "path") else b""
    assert not any(token.encode() in log for token in crypt.invitations.unused_links.values())


def test_a_seat_that_is_ended_is_ended_at_once(crypt: Served) -> None:
    phone = crypt.phone("Mia")
    Invitations(crypt.log.campaign_id).revoke("MIA")  # as another process does
    assert phone.get("/").status == 401
    assert phone.post("/do", line="n Hello").status == 401
    assert "ended" in str(next(seat for seat in crypt.invitations.states() if seat.seat.name == "Mia"))
    # and begins anew with a new link
    assert "Brog" in crypt.phone("Mia").get("/").main


def test_the_links_go_with_the_evening(crypt: Served) -> None:
    phone = crypt.phone("Mia")
    Invitations(crypt.log.campaign_id).begin(anew=False)
    assert phone.get("/").status == 200
    crypt.invitations.end()
    assert phone.get("/").status == 401


def test_wrong_tokens_are_slowed_down(crypt: Served) -> None:
    now = 0.0
    crypt.serving.rate_limit = RateLimit(at_once=3, seconds=2.0, clock=lambda: now)
    wrong, other = Phone(crypt, "10.0.0.9"), Phone(crypt, "10.0.0.8")
    assert [wrong.post("/in", token=f"guess-{number}").status for number in range(5)] == [403, 403, 403, 429, 429]
    # a club behind one address is not locked out by one of its guests: a right link is let in at once
    token = crypt.invitations.unused_links["Mia"]
    assert wrong.get(f"/in/{token}").status == other.get(f"/in/{token}").status == 200
    assert wrong.post("/in", token="guess").status == 429
    now = 3.0
    assert wrong.post("/in", token="guess").status == 403


def test_a_wrong_cookie_is_a_wrong_token(crypt: Served) -> None:
    crypt.serving.rate_limit = RateLimit(at_once=2, clock=lambda: 0.0)
    phone = Phone(crypt, "10.0.0.9")
    sentences = []
    for number in range(4):
        phone.cookies = {crypt.invitations.evening.cookie: f"guess-{number}"}
        sentences.append(phone.get("/").status)
    assert sentences == [401, 401, 429, 429]


def test_whoever_has_a_seat_never_waits_for_others_wrong_links(crypt: Served) -> None:
    """Any page that the same browser has open can send wrong links; they come from the same address."""
    mia = crypt.phone("Mia", "127.0.0.1")
    crypt.serving.rate_limit = RateLimit(at_once=3, clock=lambda: 0.0)
    other = Phone(crypt, "127.0.0.1")
    assert [other.get(f"/in/guess-{number}").status for number in range(5)] == [403, 403, 403, 429, 429]
    assert mia.get("/").status == 200
    assert mia.says("d brog 1").status == 303
    # a link that was used before leads them to the table
    assert "Brog" in mia.get("/in/used").main


def test_a_seat_whose_answer_got_lost_is_taken_by_the_same_tap(crypt: Served) -> None:
    token = crypt.invitations.unused_links["Mia"]
    phone = Phone(crypt)
    fields = phone.get(f"/in/{token}").form("Sit down as Mia").fields
    assert phone.post("/in", fields).status == 303
    again, other = Phone(crypt), Phone(crypt)
    assert again.post("/in", fields).status == 303
    assert again.cookies == phone.cookies and again.get("/").status == 200
    # another page of the same link is another device, and the link is used
    assert other.post("/in", token=token, device="x" * len(token)).status == 403
    assert other.post("/in", token=token).status == 403
    crypt.invitations.end_seat("Mia")
    assert again.post("/in", fields).status == 403


def test_the_referee_gives_a_new_link_and_ends_a_seat(crypt: Served) -> None:
    mia, referee = crypt.phone("Mia"), crypt.phone("referee")
    page = referee.get("/seats")
    assert "1 device" in page.main
    assert f"http://{HOST}/in/{crypt.invitations.unused_links['Jo']}" in page.main
    assert "<svg" in page.main
    old = crypt.invitations.unused_links["Jo"]
    assert referee.post("/seats", seat="player Jo", do="invite").status == 200
    assert Phone(crypt).post("/in", token=old).status == 403
    assert Phone(crypt).post("/in", token=crypt.invitations.unused_links["Jo"]).status == 303
    asked = referee.post("/seats", seat="player Mia", do="end")
    assert "<h1>End the seat of Mia?</h1>" in asked.main
    assert mia.get("/").status == 200
    assert referee.post("/seats", asked.form("End this seat").fields).status == 303
    assert mia.get("/").status == 401
    assert referee.post("/seats", seat="referee", do="end").headers["location"] == "/seats"
    assert referee.get("/seats").status == 200
    # every button of the page does what it says
    for form in [form for form in referee.get("/seats").forms if form.action == "/seats"]:
        assert referee.post(form.action, form.fields).status == 200, form.fields
    assert referee.post("/seats", seat="player Zoe", do="invite").status == 404


def test_the_seats_are_the_referees(crypt: Served) -> None:
    for name in ("Mia", "table"):
        phone = crypt.phone(name)
        assert phone.get("/seats").status == 403
        assert phone.post("/seats", seat="player Jo", do="invite").status == 403


def test_whoever_leaves_is_out(crypt: Served) -> None:
    phone = crypt.phone("Mia")
    kept = dict(phone.cookies)
    phone.get("/")
    assert "Leave the table?" in phone.tap("Leave the table").main
    assert phone.got("/").status == 200
    assert "left the table" in phone.tap("Leave").main
    phone.cookies = kept
    assert phone.get("/").status == 401


def test_a_player_who_joins_has_a_seat(crypt: Served) -> None:
    referee = crypt.phone("referee")
    assert referee.says("enrol Wen player Zoe").status == 303
    assert "Zoe" in referee.get("/seats").main
    assert "Wen" in crypt.phone("Zoe").get("/").main


def test_seats_are_listed_and_ended_on_the_shell(shell: Shell) -> None:
    shell.do("new Crypt --rules osr", "osr enrol Brog --player Mia")
    none = "No page of crypt.campaign is served, and no seat is kept."
    assert shell.run("serve", "--players").is_(1, none)
    invitations = Invitations(json.loads(shell.run("status", "--json").out)["campaign"]["id"])
    invitations.begin(anew=True)
    # one that was not to be kept is over once nothing serves it, however that ended
    assert shell.run("serve", "--players").is_(1, none)
    invitations.begin(anew=True, keep=True)
    invitations.seat_all(["Mia"])
    lines = shell.run("serve", "--players").ok().out.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["the referee", "Mia", "the table"]
    assert shell.run("serve", "--revoke", "mia").ok().out == "Mia has no seat any more.\n"
    assert "Mia          ended\n" in shell.run("serve", "--players").ok().out
    nobody = "Nobody called 'Zoe' has a seat; known: Mia, referee and table."
    assert shell.run("serve", "--revoke", "Zoe").is_(1, nobody)


def test_a_campaign_is_served_once_at_a_time(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.do("new Crypt --rules osr", "osr enrol Brog --player Mia")
    evenings: list[bytes] = []

    def serve(serving: TableServer, *_: object) -> None:
        serving.close()
        kept = path_of(serving.log.campaign_id)
        evenings.append(kept.read_bytes())
        if len(evenings) == 1:
            # whoever serves it from another terminal ends nobody's links
            sentence = f"crypt.campaign is served already at {serving.address}/. {STOP}"
            assert shell.run("serve", "--keep").is_(1, sentence)
            assert kept.read_bytes() == evenings[0]
            assert "Mia" in shell.run("serve", "--players").ok().out

    monkeypatch.setattr("cli.serving.running.serve", serve)
    for _ in range(2):
        shell.run("serve").ok()
    assert len(set(evenings)) == 2


def test_without_the_extra_it_is_said_how_to_get_it(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.commands.serve.find_spec", lambda _: None)
    sentence = (
        "The web server is not installed here; in your clone of this project, uv tool install '.[serve]' installs"
        " it with the program."
    )
    assert shell.run("serve", "--lan").is_(1, sentence)


def test_a_certificate_that_is_none_is_told_so(shell: Shell) -> None:
    shell.do("new Crypt --rules osr")
    (shell.folder / "cert.pem").write_text("none", "utf-8")
    result = shell.run("serve", "--tls", "cert.pem", "cert.pem")
    assert (result.code, result.err.startswith("cert.pem and cert.pem are not a certificate and its key")) == (2, True)


#: Players who are called like a role, or like what tells such a player from a role.
NAMESAKES = ("Referee", "TABLE", "the referee", "The Table", "player Referee", "player referee 2", "Mia")


def test_a_role_and_a_player_never_share_an_address_nor_two_seats_a_line(shell: Shell) -> None:
    shell.do("new Crypt --rules osr", *(f"osr enrol P{at} --player '{name}'" for at, name in enumerate(NAMESAKES)))
    invitations = Invitations(json.loads(shell.run("status", "--json").out)["campaign"]["id"])
    invitations.begin(anew=True, keep=True, address="http://table.example")
    invitations.seat_all(NAMESAKES)
    seats = [state.seat for state in invitations.states()]
    assert len({key_of(seat.address) for seat in seats}) == len({key_of(seat.label) for seat in seats}) == 9
    for seat in seats:
        assert invitations.find_seat(seat.address.upper()) == seat
        token = shell.run("serve", "--invite", seat.address).ok().out.strip().rpartition("/")[2]
        assert invitations.of_link(token) == seat
    assert shell.run("serve", "--revoke", "referee").ok().out == "the referee has no seat any more.\n"
    assert [state.seat.role for state in invitations.states() if state.ended] == ["referee"]


@pytest.mark.parametrize(("name", "by"), [("referee", "referee"), ("Mia", "mía")])
def test_a_player_called_like_the_referee_does_not_undo_what_the_referee_did(shell: Shell, name: str, by: str) -> None:
    shell.do("new Crypt --rules osr", f"osr enrol Brog --player {name}", "osr enrol Ash --player Jo")
    with open_chosen(None, write=True) as (log, system), served(log, system, by=by) as crypt:
        assert crypt.phone("referee").says("n The door closes.").status == 303
        player = Phone(crypt)
        player.post("/in", token=crypt.invitations.unused_links[name])
        assert "undo" not in player.get("/").text
        assert "You have recorded nothing yet that you could undo." in player.says("undo").main
