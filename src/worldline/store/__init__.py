"""Rows on disk or in a remote store: the only home of pyarrow and DuckDB."""
