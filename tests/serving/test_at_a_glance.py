"""What is seen first: who of the party and who of the foes, what has just come, and the way in for whoever is new."""

from domain.common.notes import Note
from tests.kit.phones import Phone, Served


def told(phone: Phone) -> str:
    return phone.get("/").main.partition('id="told"')[2].partition("</p>")[0]


def test_foes_stand_under_a_heading_of_their_own(crypt: Served) -> None:
    crypt.phone("referee").says("enrol Ghoul level 1 rolled 3 side foe")
    main = crypt.phone("Mia").get("/").main
    party, foes = main.index(">The others</h2>"), main.index(">Foes</h2>")
    assert party < main.index(">Ada</a>") < foes < main.index(">Ghoul</a>")


def test_the_newest_turn_stands_in_a_line_of_its_own_and_no_secret_with_it(barrow: Served) -> None:
    ines, marek, keeper = map(barrow.phone, ("Ines", "Marek", "referee"))
    ines.says("n Rain on the barrow")
    assert "Rain on the barrow" in told(marek)
    ines.says("s brann trample eye")
    turn = barrow.log.last()
    # it stands there for whoever looks over a shoulder, too
    for phone in (ines, marek, keeper):
        assert f">T{turn}</a> Brann selects two cards." in told(phone)
    # what is corrected of it lies face down as well
    ines.page = ines.says(f"T{turn} second=war")
    ines.tap("Do it")
    for phone in (ines, marek, keeper):
        assert f">T{turn + 1}</a> Amends T{turn}." in told(phone)


def test_whoever_has_chosen_face_down_reads_what_and_nobody_else_does(barrow: Served) -> None:
    ines, marek = barrow.phone("Ines"), barrow.phone("Marek")

    def chosen(phone: Phone) -> str:
        return phone.get("/").main.partition('<p class="chosen">')[2].partition("</p>")[0]

    ines.says("s brann trample eye")
    assert chosen(ines).endswith("at the table. Brann selects Trample, then Eye for an Eye.")
    assert chosen(marek).endswith("1 of 2 at the table.")
    marek.says("s ysa mana fire")
    # however much is told in between
    for _ in range(15):
        barrow.handler.record(Note(text="Rain."))
    assert "Trample" in chosen(ines) and "Mana" not in chosen(ines)
    barrow.phone("referee").says("reveal")
    assert chosen(ines) == ""


def test_whoever_is_enrolled_with_a_player_has_a_link_and_a_code_at_once(crypt: Served) -> None:
    keeper = crypt.phone("referee")
    form = keeper.get("/act/enrol").form("Look")
    fields = [*((name, value) for name, value in form.fields if name not in ("f.character", "f.player"))]
    done = keeper.post("/do", [*fields, ("f.character", "Wen"), ("f.player", "Kit"), ("f.rolled", "4")])
    assert (done.status, done.headers["location"]) == (303, "/seats?player=Kit")
    seats = keeper.get(done.headers["location"]).main
    first = seats.partition("<section")[2].partition("</section>")[0]
    assert "Kit takes this photo, or opens this link." in first and "<details open>" in first and "<svg" in first
    # without a player there is nobody to give it to, and another character of somebody who sits needs none
    crypt.phone("Kit")
    for who in ((), (("f.player", "Kit"),)):
        name = f"W{len(who)}"
        done = keeper.post("/do", [*fields, ("f.character", name), *who, ("f.rolled", "4")])
        assert done.headers["location"] == "/"
