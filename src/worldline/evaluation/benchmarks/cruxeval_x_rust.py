"""Rows of CRUXEval-X in Rust: the function, its call and the value that its test expects."""

from worldline.languages.rust.rust_tokens import tokenize
from worldline.languages.source_tokens import matching_bracket, split_at

_TEST_START = "fn main() {\n    let candidate = f;"


def split_rust_row(code: str) -> tuple[str, str, str] | None:
    """The source, the call and the expected value of a row; None if its test is another one.

    `assert_eq!(candidate(1), 2)` -> "f(1)" and "2"
    """
    source, start, test = code.partition(_TEST_START)
    tokens = tokenize(test)
    for index, token in enumerate(tokens[:-2]):
        if start and token.text == "assert_eq":
            inside = tokens[index + 3 : matching_bracket(tokens, index + 2)]
            sides = split_at(inside, frozenset(","))
            if len(sides) >= 2 and sides[1] and sides[0] and sides[0][0].text == "candidate":
                call = test[sides[0][1].start : sides[0][-1].end]
                return (
                    source.rstrip() + "\n",
                    f"f{call}",
                    test[sides[1][0].start : sides[1][-1].end],
                )
    return None
