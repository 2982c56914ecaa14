"""Rows of CRUXEval-X in Go: the program without its test, the call, and the expected value.

A row is a test file, whose `TestF` has one case: `{ actual: candidate(1), expected: 2 },`.
"""

import re

from worldline.languages.go.go_tokens import tokenize
from worldline.languages.source_tokens import matching_bracket, split_at

_TEST_START = re.compile(r"^func TestF\(t \*testing\.T\) \{", re.MULTILINE)
_IMPORT = re.compile(r'^[^\S\n]*(?:import )?"(\w+)"[^\S\n]*\n', re.MULTILINE)
_EMPTY_IMPORT = re.compile(r"^import \(\s*\)\n", re.MULTILINE)
# Packages that the test itself uses.
_TEST_PACKAGES = ("testing", "fmt")


def split_go_row(code: str) -> tuple[str, str, str] | None:
    """The source, the call and the expected value of a row; None if its test is another one."""
    match = _TEST_START.search(code)
    if match is None:
        return None
    source, test = code[: match.start()], code[match.start() :]
    tokens = tokenize(test)
    for index, token in enumerate(tokens):
        if token.text != "actual" or tokens[index + 1].text != ":":
            continue
        case = tokens[index : matching_bracket(tokens, index - 1)]
        parts = split_at(case, frozenset(","))
        if len(parts) < 2 or len(parts[0]) < 4 or parts[0][2].text != "candidate":
            return None
        call = test[parts[0][3].start : parts[0][-1].end]
        expected = test[parts[1][2].start : parts[1][-1].end]
        return _without_test_imports(source, call), f"f{call}", expected
    return None


def _without_test_imports(source: str, call: str) -> str:
    """The source without the packages that only the test uses: Go refuses unused ones."""

    def replace(match: re.Match[str]) -> str:
        is_used = re.search(rf"\b{match[1]}\.", source + call) is not None
        return "" if match[1] in _TEST_PACKAGES and not is_used else match[0]

    return _EMPTY_IMPORT.sub("", _IMPORT.sub(replace, source)).rstrip() + "\n"
