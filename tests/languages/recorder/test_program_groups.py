"""Programs that share a process: the same traces as alone, and none can change another one's."""

import builtins
import importlib
import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

import pytest

from worldline.core.trace import Limits, Program
from worldline.data.generation import generate_programs
from worldline.languages.python.recorder import PythonRecorder
from worldline.languages.python.recorder.child import shared_process
from worldline.languages.python.recorder.child.shared_process import may_share_process

LIMITS = Limits(seconds=10, steps=2_000, memory_mb=300)
# What an attack could change.
VICTIM = Program(
    """\
import collections, functools, math, re, string, typing


def f(words):
    counted = collections.Counter(len(word) for word in sorted(words))
    total = functools.reduce(lambda a, b: a + b, counted.values())
    shown = re.sub("a+", "_", "-".join(words)).upper()
    print(shown, isinstance(total, int), string.digits)
    return [shown, counted.most_common(1), total, math.floor(2.5), str(typing.List[int])]
""",
    "f(['aab', 'b', 'caa'])",
)
# Each would change what VICTIM sees, or end the process.
ATTACKS = {
    "builtins": "import builtins\nbuiltins.len = lambda x: 7\n",
    "own builtins": "__builtins__['len'] = lambda x: 7\n",
    "builtins by name": "globals()['__' + 'builtins__']['len'] = lambda x: 7\n",
    "sys.modules": "import sys\nsys.modules['math'] = sys\n",
    "module in a module": "import typing\ntyping.sys.modules['math'] = None\n",
    "dispatch table": "import re\nre.copyreg.dispatch_table[int] = None\n",
    "method of a class": "import collections\ncollections.Counter.most_common = None\n",
    "setattr": "import math\nsetattr(math, 'floor', None)\n",
    "registry": "import collections.abc\ncollections.abc.Mapping.register(int)\n",
    "annotations": "import re\nre.sub.__annotations__['x'] = 1\n",
    "finalizer": "A = type('A', (), {'__' + 'del__': lambda self: print(1)})\na = A()\na.a = a\n",
    "wrapper": "import functools, re\nfunctools.update_wrapper(re.sub, print)\n",
    "globals of a function": "import re\nre.sub.__globals__['_compile'] = None\n",
    "subclasses": "for c in object.__subclasses__():\n    c\n",
    "frame of a generator": "g = (x for x in [1])\ng.gi_frame.f_back\n",
    "traceback": "try:\n    1 / 0\nexcept Exception as e:\n    e.__traceback__.tb_frame\n",
    "class pattern": "match print:\n    case object(__self__=m):\n        m.len = None\n",
    "nested class pattern": "g = (x for x in [1])\nnext(g)\n"
    "match g:\n    case object(gi_frame=object(f_globals=m)):\n        m.clear()\n",
    "type hints": "import typing\ng = (x for x in [1])\nnext(g)\n"
    "def h(x: 'g.gi_frame.f_globals.clear()'):\n    pass\ntyping.get_type_hints(h, {'g': g})\n",
    "format field": "import string\ng = (x for x in [1])\nnext(g)\n"
    "string.Formatter().get_field('0.gi_frame.f_globals', [g], {})[0].clear()\n",
    "formatter": "import string\nclass F(string.Formatter):\n"
    "    def format_field(self, value, spec):\n        value.clear()\n"
    "g = (x for x in [1])\nnext(g)\nF().format('{0.gi_frame.f_globals}', g)\n",
    "list of a module": "import __future__ as m\nm.all_feature_names.clear()\n",
    "cache of a module": "import re\nre._cache.clear()\n",
    "imported cache": "from re import _cache as m\nm.clear()\n",
    "cache in a class pattern": "import re\nmatch re:\n    case object(_cache=m):\n"
    "        m.clear()\n",
    "exec": "exec('import builtins; builtins.len = None')\n",
    "environment": "import os\nos.environ['A'] = 'b'\n",
    "working folder": "import os\nos.chdir('/')\n",
    "random state": "import random\nrandom.seed(1)\n",
    "warnings": "import warnings\nwarnings.simplefilter('error')\n",
    "recursion limit": "import sys\nsys.setrecursionlimit(50)\n",
    "garbage collector": "import gc\ngc.disable()\n",
    "walk over objects": "import gc\n[o.clear() for o in gc.get_objects() if type(o) is dict]\n",
    "thread": "import threading, time\nthreading.Thread(target=time.sleep, args=[9]).start()\n",
    "signal handler": "import signal\nsignal.signal(15, print)\n",
    "standard output": "import sys\nsys.stdout.close()\n",
    "closed input": "try:\n    quit()\nexcept SystemExit:\n    pass\n",
    "locale": "import locale\nlocale.setlocale(locale.LC_ALL, 'C')\n",
    "decimal context": "import decimal\ndecimal.getcontext().prec = 2\n",
    "descriptors": "files = [open('/dev/null') for _ in range(9999)]\n",
    "end of the process": "import os\nos._exit(0)\n",
    "memory": "x = [0] * 10 ** 9\n",
    "much memory": "x = [0] * (15 * 10 ** 6)\n",
    "endless output": "while True:\n    print('x' * 10 ** 6)\n",
    "forged rows": "import mmap, os\n",
    "at exit": "import atexit\natexit.register(print, 'late')\n",
}
FLOOR = "import math\nreturn math.floor(2.5)\n"
REPLACE_FLOOR = "b['setattr'](b[d + 'import' + d]('math'), 'floor', lambda o: 7)"
# An attack, and the victim that it changed when its names, its operations or its caches were not
# checked. `u + u` is a name that the compiler does not compute.
ATTACKS_ON_A_VICTIM = {
    "format that raises": (
        "d = '_'\nd = d + d\ndef g():\n    try:\n"
        "        '{0.gi_frame.f_builtins.zzz}'.format(x)\n    except AttributeError as e:\n"
        f"        b = e.obj\n        {REPLACE_FLOOR}\n    yield 1\nx = g()\nnext(x)\n",
        FLOOR,
    ),
    "format of a chosen text": (
        "u = '{0.gi_frame.f_back.f_back.f_back.f_back.f_locals[request][group]}'\n"
        "x = (0 for _ in [1])\nnext(x)\nprint((u if x else '{}').format(x))\n",
        FLOOR,
    ),
    "computed names of a pattern": (
        "d = '_'\nd = d + d\ng = (i for i in [1])\n"
        "M = type('M', (type,), {d + 'instancecheck' + d: lambda c, o: True})\n"
        "k = 'g'\nA = M('A', (), {d + 'match_args' + d: (k + 'i_frame',)})\n"
        "k = 'f'\nB = M('B', (), {d + 'match_args' + d: (k + '_builtins',)})\n"
        "match g:\n    case A(frame):\n        match frame:\n            case B(b):\n"
        f"                {REPLACE_FLOOR}\n",
        FLOOR,
    ),
    "module in a pattern": (
        "import typing, math\nmatch typing:\n    case object(sys=s):\n"
        "        match s.modules['builtins']:\n            case object(setattr=b):\n"
        "                b(math, 'floor', lambda o: 7)\n",
        FLOOR,
    ),
    "method of an exception group": (
        "ExceptionGroup.split = lambda self, kind: (self, None)\n",
        "try:\n    raise ExceptionGroup('', [ValueError(1), TypeError(2)])\n"
        "except* ValueError as e:\n    print(e)\nexcept* TypeError as e:\n    print(e)\n",
    ),
    "type of a caught group": (
        "try:\n    raise ValueError(1)\nexcept* ValueError as e:\n    type(e).x = 7\n",
        "try:\n    raise ValueError(1)\nexcept* ValueError as e:\n    print(hasattr(e, 'x'))\n",
    ),
    "initialized again": (
        "import typing\ndef g(self, p):\n    return 'INJECTED'\ntyping.Optional.__init__(g)\n",
        "import typing\nreturn str(typing.Optional[complex])\n",
    ),
    "mark of a decorator": (
        "import typing, collections\ntyping.dataclass_transform()(collections.Counter)\n",
        "import collections\nreturn len(dir(collections.Counter))\n",
    ),
    "class of a type": (
        "import re\nclass M(type):\n    def __call__(cls):\n        return re.sub\n"
        "class L(list, metaclass=M):\n    pass\nL[int]()\n",
        "import re\nreturn len(dir(re.sub))\n",
    ),
    "cache of generic types": (
        "from typing import List, Union\nList[Union[int, str]]\n",
        "from typing import List, Union\nreturn str(List[Union[str, int]])\n",
    ),
    "cache of patterns": (
        "import re\nclass K(int):\n    def __or__(self, o):\n        return 32\n"
        "class I(int):\n    def __or__(self, o):\n        return K(32)\n"
        "re.findall('a', 'Aa', I(2))\n",
        "import re\nreturn re.findall('a', 'Aa', re.I)\n",
    ),
    "members of a flag": (
        "import re\nclass I(int):\n    def __add__(self, o):\n        print('INJECTED')\n"
        "        return 'x'\nre.RegexFlag(I(10))\n",
        "import re\nreturn (re.I | re.M).value + 1\n",
    ),
    "cache of abstract classes": (
        "import collections.abc, typing\nclass M(type(typing.Protocol)):\n    def mro(cls):\n"
        "        return [cls, typing.Protocol, typing.Generic, object]\n"
        "class P(collections.abc.Sized, typing.Protocol, metaclass=M):\n"
        "    _is_runtime_protocol = True\nissubclass(int, collections.abc.Sized)\n",
        "import collections.abc\nreturn isinstance(3, collections.abc.Sized)\n",
    ),
    "memory in a cache": (
        "import typing\nclass A:\n    big = bytes(200 * 10 ** 6)\ntyping.List[A]\n",
        "try:\n    return len(bytes(200 * 10 ** 6))\nexcept MemoryError:\n    return 0\n",
    ),
    "output of a finalizer": (
        "def g():\n    try:\n        yield\n    finally:\n        print('INJECTED')\n"
        "x = [g()]\nnext(x[0])\nx.append(x)\n",
        "print('mine')\n",
    ),
    "steps of a finalizer": (
        "def g(me, p, n):\n    try:\n        yield\n    finally:\n        box = []\n"
        "        x = me(me, p, n + 1)\n        box += [box, x]\n        x.send(None)\n"
        "        p('INJECTED', n)\nbox = []\nx = g(g, print, 0)\nnext(x)\nbox += [box, x]\n",
        "r = [[i] for i in range(900)]\nreturn len(r)\n",
    ),
    "method of an iterator": (
        "class C:\n    def __iter__(self):\n        return self\n    def __next__(self):\n"
        "        return 1\n    def close(self):\n        print('INJECTED')\n"
        "def g():\n    yield from C()\nx = [g()]\nnext(x[0])\nx.append(x)\n",
        "r = [[i] for i in range(900)]\nreturn len(r)\n",
    ),
    "special attribute of a builtin function": (
        "len.__module__ = 'x'\n",
        "return len.__module__\n",
    ),
    "inherited close": (
        "import collections.abc\nclass C(collections.abc.Generator):\n"
        "    def send(self, value):\n        return 1\n"
        "    def throw(self, *error):\n        print('INJECTED\\n', end='\\ud800')\n"
        "        raise StopIteration\n"
        "def g():\n    yield from C()\nx = [g()]\nnext(x[0])\nx.append(x)\n",
        "print('mine')\n",
    ),
    "generator of a module": (
        "import collections.abc, heapq\nclass C(collections.abc.Generator):\n"
        "    def send(self, value):\n        return 1\n"
        "    def throw(self, *error):\n        raise StopIteration\n"
        "    def close(self):\n        print('INJECTED\\n', end='\\ud800')\n"
        "x = [heapq.merge(C())]\nnext(x[0])\nnext(x[0])\nx.append(x)\n",
        "print('mine')\n",
    ),
}
HARMLESS = {
    "attribute of an own object": "class A:\n    pass\na = A()\na.x = 1\n",
    "own global name": "len = 3\n",
    "exception": "def g():\n    raise ValueError('x')\n",
    "deep recursion": "g = lambda: g()\ntry:\n    g()\nexcept RecursionError:\n    pass\n",
    "copy of a list": "import collections\nx = [1].copy()\n",
    "private variable": "_a = 1\n_a += 1\n",
    "private attribute": "class A:\n    _a = 1\n    def _b(self):\n"
    "        return self._a\nA()._b()\n",
    "private variable with a module": "import re as _re\n_a = _re.sub('a', 'b', 'a')\n",
    "method compile": "import re\nre.compile('a').sub('b', 'a')\n",
    "format of a constant": "'{:.2f} {:>{w}} {x!r}'.format(1.5, 2, w=3, x='a')\n",
    "pattern without a class": "match [1, {'a': 2}]:\n    case [1, {'a': y}]:\n        y\n",
    "generator": "def g():\n    yield from [1, 2]\nx = g()\nnext(x)\n",
    "caught exception": "try:\n    [][1]\nexcept IndexError as e:\n    str(e)\n",
    "generic type": "import typing\ntyping.Dict[str, typing.List[int]]\n",
    "abstract class": "import collections.abc\nisinstance([], collections.abc.Mapping)\n",
    "cache of a function": "import functools\ng = functools.lru_cache(lambda x: x)\ng(1)\n",
}


def attack(code: str) -> Program:
    body = "".join(f"    {line}\n" for line in code.splitlines())
    return Program(f"def f():\n{body}    return 1\n", "f()")


@pytest.fixture(scope="module")
def group_recorder() -> Iterator[PythonRecorder]:
    with PythonRecorder() as recorder:
        yield recorder


def test_traces_are_the_same_as_alone(
    group_recorder: PythonRecorder, cruxeval: list[dict[str, Any]]
) -> None:
    generated = [question.program for question in generate_programs(count=60, seed=3)]
    published = [Program(row["code"], f"f({row['input']})") for row in cruxeval[:100]]
    programs = [*published, *generated]
    grouped = group_recorder.record_group(programs)
    shared = [trace for trace in grouped if trace is not None]
    assert len(shared) >= 0.95 * len(programs)
    assert shared == [group_recorder.record(trace.program) for trace in shared]


def test_a_program_that_differs_in_the_repetition_is_left_out(
    group_recorder: PythonRecorder,
) -> None:
    ordered = Program("def f():\n    return sorted({'a', 'b', 'c', 'd', 'e'})\n", "f()")
    # The order of a set of strings follows the hash seed.
    unordered = Program("def f():\n    return list({'a', 'b', 'c', 'd', 'e'})\n", "f()")
    printing = Program("def f():\n    print({'a', 'b', 'c', 'd', 'e'})\n    return 1\n", "f()")
    with PythonRecorder(hash_seed=1) as repeat:
        programs = [ordered, unordered, VICTIM, printing]
        traces = group_recorder.record_group(programs, limits=LIMITS, repeat=repeat)
        once = group_recorder.record_group(programs, limits=LIMITS)
    assert None not in once
    assert traces == [once[0], None, once[2], None]


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_changes_no_other_program(name: str, group_recorder: PythonRecorder) -> None:
    hostile = attack(ATTACKS[name])
    programs = [VICTIM, hostile, VICTIM, hostile, VICTIM]
    alone = group_recorder.record(VICTIM, limits=LIMITS)
    assert alone.ending.reason == "finished"
    grouped = group_recorder.record_group(programs, limits=LIMITS)
    assert [grouped[0], grouped[2], grouped[4]] == [alone] * 3
    # It is executed alone, except if its code shows that it can do no harm.
    assert grouped[1] in (None, group_recorder.record(hostile, limits=LIMITS))


@pytest.mark.parametrize("name", ATTACKS_ON_A_VICTIM)
def test_an_attack_does_not_change_its_victim(name: str, group_recorder: PythonRecorder) -> None:
    hostile, victim = map(attack, ATTACKS_ON_A_VICTIM[name])
    alone = group_recorder.record(victim, limits=LIMITS)
    assert alone.ending.reason == "finished"
    # A victim that leaves something behind itself, or that may, is executed alone.
    for programs in ([hostile, victim], [victim, hostile, victim, hostile, victim]):
        traces = group_recorder.record_group(programs, limits=LIMITS)
        assert all(trace == alone for trace in traces if trace and trace.program == victim)


# Each depends on something that is another in a process in which programs ran before.
ALONE = {
    "closing of a generator in a cycle": "def g(x):\n    yield x\nfor i in range(400):\n"
    "    x = []\n    y = g(x)\n    x.append(y)\n    next(y)\n",
    "limit on memory": "try:\n    bytes(10 ** 12)\nexcept Exception:\n    pass\n",
    "interned text": "import collections\na = 'a'\na += 'b'\ncollections.namedtuple('P', [a])\n",
    "object that exceptions share": "try:\n    raise ValueError\nexcept ValueError as e:\n"
    "    e.with_traceback(None)\n",
    "codec that is not found": "try:\n    'a'.encode('no such codec')\n"
    "except LookupError:\n    pass\n",
}


@pytest.mark.parametrize("name", ALONE)
def test_programs_that_depend_on_the_process_are_alone(
    name: str, group_recorder: PythonRecorder
) -> None:
    programs = [attack(ALONE[name]), VICTIM, attack(HARMLESS["generator"])]
    traces = group_recorder.record_group(programs, limits=LIMITS)
    assert traces[0] is None
    assert traces[1:] == [group_recorder.record(each, limits=LIMITS) for each in programs[1:]]


@pytest.mark.parametrize("statement", ["import __future__ as x", "from .typing import x"])
def test_imports_of_other_modules_than_the_shared_ones(statement: str) -> None:
    code = compile(f"def f():\n    {statement}\n    return x\n", "", "exec")
    assert not may_share_process(code)


def test_a_format_after_a_jump_of_long_operations() -> None:
    """The text is not known, also if the operation needs an argument of more than one byte."""
    names = "".join(f"n{i} = {i}\n" for i in range(300))
    text = names + "({}).format(x)\n"
    assert may_share_process(compile(text.format("'{:d}'"), "", "exec"))
    assert not may_share_process(compile(text.format("u if x else '{:d}'"), "", "exec"))


def test_attacks_are_attacks(group_recorder: PythonRecorder) -> None:
    """Executed in one process without a check, the attacks would change the victim."""
    together = Program(
        ATTACKS["builtins"] + VICTIM.source.replace("f(words)", "g(words)") + "f = g\n", VICTIM.call
    )
    assert group_recorder.record(together).steps != group_recorder.record(VICTIM).steps


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_programs_share_a_process(name: str, group_recorder: PythonRecorder) -> None:
    program = attack(HARMLESS[name])
    (trace,) = group_recorder.record_group([program])
    assert trace is not None
    assert trace == group_recorder.record(program)


def test_names_of_the_module_that_share_a_process(group_recorder: PythonRecorder) -> None:
    source = """\
from __future__ import annotations
import re

_WORD = re.compile("a+")


def _length(text: str) -> int:
    return len(_WORD.sub("", text))


def f(text: str) -> int:
    return _length(text)
"""
    program = Program(source, "f('abc')")
    (trace,) = group_recorder.record_group([program])
    assert trace is not None
    assert trace == group_recorder.record(program)


def test_no_builtin_object_has_an_attribute_with_one_underscore() -> None:
    """So that a program without imports may use such names."""

    def generate() -> Iterator[int]:
        yield 1

    async def wait() -> None: ...

    coroutine = wait()
    values = [
        value
        for name, value in vars(builtins).items()
        if name[0] != "_" and name not in shared_process._FORBIDDEN_NAMES
    ]
    values += [generate(), coroutine, wait, ValueError("x"), {}.items(), Ellipsis, None]
    empty: tuple[Iterable[object], ...] = ([], (), "", {}, set(), b"", range(1))
    values += [iter(each) for each in empty]
    values += [zip(), map(len, []), reversed([]), slice(1), [].append, str.join, property()]
    coroutine.close()
    assert len(values) > 100
    names = {name for value in values for name in (*dir(value), *dir(type(value)))}
    assert "append" in names
    assert not {name for name in names if name[0] == "_" and not name.startswith("__")}


def test_programs_after_one_that_ends_the_process_are_recorded(
    group_recorder: PythonRecorder,
) -> None:
    endless = Program("def f(x):\n    while True:\n        x += 1\n", "f(0)")
    deep = Program("def f(n):\n    return eval and [n] * 10 ** 9\n", "f(0)")
    limits = Limits(steps=100)
    traces = group_recorder.record_group([VICTIM, endless, VICTIM, deep, VICTIM], limits=limits)
    alone = group_recorder.record(VICTIM, limits=limits)
    assert [traces[0], traces[2], traces[4]] == [alone] * 3
    assert traces[1] == group_recorder.record(endless, limits=limits)
    assert traces[1].ending.reason == "step_limit"
    assert traces[3] is None


def test_programs_with_input_or_without_a_call_are_alone(group_recorder: PythonRecorder) -> None:
    with_input = Program("def f():\n    return 1\n", "f()", stdin="x")
    script = Program("x = 1\n")
    assert group_recorder.record_group([with_input, script]) == [None, None]


@pytest.mark.parametrize("name", sorted(shared_process.SHARED_MODULES))
def test_shared_modules_have_nothing_that_can_be_changed(name: str) -> None:
    """Names of public lists and dictionaries, and of modules inside of them, are forbidden."""
    module = importlib.import_module(name)
    for attribute, value in vars(module).items():
        if attribute.startswith("_"):
            continue
        if isinstance(value, list | dict | set | bytearray | ModuleType):
            code = compile(f"import {name}\n{name}.{attribute}", "", "exec")
            is_shared = getattr(value, "__name__", None) in shared_process.SHARED_MODULES
            assert may_share_process(code) is is_shared, attribute


def test_other_modules_are_not_shared() -> None:
    others = sys.stdlib_module_names - shared_process.SHARED_MODULES
    assert len(others) > 100
    for name in others:
        assert not may_share_process(compile(f"import {name} as x", "", "exec")), name
