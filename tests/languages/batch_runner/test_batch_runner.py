"""Batches: outcomes of items, time limits, crashes, and separate processes."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldline.languages.python.batch_runner import Batch, BatchItem, BatchOutcome, run_batch
from worldline.languages.python.recorder import PythonRecorder

SOURCE = """
import os, sys, time
calls = []
def increment(x):
    calls.append(x)
    return x + 1
def loop():
    while True:
        pass
def loop_that_catches():
    n = 0
    while True:
        try:
            while True:
                n += 1
                n -= 1
        except BaseException:
            n = 0
def end_process():
    os._exit(3)
def end_process_at_second_call():
    calls.append(0)
    if len(calls) > 1:
        os._exit(3)
def write():
    os.write(1, b'["passed", ""]\\n')
    print("noise")
    sys.stdout.write("noise")
    return input()
"""


@pytest.fixture(scope="module")
def recorder() -> Iterator[PythonRecorder]:
    with PythonRecorder() as recorder:
        yield recorder


def statement(text: str, *, seconds: float = 0.1) -> BatchItem:
    return BatchItem(text, seconds=seconds)


def expression(text: str) -> BatchItem:
    return BatchItem(text, "expression")


def pairs(outcome: BatchOutcome) -> list[tuple[str, str]]:
    return [(item.status, item.detail) for item in outcome.items]


def test_every_item_has_its_own_outcome(recorder: PythonRecorder) -> None:
    items = (
        statement("assert increment(1) == 2"),
        statement("assert increment(1) == 3"),
        statement("increment('a')"),
        statement("1 +"),
        statement("sys.exit(0)"),
        expression("increment(1)"),
        expression("increment('a')"),
        expression("assert"),
        expression("[increment(n) for n in range(3)]"),
    )
    outcome = run_batch(Batch(SOURCE, items), recorder)
    assert pairs(outcome) == [
        ("passed", ""),
        ("failed", ""),
        ("raised", ""),
        ("invalid", ""),
        ("raised", ""),
        ("value", "2"),
        ("raised", "TypeError"),
        ("invalid", ""),
        ("value", "[1, 2, 3]"),
    ]
    assert outcome.processes == 1
    assert outcome.memory_kb > 1_000


@pytest.mark.parametrize(
    "source", ["def f(:", "raise ValueError", "import sys; sys.exit(0)", "1/0"]
)
def test_a_source_that_does_not_load_fails_every_item(
    recorder: PythonRecorder, source: str
) -> None:
    outcome = run_batch(Batch(source, (statement("pass"), expression("1"))), recorder)
    assert pairs(outcome) == [("not_loaded", ""), ("not_loaded", "")]
    assert outcome.processes == 1


def test_an_item_without_end_costs_its_limit_and_no_more(recorder: PythonRecorder) -> None:
    items = (expression("increment(1)"), statement("loop()"), expression("increment(2)"))
    outcome = run_batch(Batch(SOURCE, items), recorder)
    assert pairs(outcome) == [("value", "2"), ("time_limit", ""), ("value", "3")]
    assert outcome.processes == 1
    assert 0.05 < outcome.cpu_seconds < 1


def test_a_source_without_end_is_not_loaded(recorder: PythonRecorder) -> None:
    batch = Batch("while True: pass", (statement("pass"),), load_seconds=0.05)
    assert pairs(run_batch(batch, recorder)) == [("not_loaded", "")]


def test_an_item_that_catches_the_limit_is_isolated(recorder: PythonRecorder) -> None:
    items = (
        expression("increment(1)"),
        statement("loop_that_catches()", seconds=0.03),
        expression("increment(2)"),
    )
    outcome = run_batch(Batch(SOURCE, items), recorder)
    assert pairs(outcome) == [("value", "2"), ("time_limit", ""), ("value", "3")]
    # All items, the one alone, and the rest.
    assert outcome.processes == 3


def test_an_item_that_waits_ends_too(recorder: PythonRecorder) -> None:
    items = (statement("time.sleep(1000)", seconds=0.01), expression("increment(2)"))
    outcome = run_batch(Batch(SOURCE, items), recorder)
    assert pairs(outcome) == [("time_limit", ""), ("value", "3")]


def test_an_item_that_ends_the_process_is_executed_alone(recorder: PythonRecorder) -> None:
    items = (expression("increment(1)"), statement("end_process()"), expression("increment(2)"))
    outcome = run_batch(Batch(SOURCE, items), recorder)
    assert pairs(outcome) == [("value", "2"), ("crashed", "killed"), ("value", "3")]
    assert outcome.processes == 3


def test_an_item_that_ends_the_process_only_after_others_passes(recorder: PythonRecorder) -> None:
    items = (statement("end_process_at_second_call()"),) * 2
    outcome = run_batch(Batch(SOURCE, items), recorder)
    assert pairs(outcome) == [("passed", "")] * 2
    assert outcome.processes == 2


def test_too_many_crashes_leave_the_rest_unexecuted(recorder: PythonRecorder) -> None:
    batch = Batch(SOURCE, (statement("end_process()"),) * 4, max_crashes=2)
    outcome = run_batch(batch, recorder)
    assert [item.status for item in outcome.items] == ["crashed"] * 2 + ["not_executed"] * 2


def test_after_slow_items_the_limit_is_a_tenth(recorder: PythonRecorder) -> None:
    items = (*(statement("loop()"),) * 12, expression("increment(1)"))
    hurried = run_batch(Batch(SOURCE, items, max_slow_items=2), recorder)
    patient = run_batch(Batch(SOURCE, items, max_slow_items=100), recorder)
    assert pairs(hurried) == pairs(patient) == [("time_limit", "")] * 12 + [("value", "2")]
    assert hurried.cpu_seconds < patient.cpu_seconds / 2


def test_what_a_source_writes_is_no_outcome(recorder: PythonRecorder) -> None:
    outcome = run_batch(Batch(SOURCE, (expression("write()"), statement("assert False"))), recorder)
    assert pairs(outcome) == [("raised", "EOFError"), ("failed", "")]


def test_items_do_not_define_names_for_the_source(recorder: PythonRecorder) -> None:
    source = "limit = 1\ndef f():\n    return limit"
    items = (statement("limit = 2\nassert f() == 1"), expression("limit"), statement("x"))
    outcome = run_batch(Batch(source, items), recorder)
    assert pairs(outcome) == [("passed", ""), ("value", "1"), ("raised", "")]


def test_a_long_value_is_shortened_with_a_checksum(recorder: PythonRecorder) -> None:
    items = (expression("'a' * 100"), expression("'a' * 99 + 'b'"), expression("'a' * 18"))
    outcome = run_batch(Batch("", items, value_chars=20), recorder)
    first, second, short = (item.detail for item in outcome.items)
    assert first.startswith("'aaaaaaaaaaaaaaaaaaa… 102 characters, CRC ")
    assert first != second
    assert short == repr("a" * 18)


def test_the_key_depends_on_everything_that_matters() -> None:
    batch = Batch("a = 1", (statement("assert a"),))
    others = [
        Batch("a = 2", batch.items),
        Batch("a = 1", (expression("assert a"),)),
        Batch("a = 1", (statement("assert a", seconds=1),)),
        Batch("a = 1", batch.items, value_chars=5),
        Batch("a = 1", batch.items, memory_mb=5),
    ]
    assert len({batch.key, *(other.key for other in others)}) == 6
    assert batch.key == Batch("a = 1", (statement("assert a"),)).key


@settings(max_examples=15, deadline=None)
@given(values=st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), max_size=8))
def test_assertions_pass_as_in_python(
    recorder: PythonRecorder, values: list[tuple[int, int]]
) -> None:
    items = tuple(statement(f"assert f({x}) == {y}") for x, y in values)
    outcome = run_batch(Batch("def f(x):\n    return abs(x)", items), recorder)
    expected = ["passed" if abs(x) == y else "failed" for x, y in values]
    assert [item.status for item in outcome.items] == expected
