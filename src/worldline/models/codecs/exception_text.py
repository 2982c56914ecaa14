"""Short text of a raised exception.

The recorded value `(<class 'ValueError'>, ValueError('x'), <traceback object>)` is written as
`ValueError('x')` where the recorded one can be restored from it exactly.
"""

import ast
import re
from collections.abc import Iterable
from functools import lru_cache

from worldline.core.trace import Program, parse_source
from worldline.models.codecs.item_text import is_plain
from worldline.models.codecs.rows import EXACT, Item

_RECORDED = re.compile(r"\(<class '[\w.]+'>, (.*), <traceback object>\)\Z", re.DOTALL)
_CLASS = re.compile(r"([A-Za-z_]\w*)(?:\((?s:.*)\)|: (?P<message>.*)|)\Z")
# Module in which the recorder executes a program.
_MODULE = "program"


def shorten_raised(items: Iterable[Item], program: Program) -> tuple[Item, ...]:
    """Items in which raised values are short where `restore_raised` gives the same items back."""
    if not program.is_python:
        return tuple(items)
    source = program.text
    return tuple(_shorten(item, source) if item.kind == "raise" else item for item in items)


def restore_raised(items: Iterable[Item], program: Program) -> tuple[Item, ...]:
    """Items in which raised values are the recorded ones."""
    if not program.is_python:
        return tuple(items)
    source = program.text
    return tuple(
        Item("raise", value=_restore(item.value, source) if item.name != EXACT else item.value)
        if item.kind == "raise"
        else item
        for item in items
    )


def _shorten(item: Item, source: str) -> Item:
    match = _RECORDED.match(item.value)
    for short in (match[1] if match else None, item.value):
        if short is not None and is_plain(short) and _restore(short, source) == item.value:
            return Item("raise", value=short)
    return Item("raise", EXACT, item.value)


def _restore(text: str, source: str) -> str:
    """The recorded value of an exception: "ValueError('x')" -> "(<class 'ValueError'>, …)".

    "ValueError: x" and "ValueError" are restored as well; other text is not changed.
    """
    match = _CLASS.match(text)
    if match is None:
        return text
    name = match[1]
    message = match["message"]
    if message is not None:
        # The message of a KeyError is the repr of its key.
        text = f"{name}({message if name == 'KeyError' else repr(message)})"
    elif text == name:
        text = f"{name}()"
    module = f"{_MODULE}." if name in _class_names(source) else ""
    return f"(<class '{module}{name}'>, {text}, <traceback object>)"


@lru_cache(maxsize=64)
def _class_names(source: str) -> frozenset[str]:
    """Names of the classes that a program defines at its top level."""
    tree = parse_source(source)
    body = tree.body if tree is not None else []
    return frozenset(node.name for node in body if isinstance(node, ast.ClassDef))
