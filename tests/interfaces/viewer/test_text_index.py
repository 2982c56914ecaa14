"""Full-text search over the programs and outputs of a run."""

import time

from hypothesis import given
from hypothesis import strategies as st

from worldline.interfaces.viewer.text_index import TextIndex, read_text_index

WORDS = st.text("abAB\0 é", max_size=6)


@given(st.lists(WORDS, max_size=6), WORDS.filter(lambda text: "\0" not in text))
def test_exactly_the_samples_that_contain_the_text_are_found(texts: list[str], search: str) -> None:
    index = TextIndex((str(number), text) for number, text in enumerate(texts))
    wanted = {
        str(number)
        for number, text in enumerate(texts)
        if search.lower() in text.lower().replace("\0", " ")
    }
    assert index.search(search) == wanted


def test_a_match_does_not_extend_over_two_samples() -> None:
    index = TextIndex([("one", "ab"), ("two", "cd")])
    assert index.search("bc") == frozenset()
    assert index.search("cd") == {"two"}


def test_programs_calls_and_outputs_of_a_run_are_searched(demo_run: str) -> None:
    index = read_text_index(demo_run)
    everything = index.search("")
    assert index.search("DEF ") == everything
    assert index.search("not in any program") == frozenset()


def test_many_texts_are_searched_at_once() -> None:
    text = "def f(x):\n    return x + 1\n" * 100
    index = TextIndex((str(number), text) for number in range(20_000))
    start = time.perf_counter()
    assert index.search("return y") == frozenset()
    # 54 MB; this limit is for a busy machine.
    assert time.perf_counter() - start < 2
