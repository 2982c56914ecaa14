"""Tokenizers: those of published models, bytes, or newly trained ones."""

from worldline.models.tokenizers.tokenizer import (
    BytesTokenizer,
    Tokenizer,
    count_segment_tokens,
    load_tokenizer,
)
from worldline.models.tokenizers.tokenizer_training import train_tokenizer
from worldline.models.tokenizers.tokenizers_library import TokenizerJson, add_special_tokens

__all__ = [
    "BytesTokenizer",
    "Tokenizer",
    "TokenizerJson",
    "add_special_tokens",
    "count_segment_tokens",
    "load_tokenizer",
    "train_tokenizer",
]
