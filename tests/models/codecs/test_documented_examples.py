"""Examples of the formats in the documentation, byte for byte."""

import re

import pytest

from tests.support.paths import DOCS_FOLDER
from worldline.core.trace import Program
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import get_codec

DOCS = DOCS_FOLDER / "reference" / "codecs.md"
ADD = Program("def f(a, b):\n    c = a + b\n    return c\n", "f(1, 3)")
CALLS = Program(
    "def double(n):\n    return n * 2\n\n"
    "def f(n):\n    if n > 2:\n        n = double(n)\n    return n\n",
    "f(3)",
)
CHANCE = Program(
    "import random\n\ndef f():\n    total = 2\n"
    "    total += random.randint(3, 3)\n    return total\n",
    "f()",
)
WORDS = Program(
    "def f(words):\n    kept = []\n    for word in words:\n        if len(word) > 2:\n"
    "            kept.append(word)\n    return kept\n",
    "f(['apple', 'plum', 'pear', 'nut'])",
)


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("delta", ADD),
        ("delta-choices", CHANCE),
        ("numbers", ADD),
        ("edits", WORDS),
        ("sparse", WORDS),
        ("folded", WORDS),
    ],
)
def test_the_documented_example_is_exact(
    name: str, program: Program, recorder: PythonRecorder
) -> None:
    section = DOCS.read_text(encoding="utf-8").split(f"example {name} -->")[1]
    shown = re.findall(r"```\n(.*)\n```", section, re.DOTALL)[0]
    events = r"\n(<\|(?:call|line|return|exception)_sep\|>|<\|end_of_text\|>)"
    codec = get_codec(name)
    segments = codec.prompt(program) + codec.encode(recorder.record(program))
    assert "".join(segments) == re.sub(events, r"\1", shown)


@pytest.mark.parametrize("name", ["chat-trace", "chat-trace-states", "chat-trace-json"])
def test_the_documented_conversation_is_exact(name: str, recorder: PythonRecorder) -> None:
    section = DOCS.read_text(encoding="utf-8").split(f"example {name} -->")[1]
    shown = re.findall(r"```\n(.*)\n```", section, re.DOTALL)[0]
    codec = get_codec(name)
    *_, question = codec.prompt(CALLS)
    reply = "".join(codec.encode(recorder.record(CALLS)))
    assert f"{question}\n\n{reply}" == f"{shown}\n"
