"""Programs and recorded executions for the tests of replays."""

import re
from pathlib import Path

from tests.support.paths import PROGRAMS_FOLDER
from worldline.core.trace import Program

_CALL = re.compile(r"# call: (.*)\n")

NESTED = """\
def square(n):
    m = n * n
    return m

def total(xs):
    s = 0
    for x in xs:
        s += square(x)
    return s
"""
RECURSION = """\
def fib(n):
    if n < 2:
        return n
    a = fib(n - 1)
    b = fib(n - 2)
    return a + b
"""
GENERATOR = """\
def count(n):
    i = 0
    while i < n:
        yield i
        i += 1

def use():
    out = []
    for x in count(3):
        out.append(x)
    return out
"""
EXCEPTION = """\
def inner(d):
    return d["missing"]

def outer():
    try:
        inner({})
    except KeyError as error:
        name = error.args[0]
    return name
"""
THREADS = """\
import threading

def work(out):
    n = 1
    out.append(n)

def use():
    out = []
    thread = threading.Thread(target=work, args=(out,))
    thread.start(); thread.join()
    return out
"""


def program_of(path: Path) -> Program:
    """The program of a file in tests/programs, with the call in its first comment."""
    text = path.read_text(encoding="utf-8")
    call = _CALL.match(text)
    return Program(text, call[1] if call else None)


def all_programs() -> list[Program]:
    """The programs of tests/programs."""
    return [program_of(path) for path in sorted(PROGRAMS_FOLDER.glob("*.py"))]
