"""Rust as a `Language`."""

from worldline.core.language import Language
from worldline.languages.rust import rust_source, rust_values
from worldline.languages.rust.rust_recorder import RustRecorder

RUST = Language(
    name="rust",
    title="Rust",
    suffixes=(".rs",),
    highlighting="rust",
    comment="//",
    value_notation="Rust's Debug",
    source=rust_source,
    values=rust_values,
    recorder=RustRecorder,
)
