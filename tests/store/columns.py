"""Columns of every kind, to store rows in."""

from worldline.store import Column

COLUMNS = (
    Column("sample", "text", "a name"),
    Column("step", "int", "a number"),
    Column("share", "float", "a share"),
    Column("is_cut", "bool", "a claim"),
    Column("at", "time", "a moment"),
    Column("ids", "ints", "numbers"),
    Column("names", "texts", "names"),
    Column("facets", "text", "JSON"),
)
