"""Modules that are stood in for while something is imported: whoever asks for more of them gets the real ones."""

import sys

import pytest

from cli.importing import standing_in


@pytest.fixture(autouse=True)
def not_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("this", "colorsys"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_only_what_is_given_is_there_without_the_module() -> None:
    with standing_in({"colorsys": {"hsv_to_rgb": 7}}):
        import colorsys as kept

        assert vars(kept)["hsv_to_rgb"] == 7
        assert not hasattr(sys.modules["colorsys"], "__file__"), "it says of itself nothing that is not so"
    assert "colorsys" not in sys.modules


def test_every_other_name_comes_from_the_module_meanwhile_and_afterwards() -> None:
    with standing_in({"colorsys": {"hsv_to_rgb": 7}}):
        import colorsys as kept

        assert kept.rgb_to_hsv(1, 1, 1) == (0.0, 0.0, 1)
        import colorsys as real

        assert real is not kept
    assert sys.modules["colorsys"] is real, "what was imported meanwhile stays"
    assert kept.rgb_to_hls is real.rgb_to_hls
    assert kept.hsv_to_rgb is real.hsv_to_rgb, "what stood in for it was for the import"
    with pytest.raises(AttributeError):
        kept.no_such_name  # type: ignore[attr-defined]  # noqa: B018


def test_whoever_imports_it_afterwards_gets_the_module() -> None:
    with standing_in({"colorsys": {}}):
        import colorsys as kept
    import colorsys as real

    assert real is not kept
    assert real.__file__


def test_a_module_that_is_imported_already_stays() -> None:
    import colorsys as real

    with standing_in({"colorsys": {"hsv_to_rgb": 7}}):
        import colorsys as found

        assert found is real
    assert sys.modules["colorsys"] is real


def test_one_that_is_not_to_be_had() -> None:
    with standing_in({"colorsys": None}), pytest.raises(ImportError):
        import colorsys
    import colorsys

    assert colorsys.__file__


def test_nothing_stands_in_once_an_import_has_failed() -> None:
    with pytest.raises(ZeroDivisionError), standing_in({"colorsys": {}, "this": None}):
        raise ZeroDivisionError
    assert not {"colorsys", "this"} & sys.modules.keys()
