"""Batch runner: many tests of one source in one sandboxed process, without a trace."""

from worldline.languages.python.batch_runner.batch_runner import (
    DEFAULT_ITEM_SECONDS,
    Batch,
    BatchItem,
    BatchOutcome,
    ItemKind,
    ItemOutcome,
    ItemStatus,
    run_batch,
)

__all__ = [
    "DEFAULT_ITEM_SECONDS",
    "Batch",
    "BatchItem",
    "BatchOutcome",
    "ItemKind",
    "ItemOutcome",
    "ItemStatus",
    "run_batch",
]
