"""Sample columns of every type."""

from worldline.evaluation.store import Column

COLUMNS = (
    Column("sample", "text", "a name"),
    Column("step", "int", "a number"),
    Column("share", "float", "a share"),
    Column("is_truncated", "bool", "a boolean"),
    Column("at", "time", "a time"),
    Column("ids", "ints", "numbers"),
    Column("names", "texts", "names"),
    Column("facets", "text", "JSON"),
)
