"""Lark grammars in llama.cpp's notation. tests/live gives them to llama.cpp itself."""

import re

import pytest

from worldline.core.errors import EngineError
from worldline.models.codecs import STEP_CODECS
from worldline.models.engines.gbnf import lark_to_gbnf


@pytest.mark.parametrize(
    ("grammar", "expected"),
    [
        ('start: "no" /[3-5]/ "way"', 'root ::= "no" ([3-5]) "way"\n'),
        ('start: (pair)? NAME*\npair: "\\n"\nNAME: /a|b/',
         'root ::= ( rule-pair ) ? terminal-name *\nrule-pair ::= "\\x0A"\n'
         'terminal-name ::= ("a" | "b")\n'),
        ("start: <|line_sep|> <[17]>", "root ::= <|line_sep|> <[17]>\n"),
        (r"start: /[^\"\\\x00-\x1f]+\.?\d{2}/",
         'root ::= ([^\\x22\\x5C\\x00-\\x1F]+ "\\x2E"? [0-9]{2,2})\n'),
        ("start: /é{0,3}x{2,}/", 'root ::= ("\\xE9"{0,3} "x"{2,})\n'),
    ],
)  # fmt: skip
def test_conversion(grammar: str, expected: str) -> None:
    assert lark_to_gbnf(grammar) == expected


@pytest.mark.parametrize(
    "grammar",
    ["start", 'start: "a" ~ 3', "start: /a(?=b)/", "start: /(a/", "start: /[a/", "start: /^a/",
     "start: /a{5,900}/"],
)  # fmt: skip
def test_what_is_not_understood_is_an_error(grammar: str) -> None:
    with pytest.raises(EngineError, match="grammar"):
        lark_to_gbnf(grammar)


def test_a_long_repetition_is_split_and_keeps_its_limits() -> None:
    """llama.cpp refuses 2,000 repetitions of a group at once."""
    grammar = lark_to_gbnf("start: /a{0,2013}/")
    blocks = re.search(
        r"many-0 ::= block-0\{0,(\d+)\} once-0\{0,(\d+)\} \| block-0\{(\d+)\} once-0\{0,(\d+)\}",
        grammar,
    )
    assert blocks is not None
    most, tail, full, rest = map(int, blocks.groups())
    size = int(re.search(r"block-0 ::= once-0\{(\d+)\}", grammar)[1])  # type: ignore[index]
    assert tail == size - 1
    lengths = [block * size + more for block in range(most + 1) for more in range(tail + 1)]
    lengths += [full * size + more for more in range(rest + 1)]
    # Every length has one reading.
    assert sorted(lengths) == list(range(2014))


@pytest.mark.parametrize("name", sorted(STEP_CODECS))
def test_the_state_grammars_of_all_codecs_are_converted(name: str) -> None:
    for event in ("call", "line", "return", "exception"):
        grammar = lark_to_gbnf(STEP_CODECS[name].state_grammar(event, max_value_chars=2000))
        names = set(re.findall(r"^([\w-]+) ::=", grammar, re.MULTILINE))
        used = set(re.findall(r"\b(?:rule|terminal|once|block|many)-[\w-]+", grammar))
        assert "root" in names
        assert used <= names


def test_word_characters_are_word_characters() -> None:
    ranges = re.findall(r"\\u(\w{4})-\\u(\w{4})", lark_to_gbnf(r"start: /\w/"))
    assert len(ranges) > 5
    for first, last in ranges:
        for code in range(int(first, 16), int(last, 16) + 1):
            assert re.fullmatch(r"\w", chr(code)), hex(code)
