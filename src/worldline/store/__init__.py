"""Rows on disk or in a remote store: the only home of pyarrow and DuckDB."""

from worldline.store.columns import Column
from worldline.store.compact import PART_MB, compact_store
from worldline.store.journal import Journal, read_journal, unfinished
from worldline.store.lists import IntLists, read_int_lists
from worldline.store.lock import Lock
from worldline.store.others import other_files
from worldline.store.parts import (
    PartBuilder,
    as_stored,
    check_row,
    column_names,
    count_rows,
    iterate_parts,
    parquet_bytes,
    part_files,
    part_sizes,
    read_parts,
    write_part,
)
from worldline.store.place import Place, place_of
from worldline.store.query import QueryResult, Source, query
from worldline.store.shards import (
    OUTCOME_COLUMNS,
    STORE_FILE,
    finished_shards,
    has_shard,
    is_unfinished,
    outcome_files,
    remove_parts,
    remove_shards,
    remove_unfinished,
    shard_counts,
    write_shard,
)
from worldline.store.traces import (
    TRACE_COLUMNS,
    StoredTrace,
    read_stored_traces,
    read_traces,
    row_to_trace,
    trace_files,
    trace_to_row,
    write_traces,
)

__all__ = [
    "OUTCOME_COLUMNS",
    "PART_MB",
    "STORE_FILE",
    "TRACE_COLUMNS",
    "Column",
    "IntLists",
    "Journal",
    "Lock",
    "PartBuilder",
    "Place",
    "QueryResult",
    "Source",
    "StoredTrace",
    "as_stored",
    "check_row",
    "column_names",
    "compact_store",
    "count_rows",
    "finished_shards",
    "has_shard",
    "is_unfinished",
    "iterate_parts",
    "other_files",
    "outcome_files",
    "parquet_bytes",
    "part_files",
    "part_sizes",
    "place_of",
    "query",
    "read_int_lists",
    "read_journal",
    "read_parts",
    "read_stored_traces",
    "read_traces",
    "remove_parts",
    "remove_shards",
    "remove_unfinished",
    "row_to_trace",
    "shard_counts",
    "trace_files",
    "trace_to_row",
    "unfinished",
    "write_part",
    "write_shard",
    "write_traces",
]
