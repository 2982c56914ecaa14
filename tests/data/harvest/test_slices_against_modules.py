"""Slices of real modules behave as the functions of the modules."""

import importlib
import inspect
import warnings
from collections.abc import Iterator
from functools import partial
from types import ModuleType
from typing import Any

from worldline.data.harvest import FunctionSlice, index_module, slice_functions
from worldline.data.harvest.constant_inputs import constant_inputs
from worldline.data.harvest.function_slice import GENERATOR

MODULES = """
    base64 bisect calendar colorsys copy dataclasses difflib email.quoprimime email.utils
    fractions functools genericpath heapq html html.parser http.cookies inspect ipaddress
    keyword locale mimetypes ntpath operator optparse pickletools plistlib posixpath pprint
    quopri re._parser reprlib shlex sre_parse statistics string textwrap token tokenize
    traceback typing urllib.parse wave xml.sax.saxutils packaging.tags packaging.utils
    packaging.version packaging.markers packaging.metadata packaging.specifiers
    packaging._ranges rich._ratio rich._wrap rich.cells rich.filesize rich.markup rich.color
    rich._loop rich.palette click.formatting click.parser click.utils
"""
CALLS = 6


def outcome(call: str, namespace: dict[str, Any]) -> str:
    """What a call returns or raises; Python's messages name the module of a function."""
    try:
        return repr(eval(call, namespace))
    except Exception as error:  # noqa: BLE001
        text = str(error).replace(f"{namespace.get('__name__')}.", "")
        return f"raises {type(error).__name__}: {text}"


def original(module: ModuleType, part: FunctionSlice) -> Any:
    """What a slice was made of; a method is called without an object or a class."""
    if not part.class_name:
        return getattr(module, part.name)
    owner: Any = module
    for name in part.class_name.split("."):
        owner = getattr(owner, name)
    method = vars(owner)[part.name]
    is_static = isinstance(method, staticmethod)
    function = getattr(method, "__func__", method)
    return function if is_static else partial(function, None)


def differences(module: ModuleType) -> Iterator[tuple[str, list[str]]]:
    """The calls of each function of a module for which its slice behaves differently."""
    index = index_module(inspect.getsource(module))
    assert index is not None
    for each in slice_functions(index):
        if each.reason:
            continue
        namespace: dict[str, Any] = {}
        exec(each.text, namespace)
        calls = constant_inputs(each.text, each.name, count=CALLS)
        if each.kind == GENERATOR:
            calls = [f"list({call})" for call in calls]
        actual = {**vars(module), each.name: original(module, each)}
        yield (
            f"{module.__name__}.{each.class_name}.{each.name}",
            [
                call
                for call in calls
                if " at 0x" not in (expected := outcome(call, actual))
                and outcome(call, namespace) != expected
            ],
        )


def test_slices_behave_as_the_functions_of_their_modules() -> None:
    results: dict[str, list[str]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in MODULES.split():
            try:
                module = importlib.import_module(name)
            except ImportError:
                continue
            results.update(differences(module))
    assert len(results) >= 200
    assert {name: calls for name, calls in results.items() if calls} == {}


def test_a_slice_that_behaves_differently_is_found() -> None:
    module = ModuleType("changed")
    text = "LIMIT = 3\ndef f(x: int):\n    return x > LIMIT\n"
    exec(text.replace("3", "1000"), vars(module))
    index = index_module(text)
    assert index is not None
    (slice_,) = slice_functions(index)
    namespace: dict[str, Any] = {}
    exec(slice_.text, namespace)
    assert outcome("f(5)", namespace) != outcome("f(5)", vars(module))
