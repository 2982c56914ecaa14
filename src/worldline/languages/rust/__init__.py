"""Rust: recorder, source syntax and values."""
