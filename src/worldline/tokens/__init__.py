"""Text for a model goes in, token counts come out: real vocabularies, or plain bytes."""

from worldline.tokens.tokenizer import BytesTokenizer, Tokenizer, count_pieces, load_tokenizer

__all__ = ["BytesTokenizer", "Tokenizer", "count_pieces", "load_tokenizer"]
