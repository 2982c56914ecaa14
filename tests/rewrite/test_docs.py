"""The example of docs/rewriting.md is what the rewrite writes."""

import re
from pathlib import Path

from worldline.rewrite import rewrite_expressions, rewrite_strings

PAGE = Path(__file__).parent.parent.parent / "docs" / "rewriting.md"


def test_the_example_is_what_is_written() -> None:
    text = PAGE.read_text(encoding="utf-8")
    source = text.split("$ cat names.py\n")[1].split("\n$ ")[0]
    example = re.search(r"<!-- example -->\n```\n(.*?)```", text, re.DOTALL)
    assert example is not None
    assert rewrite_expressions(source).text == example[1]


def test_the_function_shown_is_the_one_put_in() -> None:
    text = PAGE.read_text(encoding="utf-8")
    function = re.search(r"```\n(def string_lower.*?)```", text, re.DOTALL)
    assert function is not None
    found = rewrite_strings("def f(x):\n    return x.lower()\n").text
    assert found.startswith(function[1])
