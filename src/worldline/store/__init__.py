"""Rows on disk or in a remote store: the only home of pyarrow and DuckDB."""

from worldline.store.columns import Column
from worldline.store.journal import Journal, read_journal, unfinished
from worldline.store.lists import IntLists, read_int_lists
from worldline.store.lock import Lock
from worldline.store.others import other_files
from worldline.store.parts import (
    as_stored,
    check_row,
    count_rows,
    iterate_parts,
    parquet_bytes,
    part_files,
    read_parts,
    write_part,
)
from worldline.store.place import Place, place_of
from worldline.store.query import QueryResult, Source, query
from worldline.store.traces import (
    TRACE_COLUMNS,
    TRACE_PART_ROWS,
    StoredTrace,
    iterate_trace_rows,
    read_stored_traces,
    read_traces,
    row_to_trace,
    trace_files,
    trace_to_row,
    write_trace_rows,
    write_traces,
)

__all__ = [
    "TRACE_COLUMNS",
    "TRACE_PART_ROWS",
    "Column",
    "IntLists",
    "Journal",
    "Lock",
    "Place",
    "QueryResult",
    "Source",
    "StoredTrace",
    "as_stored",
    "check_row",
    "count_rows",
    "iterate_parts",
    "iterate_trace_rows",
    "other_files",
    "parquet_bytes",
    "part_files",
    "place_of",
    "query",
    "read_int_lists",
    "read_journal",
    "read_parts",
    "read_stored_traces",
    "read_traces",
    "row_to_trace",
    "trace_files",
    "trace_to_row",
    "unfinished",
    "write_part",
    "write_trace_rows",
    "write_traces",
]
