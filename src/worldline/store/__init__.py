"""Rows on disk or in a remote store: the only home of pyarrow and DuckDB."""

from worldline.store.columns import Column
from worldline.store.journal import Journal, read_journal, unfinished
from worldline.store.lists import IntLists, read_int_lists
from worldline.store.lock import Lock
from worldline.store.parts import as_stored, check_row, part_files, read_parts, write_part
from worldline.store.place import Place, place_of
from worldline.store.query import QueryResult, Source, query

__all__ = [
    "Column",
    "IntLists",
    "Journal",
    "Lock",
    "Place",
    "QueryResult",
    "Source",
    "as_stored",
    "check_row",
    "part_files",
    "place_of",
    "query",
    "read_int_lists",
    "read_journal",
    "read_parts",
    "unfinished",
    "write_part",
]
