"""Rows of CRUXEval-X in C++: the function, its call and the value that its test expects."""

from worldline.languages.cpp.cpp_tokens import tokenize
from worldline.languages.source_tokens import matching_bracket, split_at

_TEST_START = "int main() {\n    auto candidate = f;"


def split_cpp_row(code: str) -> tuple[str, str, str] | None:
    """The source, the call and the expected value of a row; None if its test is another one.

    `assert(candidate((1)) == (2))` -> "f((1))" and "(2)"
    """
    source, start, test = code.partition(_TEST_START)
    tokens = tokenize(test)
    for index, token in enumerate(tokens[:-1]):
        if start and token.text == "assert":
            inside = tokens[index + 2 : matching_bracket(tokens, index + 1)]
            sides = split_at(inside, frozenset(["=="]))
            if len(sides) == 2 and all(sides) and sides[0][0].text == "candidate":
                call = test[sides[0][1].start : sides[0][-1].end]
                expected = test[sides[1][0].start : sides[1][-1].end]
                return source.rstrip() + "\n", f"f{call}", expected
    return None
