"""Selection of the function that replaces a call of a string method.

"split", one argument -> string_split_at
"""

from dataclasses import dataclass

from worldline.languages.python.rewrite.strings.templates.case_and_pad import CASE_AND_PAD
from worldline.languages.python.rewrite.strings.templates.replace import REPLACE
from worldline.languages.python.rewrite.strings.templates.search import SEARCH_FUNCTIONS
from worldline.languages.python.rewrite.strings.templates.split_and_join import SPLIT_AND_JOIN
from worldline.languages.python.rewrite.strings.templates.str_predicates import (
    CHARACTER_METHODS,
    CHARACTER_PREDICATES,
    PREDICATES,
)
from worldline.languages.python.rewrite.strings.templates.strip import STRIP_FUNCTIONS


@dataclass(frozen=True, slots=True)
class StringFunction:
    """A function that does one string operation.

    Attributes:
        name: its name.
        template: its text, with FALLBACK where the operation is left to Python.
        fallback: the operation as Python does it.
    """

    name: str
    template: str
    fallback: str

    def __str__(self) -> str:
        return f"{self.name}: {self.fallback}"

    @property
    def text(self) -> str:
        """Text that is inserted into a program."""
        return self.template.replace("FALLBACK", self.fallback)


def split_functions(*texts: str) -> dict[str, str]:
    """Split texts into their functions, by name."""
    functions = {}
    for text in texts:
        for piece in f"\n{text}".split("\ndef ")[1:]:
            functions[piece.split("(")[0]] = f"def {piece.rstrip()}\n"
    return functions


TEMPLATES = split_functions(
    SEARCH_FUNCTIONS,
    SPLIT_AND_JOIN,
    REPLACE,
    STRIP_FUNCTIONS,
    PREDICATES,
    CHARACTER_PREDICATES,
    CASE_AND_PAD,
)

# Method -> suffix of the function `string_<method>`, by number of arguments; "-": no function.
SUFFIX_BY_ARGUMENT_COUNT: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("find", "rfind", "index", "rindex", "count"), ("-", "", "_from", "_between")),
    **dict.fromkeys(("startswith", "endswith"), ("-", "", "-", "-")),
    **dict.fromkeys(("removeprefix", "removesuffix", "partition", "rpartition"), ("-", "")),
    **dict.fromkeys(("join", "translate", "zfill"), ("-", "")),
    **dict.fromkeys(("strip", "lstrip", "rstrip"), ("", "_of")),
    **dict.fromkeys(("split", "rsplit"), ("", "_at", "_at_most")),
    **dict.fromkeys(("ljust", "rjust", "center"), ("-", "", "_with")),
    **dict.fromkeys(("upper", "lower", "casefold", "swapcase", "title", "capitalize"), ("",)),
    **dict.fromkeys((*CHARACTER_METHODS, "isupper", "islower", "istitle"), ("",)),
    "isidentifier": ("-",),
    "replace": ("-", "-", "", "_at_most"),
    "expandtabs": ("", "_to"),
    "splitlines": ("", "-"),
}

# Keyword arguments of these methods, in positional order.
KEYWORDS = {
    "split": ("sep", "maxsplit"),
    "rsplit": ("sep", "maxsplit"),
    "expandtabs": ("tabsize",),
    "splitlines": ("keepends",),
}


def is_string_call(method: str, count: int, keywords: tuple[str, ...]) -> bool:
    """Whether a method of strings accepts this number of arguments and these keywords.

    "join", 2 -> False: os.path.join, not a string's
    """
    suffixes = SUFFIX_BY_ARGUMENT_COUNT.get(method, ())
    minimum = next((index for index, suffix in enumerate(suffixes) if suffix != "-"), 0)
    return minimum <= count + len(keywords) < len(suffixes) and set(keywords) <= set(
        KEYWORDS.get(method, ())
    )


def function_for_call(
    method: str, count: int, keywords: tuple[str, ...] = ()
) -> StringFunction | None:
    """Return the function for a call with `count` positional arguments and these keywords.

    "split", 1, ("maxsplit",) -> string_split_at_most, text.split(sep, maxsplit=maxsplit)

    Returns:
        None if there is no function for these arguments.
    """
    total = count + len(keywords)
    suffix = SUFFIX_BY_ARGUMENT_COUNT[method][total]
    if suffix == "-" or keywords != KEYWORDS.get(method, ())[count:total]:
        return None
    name = f"string_{method}{suffix}"
    parameters = TEMPLATES[name].partition("(")[2].partition(")")[0].split(", ")[1:]
    arguments = [*parameters[:count], *(f"{keyword}={keyword}" for keyword in keywords)]
    return StringFunction(name, TEMPLATES[name], f"text.{method}({', '.join(arguments)})")


def is_inserted(source: str) -> bool:
    """Whether a function's source was inserted by an earlier rewrite."""
    head, _, rest = source.partition("(")
    name = head.removeprefix("def ").rstrip("_")
    lines = source.split("\n")
    if name not in TEMPLATES or len(lines) < 3:
        return False
    fallback = lines[2].strip().removeprefix("return ")
    return f"def {name}({rest}\n" == TEMPLATES[name].replace("FALLBACK", fallback)


JOIN_ALL = StringFunction("string_join_all", TEMPLATES["string_join_all"], "text.join(parts)")
IN = StringFunction("string_in", TEMPLATES["string_in"], "part in text")
SLICE = StringFunction("string_slice", TEMPLATES["string_slice"], "text[start:stop]")
SLICE_STEP = StringFunction(
    "string_slice_step", TEMPLATES["string_slice_step"], "text[start:stop:step]"
)
REVERSED = StringFunction("string_reversed", TEMPLATES["string_reversed"], "text[::-1]")
