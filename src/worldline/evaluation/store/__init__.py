"""Stores of rows and traces in Parquet files, on disk or remote.

The only package that uses pyarrow and DuckDB.
"""

from worldline.evaluation.store.columns import Column
from worldline.evaluation.store.compaction import PART_MB, compact_store
from worldline.evaluation.store.int_columns import IntLists, read_int_lists
from worldline.evaluation.store.journal import Journal, read_journal
from worldline.evaluation.store.location import (
    StoreLocation,
    find_foreign_files,
    join_address,
    open_location,
)
from worldline.evaluation.store.lock import Lock
from worldline.evaluation.store.parquet_parts import (
    PartBuilder,
    check_row,
    column_names,
    count_rows,
    escape_surrogates,
    iterate_parts,
    parquet_bytes,
    part_files,
    part_sizes,
    read_parts,
    rows_to_arrow,
    write_part,
)
from worldline.evaluation.store.part_columns import (
    Columns,
    PartRows,
    TextBlock,
    lower_text,
    make_text_block,
    read_part_columns,
    read_text_blocks,
)
from worldline.evaluation.store.sql_query import (
    LegacyNames,
    QueryResult,
    QuerySource,
    query,
    query_trace_stores,
)
from worldline.evaluation.store.trace_rows import (
    TRACE_COLUMNS,
    StoredTrace,
    read_stored_traces,
    read_traces,
    row_to_trace,
    trace_files,
    trace_to_row,
    write_traces,
)
from worldline.evaluation.store.trace_shards import (
    OUTCOME_COLUMNS,
    STORE_FILE,
    finished_shards,
    has_shard,
    is_unfinished,
    outcome_files,
    read_outcomes,
    remove_abandoned_files,
    remove_orphaned_parts,
    remove_shards,
    shard_counts,
    write_shard,
)

__all__ = [
    "OUTCOME_COLUMNS",
    "PART_MB",
    "STORE_FILE",
    "TRACE_COLUMNS",
    "Column",
    "Columns",
    "IntLists",
    "Journal",
    "LegacyNames",
    "Lock",
    "PartBuilder",
    "PartRows",
    "QueryResult",
    "QuerySource",
    "StoreLocation",
    "StoredTrace",
    "TextBlock",
    "check_row",
    "column_names",
    "compact_store",
    "count_rows",
    "escape_surrogates",
    "find_foreign_files",
    "finished_shards",
    "has_shard",
    "is_unfinished",
    "iterate_parts",
    "join_address",
    "lower_text",
    "make_text_block",
    "open_location",
    "outcome_files",
    "parquet_bytes",
    "part_files",
    "part_sizes",
    "query",
    "query_trace_stores",
    "read_int_lists",
    "read_journal",
    "read_outcomes",
    "read_part_columns",
    "read_parts",
    "read_stored_traces",
    "read_text_blocks",
    "read_traces",
    "remove_abandoned_files",
    "remove_orphaned_parts",
    "remove_shards",
    "row_to_trace",
    "rows_to_arrow",
    "shard_counts",
    "trace_files",
    "trace_to_row",
    "write_part",
    "write_shard",
    "write_traces",
]
