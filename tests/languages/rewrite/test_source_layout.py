"""Layout of a source text: logical lines, comments, strings, tokens and offsets."""

import ast

from worldline.core.trace import first_line, source_lines
from worldline.languages.python.rewrite.source_layout import (
    SourceLayout,
    line_segment,
    parse_layout,
)

TEXT = 'é = [1,\n     "ü" + x]  # two\ny = """a\nb"""; z = é\n'


def layout(text: str) -> SourceLayout:
    result = parse_layout(source_lines(text), ast.parse(text))
    assert result is not None
    return result


def test_logical_lines_comments_and_strings() -> None:
    result = layout(TEXT)
    assert result.text == TEXT
    assert result.logical_starts == {1: 1, 2: 1, 3: 3, 4: 3}
    assert result.logical_ends == {1: 2, 2: 2, 3: 4, 4: 4}
    assert result.comments == {2: "# two"}
    assert result.string_lines == {4}


def test_offsets_count_characters_where_trees_count_bytes() -> None:
    result = layout(TEXT)
    for node in ast.walk(ast.parse(TEXT)):
        if isinstance(node, ast.expr):
            assert result.segment(node) == ast.get_source_segment(TEXT, node)
            is_short = node.lineno == node.end_lineno
            assert line_segment(node, result.lines) == (result.segment(node) if is_short else None)


def test_tokens_between_two_offsets() -> None:
    result = layout(TEXT)
    start, stop = TEXT.index('"ü"'), TEXT.index("]")
    assert [token.text for token in result.tokens_between(start, stop)] == ['"ü"', "+", "x"]


def test_a_statement_begins_at_its_first_decorator() -> None:
    (function,) = ast.parse("@a\n@b\ndef f(): pass").body
    assert first_line(function) == 1
