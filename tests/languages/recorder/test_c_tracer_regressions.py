"""Programs that once crashed the tracer in C, or made it differ from the reference tracer."""

from collections.abc import Iterator
from textwrap import dedent

import pytest

from tests.languages.recorder.both_recorders import BothRecorders, both_recorders
from tests.languages.recorder.methods import VERSIONS, python_of
from worldline.core.trace import Ending, Limits, Program


@pytest.fixture(scope="module", params=VERSIONS)
def both(request: pytest.FixtureRequest) -> Iterator[BothRecorders]:
    with both_recorders(python_of(request.param)) as both:
        yield both


def make_program(source: str) -> Program:
    return Program(dedent(source), "use()")


SAME = {
    "a frame that ended without an event": """
        def h():
            a = b = c = d = e = f = g = i = j = k = l = m = n = o = p = 'held'
            yield 1
        def many(*a):
            return a
        def g():
            a = 1
            yield 1
            b = many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
            yield 2
        G = [g() for _ in range(20)]
        for q in G: next(q)
        def use():
            H = [h() for _ in range(20)]
            for x in H:
                next(x)
            x = None
            H.clear()
            for q in G:
                next(q)
            return 1
    """,
    "a type whose attribute lookup runs code": """
        L = []
        on = False
        class K:
            def __hash__(self):
                return hash('__module__')
            def __eq__(self, other):
                if on:
                    L.clear()
                return False
        def use():
            global on
            L.extend([type('A', (), {K(): 1})(), [1], 'abc'] * 200)
            on = True
            x = L
            y = 1
            return len(x)
    """,
    "a comprehension's variable with the name of a free variable": """
        def use():
            x = 1
            def f():
                a = x
                b = [x for x in range(2)]
                return x, b
            return f()
    """,
    "a range whose numbers have too many digits": """
        def use():
            r = range(10**5000)
            s = [r]
            return len(s)
    """,
    "a long value that contains itself": """
        def use():
            x = list(range(40))
            x.append(x)
            y = {1: x}
            return len(y)
    """,
    "a function's name that looks like a thread id": """
        def use():
            f = lambda: 1
            f.__qualname__ = "123456789)>x"
            g = f
            return 1
    """,
    "a quote in the part that is left out": """
        def use():
            x = "'" + "a" * 5_000 + '"'
            return len(x)
    """,
    "code that cannot be hashed": """
        def f():
            return 1
        f.__code__ = f.__code__.replace(co_consts=(None, [], 1))
        def use():
            return f()
    """,
    "code objects that differ only in their names": """
        def f():
            return 1
        g = type(f)(f.__code__.replace(co_qualname='other'), globals())
        def use():
            return f(), g()
    """,
    "opcode events": """
        import sys
        def use():
            sys._getframe().f_trace_opcodes = True
            x = 1
            return x
    """,
}


@pytest.mark.parametrize("name", SAME)
def test_both_tracers_agree(both: BothRecorders, name: str) -> None:
    trace = both.record(make_program(SAME[name]), limits=Limits(value_chars=50))
    assert trace.ending == Ending("finished")


def test_a_class_body_with_comprehensions_is_recorded(both: BothRecorders) -> None:
    # The reference tracer fails on some of these, because of bugs in 3.12.1 and 3.13.0.
    source = """
        y = [[(i, j) for j in range(2)] for i in range(2)]
        z = [sum(i for j in range(2)) for i in range(2)]
        class Table:
            rows = [[i * j for j in range(2)] for i in range(2)]
        print(y, z, Table.rows)
    """
    trace = both.c.record(Program(dedent(source), None))
    assert trace.ending == Ending("finished")
    assert trace.stdout == "[[(0, 0), (0, 1)], [(1, 0), (1, 1)]] [0, 2] [[0, 0], [0, 1]]\n"
    assert {"y", "z", "Table", "i"} <= {name for step in trace.steps for name in step.changed}


@pytest.mark.parametrize("below", range(0, 16, 3))
def test_a_step_limit_near_the_recursion_limit_ends_the_program(
    both: BothRecorders, below: int
) -> None:
    source = """
        n = 0
        def f():
            global n
            n += 1
            f()
        def use():
            try:
                f()
            except RecursionError:
                print('handler')
            return 1
    """
    steps = both.c.record(make_program(source), limits=Limits(steps=100_000)).steps
    first = next(i for i, step in enumerate(steps) if step.event == "exception")
    trace = both.c.record(make_program(source), limits=Limits(steps=first - below))
    assert trace.ending.reason == "step_limit"
    assert (len(trace.steps), trace.stdout) == (first - below, "")


def test_recursion_through_c_code_raises_a_recursion_error(both: BothRecorders) -> None:
    source = """
        import sys
        class Op(list):
            pass
        def f(n):
            o = Op([n])
            return sorted([n + 1], key=f)[0] if n < 100_000 else 0
        def use():
            # The C stack of the other versions is too small for more, recorded or not.
            sys.setrecursionlimit(5_000 if sys.version_info[:2] == (3, 12) else 1_000)
            try:
                f(0)
            except RecursionError:
                r = 'rec'
            return r
    """
    trace = both.c.record(make_program(source), limits=Limits(seconds=60, steps=10**6))
    assert (trace.result, trace.ending) == ("'rec'", Ending("finished"))
    assert any(step.event == "exception" for step in trace.steps)


def test_a_program_cannot_reply_for_the_fork_server(both: BothRecorders) -> None:
    forge = """
        import os
        def use():
            for pid in (os.getppid(), os.getpid()):
                for fd in range(256):
                    try:
                        with open(f'/proc/{pid}/fd/{fd}', 'wb', buffering=0) as file:
                            file.write(b'\\n["exit", 0]\\n["exit", 0]\\n')
                    except OSError:
                        pass
            return 'done'
    """
    good = "def use():\n    return 'good'\n"
    for recorder in (both.c, both.reference):
        assert recorder.record(make_program(forge)).result == "'done'"
        assert recorder.record(Program(good, "use()")).result == "'good'"
