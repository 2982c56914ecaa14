"""A rewritten program does everything in the same order."""

import sys

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from tests.languages.rewrite.logging_programs import make_program
from tests.languages.rewrite.program_behaviour import Namespace, behaviour_of_call, run_and_observe
from worldline.languages.python.rewrite import rewrite_expressions


def use(namespace: Namespace) -> tuple[object, object]:
    """Call the function, exhaust it if it is a generator, and return everything observable."""
    seq = [1, 2, 3]
    try:
        value = namespace["program"](2, seq, namespace["Spy"](1))
        if hasattr(value, "send"):
            value = [value.send(None), *value]
    except Exception as error:  # noqa: BLE001  # it is what is compared
        value = f"{type(error).__name__}: {error}"
    return value, (seq, namespace["shared"], namespace["log"])


# A fixed seed: otherwise the examples change whenever this function is edited or renamed.
@seed(0)
@settings(max_examples=120)
@given(st.integers(0, 2**32))
def test_everything_happens_in_the_same_order(number: int) -> None:
    text = make_program(number)
    result = rewrite_expressions(text)
    assert run_and_observe(result.text, use) == run_and_observe(text, use), result.text[len(text) :]
    assert rewrite_expressions(result.text).text == result.text
    assert len(result.origins) == result.text.count("\n")


@pytest.mark.xfail(
    sys.version_info < (3, 12),
    reason="a generator in a comprehension loses `<listcomp>` from its name if that becomes a loop",
    strict=True,
)
def test_a_generator_in_a_comprehension_keeps_its_name() -> None:
    text = "def f(x):\n    return [repr(j for j in x) for i in x]\n"
    rewritten = rewrite_expressions(text).text
    assert rewritten != text
    assert behaviour_of_call(rewritten, "f([1])") == behaviour_of_call(text, "f([1])")
