"""Syntax of special tokens as Llama 3 and CWM name them: `<|frame_sep|>`."""

# A text without these two characters contains no special token.
SPECIAL_TOKEN_START = "<|"


def may_contain_special_token(text: str) -> bool:
    """Whether a text contains the start of a special token.

    "x < y" -> False; "<|frame_sep|>", "a <| b" -> True
    """
    return SPECIAL_TOKEN_START in text


def split_lookalike(text: str) -> tuple[str, str]:
    """Split a text inside the first lookalike of a special token, so that neither half has it.

    "x = '<|call_sep|>'" -> "x = '<", "|call_sep|>'"
    """
    middle = text.index(SPECIAL_TOKEN_START) + 1
    return text[:middle], text[middle:]
