"""Modules and names that a harvested function may use."""

# Pure parts of the standard library: no files, clock, network, processes or random numbers.
ALLOWED_MODULES = frozenset(
    [
        "__future__",
        "abc",
        "array",
        "ast",
        "base64",
        "binascii",
        "bisect",
        "calendar",
        "cmath",
        "codecs",
        "collections",
        "collections.abc",
        "colorsys",
        "contextlib",
        "copy",
        "dataclasses",
        "datetime",
        "decimal",
        "difflib",
        "enum",
        "fnmatch",
        "fractions",
        "functools",
        "graphlib",
        "hashlib",
        "heapq",
        "html",
        "html.entities",
        "ipaddress",
        "itertools",
        "json",
        "keyword",
        "math",
        "ntpath",
        "numbers",
        "operator",
        "posixpath",
        "pprint",
        "re",
        "reprlib",
        "shlex",
        "statistics",
        "string",
        "struct",
        "textwrap",
        "token",
        "tokenize",
        "types",
        "typing",
        "unicodedata",
        "urllib.parse",
        "warnings",
        "zlib",
    ]
)
# Built-in functions that reach outside the function, or depend on where an object is in memory.
FORBIDDEN_BUILTINS = frozenset(
    [
        "__import__",
        "breakpoint",
        "compile",
        "eval",
        "exec",
        "exit",
        "globals",
        "id",
        "input",
        "locals",
        "open",
        "quit",
        "vars",
    ]
)
# Variables that every module has, with a different value in a slice.
MODULE_VARIABLES = frozenset(
    [
        "__annotations__",
        "__builtins__",
        "__cached__",
        "__doc__",
        "__file__",
        "__loader__",
        "__name__",
        "__package__",
        "__path__",
        "__spec__",
    ]
)
# Attributes whose value depends on the time, or on the removed docstrings.
FORBIDDEN_ATTRIBUTES = frozenset({"now", "today", "utcnow", "__doc__", "__module__", "__file__"})
