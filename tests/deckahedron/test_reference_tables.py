"""What stands at hand beside a paragraph: cards, Wound cards, attacks."""

from domain.deckahedron.reference_tables import reference_table


def rows(number: str) -> list[dict[str, str]]:
    head, *rest = reference_table(number)
    return [dict(zip(head, row, strict=True)) for row in rest]


def test_1_every_card_with_its_results_by_rank() -> None:
    cards = {row["card"]: row for row in rows("1")}
    assert len(cards) == 20
    assert [cards["14"][f"rank {rank}"] for rank in (1, 2, 3, 4)] == ["✗✗", "✗", "✗", "✔✔"]
    assert sum(row["Stamina"] == "yes" for row in cards.values()) == 10
    assert cards["14"]["d4"] == "-" and cards["15"]["d4"] == "4"


def test_25_the_wound_cards() -> None:
    assert [row["card"] for row in rows("25")] == ["w1", "w2", "w3", "w4"]


def test_35_every_pair_of_results_with_what_it_costs() -> None:
    attacks = {(row["attack"], row["attacker"], row["defender"]): row for row in rows("35")}
    assert len(attacks) == 16 + 16 + 4
    assert attacks["in melee", "✔✔", "✗✗"]["defender loses"] == "1d4+1"
    assert attacks["in melee", "✔✔", "✗✗"]["or"] == "a Wound"
    assert attacks["unopposed", "✔", "-"]["defender loses"] == "1d4"
    assert "They clash and nobody is hurt." in attacks["in melee", "✗", "✗"].values()


def test_a_paragraph_whose_words_are_enough_has_none() -> None:
    assert reference_table("4") == ()
