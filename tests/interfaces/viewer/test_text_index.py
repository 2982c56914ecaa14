"""Full-text search over the programs and outputs of a run."""

import time
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.evaluation.runs.samples import fill, knowing_engine, questions
from worldline.evaluation.store import make_text_block
from worldline.evaluation.store.byte_search import find_bytes
from worldline.interfaces.viewer.sample_table import Table
from worldline.interfaces.viewer.text_index import TextIndex, read_text_index
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import PredictionSettings

EMPTY = Table((), ())
WORDS = st.text("abAB\0 é\ud800", max_size=6)


def make_index(texts: list[str]) -> TextIndex:
    """An index of two blocks, in which each text is named by its number."""
    names = list(map(str, range(len(texts))))
    half = len(texts) // 2
    return TextIndex(
        (names[part], make_text_block(texts[part])) for part in (slice(half), slice(half, None))
    )


def escape(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode().lower()


@given(st.lists(WORDS, max_size=6), WORDS)
def test_exactly_the_samples_that_contain_the_text_are_found(texts: list[str], search: str) -> None:
    wanted = {str(number) for number, text in enumerate(texts) if escape(search) in escape(text)}
    assert make_index(texts).search(search) == wanted


def test_a_match_does_not_extend_over_two_samples() -> None:
    index = TextIndex([(["one", "two", "three"], make_text_block(["ab", "cd", "aab"]))])
    assert index.search("bc") == frozenset()
    assert index.search("cd") == {"two"}
    assert index.search("da") == frozenset()
    assert index.search("AB") == {"one", "three"}


def test_programs_calls_and_outputs_of_a_run_are_searched(demo_run: str) -> None:
    index = read_text_index(demo_run, EMPTY)
    everything = index.search("")
    assert index.search("DEF ") == everything
    assert index.search("not in any program") == frozenset()


def test_samples_that_are_in_no_part_yet_are_searched(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    items = questions(3)
    fill(
        tmp_path / "run", items, knowing_engine(recorder, items), recorder,
        questions=4, settings=PredictionSettings(max_tokens=400),
    )  # fmt: skip
    index = read_text_index(str(tmp_path / "run"), EMPTY)
    assert index.search("") == {item.id for item in items}
    assert index.search("def ") == {item.id for item in items}


def test_many_texts_are_searched_at_once() -> None:
    text = "def f(x):\n    return x + 1\n" * 100
    index = make_index([text] * 20_000)
    start = time.thread_time()
    assert index.search("return y") == frozenset()
    # 54 MB, in processor time: the machine may be busy.
    assert time.thread_time() - start < 1


@given(st.binary(max_size=12), st.binary(min_size=1, max_size=3), st.integers(0, 12))
def test_the_search_of_the_c_library_finds_what_pythons_finds(
    data: bytes, wanted: bytes, start: int
) -> None:
    start = min(start, len(data))
    assert find_bytes(data, wanted, start) == data.find(wanted, start)
    # Further away, where the library searches.
    for gap in (19_999 - len(data), 20_000, 50_000):
        far = data + bytes([200]) * gap + data
        assert find_bytes(far, wanted, start) == far.find(wanted, start)
