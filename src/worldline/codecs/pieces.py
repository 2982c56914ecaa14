"""Text for a model, as pieces: ordinary text, and tokens that are not to be spelled."""


class Special(str):
    """The name of a special token: one token of the vocabulary, whatever its letters."""

    __slots__ = ()


# Joined, the pieces are the text; apart, they say which parts are special tokens.
Pieces = tuple[str, ...]
