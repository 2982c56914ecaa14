"""The examples of the documentation are what the formats write, byte for byte."""

import re
from pathlib import Path

import pytest

from worldline.codecs import codec_named
from worldline.recorders import PythonRecorder
from worldline.trace import Program

DOCS = Path(__file__).parent.parent.parent / "docs" / "formats.md"
ADD = Program("def f(a, b):\n    c = a + b\n    return c\n", "f(1, 3)")
WORDS = Program(
    "def f(words):\n    kept = []\n    for word in words:\n        if len(word) > 2:\n"
    "            kept.append(word)\n    return kept\n",
    "f(['apple', 'plum', 'pear', 'nut'])",
)


@pytest.mark.parametrize(
    ("name", "program"),
    [("delta", ADD), ("numbers", ADD), ("edits", WORDS), ("sparse", WORDS), ("folded", WORDS)],
)
def test_the_documented_example_byte_for_byte(
    name: str, program: Program, recorder: PythonRecorder
) -> None:
    section = DOCS.read_text(encoding="utf-8").split(f"example {name} -->")[1]
    shown = re.findall(r"```\n(.*)\n```", section, re.DOTALL)[0]
    events = r"\n(<\|(?:call|line|return|exception)_sep\|>|<\|end_of_text\|>)"
    codec = codec_named(name)
    pieces = codec.prompt(program) + codec.encode(recorder.record(program))
    assert "".join(pieces) == re.sub(events, r"\1", shown)
