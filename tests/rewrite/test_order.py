"""Whatever happens in a program happens in the same order once it is rewritten."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rewrite.behaviour import Namespace, observed
from tests.rewrite.spying import program
from worldline.rewrite import rewrite_expressions


def use(space: Namespace) -> tuple[object, object]:
    """Call the function, go on with it if it is a generator, and look at everything."""
    seq = [1, 2, 3]
    try:
        value = space["program"](2, seq, space["Spy"](1))
        if hasattr(value, "send"):
            value = [value.send(None), *value]
    except Exception as error:  # noqa: BLE001  # it is what is compared
        value = f"{type(error).__name__}: {error}"
    return value, (seq, space["shared"], space["log"])


@settings(max_examples=250)
@given(st.integers(0, 2**32))
def test_everything_happens_in_the_same_order(seed: int) -> None:
    text = program(seed)
    found = rewrite_expressions(text)
    assert observed(found.text, use) == observed(text, use), found.text[len(text) :]
    assert rewrite_expressions(found.text).text == found.text
    assert len(found.origins) == found.text.count("\n")
