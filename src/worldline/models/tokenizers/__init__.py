"""Tokenizers: those of published models, bytes, or newly trained ones."""

from worldline.models.tokenizers.tokenizer import (
    BytesTokenizer,
    Tokenizer,
    count_segment_tokens,
    load_tokenizer,
)
from worldline.models.tokenizers.tokenizer_training import train_tokenizer
from worldline.models.tokenizers.tokenizers_library import TokenizerJson

__all__ = [
    "BytesTokenizer",
    "Tokenizer",
    "TokenizerJson",
    "count_segment_tokens",
    "load_tokenizer",
    "train_tokenizer",
]
