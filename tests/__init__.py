"""Given these turns, when this is done, then these events, or a refusal that names its rule."""

import pytest

# what the kit asserts is told as fully as what a test asserts
pytest.register_assert_rewrite(f"{__name__}.kit")
