"""Text for a model goes in, token counts come out: real vocabularies, plain bytes, or new ones."""

from worldline.tokens.making import make_tokenizer
from worldline.tokens.special import SpecialTokens
from worldline.tokens.tokenizer import BytesTokenizer, Tokenizer, count_pieces, load_tokenizer

__all__ = [
    "BytesTokenizer",
    "SpecialTokens",
    "Tokenizer",
    "count_pieces",
    "load_tokenizer",
    "make_tokenizer",
]
