"""The examples in docs/how-to/rewrite-programs.md are what the rewrites produce."""

import re

from tests.support.paths import DOCS_FOLDER
from worldline.languages.python.rewrite import rewrite_expressions, rewrite_strings

PAGE = DOCS_FOLDER / "how-to" / "rewrite-programs.md"


def test_the_example_is_the_result_of_the_rewrite() -> None:
    text = PAGE.read_text(encoding="utf-8")
    source = text.split("<<'EOF'\n")[1].split("EOF")[0]
    example = re.search(r"<!-- example -->\n```\n(.*?)```", text, re.DOTALL)
    assert example is not None
    assert rewrite_expressions(source).text == example[1]


def test_the_function_shown_is_the_inserted_one() -> None:
    text = PAGE.read_text(encoding="utf-8")
    function = re.search(r"```\n(def string_lower.*?)```", text, re.DOTALL)
    assert function is not None
    result = rewrite_strings("def f(x):\n    return x.lower()\n").text
    assert result.startswith(function[1])
