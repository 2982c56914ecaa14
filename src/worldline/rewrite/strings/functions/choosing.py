"""Which function does which operation: a method and how it is called go in, a function comes out.

"split", one argument -> string_split_at
"""

from dataclasses import dataclass

from worldline.rewrite.strings.functions.asking import ASKING, ASKING_EACH, EACH
from worldline.rewrite.strings.functions.replacing import REPLACING
from worldline.rewrite.strings.functions.searching import SEARCHING
from worldline.rewrite.strings.functions.shaping import SHAPING
from worldline.rewrite.strings.functions.splitting import SPLITTING
from worldline.rewrite.strings.functions.stripping import STRIPPING


@dataclass(frozen=True, slots=True)
class Function:
    """A function that does one operation: its name, its text, and the operation as Python has it.

    The text says FALLBACK where the operation is left to Python.
    """

    name: str
    template: str
    fallback: str

    def __str__(self) -> str:
        return f"{self.name}: {self.fallback}"

    @property
    def text(self) -> str:
        """What is put into a program."""
        return self.template.replace("FALLBACK", self.fallback)


def parted(*texts: str) -> dict[str, str]:
    """The functions of some texts, by name."""
    found = {}
    for text in texts:
        for piece in f"\n{text}".split("\ndef ")[1:]:
            found[piece.split("(")[0]] = f"def {piece.rstrip()}\n"
    return found


TEMPLATES = parted(SEARCHING, SPLITTING, REPLACING, STRIPPING, ASKING, ASKING_EACH, SHAPING)

# What follows `string_` and a method's name, by the number of arguments; "-": there is no function.
BY_ARGUMENTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("find", "rfind", "index", "rindex", "count"), ("-", "", "_from", "_between")),
    **dict.fromkeys(("startswith", "endswith"), ("-", "", "-", "-")),
    **dict.fromkeys(("removeprefix", "removesuffix", "partition", "rpartition"), ("-", "")),
    **dict.fromkeys(("join", "translate", "zfill"), ("-", "")),
    **dict.fromkeys(("strip", "lstrip", "rstrip"), ("", "_of")),
    **dict.fromkeys(("split", "rsplit"), ("", "_at", "_at_most")),
    **dict.fromkeys(("ljust", "rjust", "center"), ("-", "", "_with")),
    **dict.fromkeys(("upper", "lower", "casefold", "swapcase", "title", "capitalize"), ("",)),
    **dict.fromkeys((*EACH, "isupper", "islower", "istitle"), ("",)),
    "isidentifier": ("-",),
    "replace": ("-", "-", "", "_at_most"),
    "expandtabs": ("", "_to"),
    "splitlines": ("", "-"),
}

# Keywords that these methods take, in the order of their arguments.
KEYWORDS = {
    "split": ("sep", "maxsplit"),
    "rsplit": ("sep", "maxsplit"),
    "expandtabs": ("tabsize",),
    "splitlines": ("keepends",),
}


def is_call(method: str, count: int, keywords: tuple[str, ...]) -> bool:
    """Whether strings can be asked this: their method takes so many arguments, and such keywords.

    "join", 2 -> False: os.path.join, not a string's
    """
    shapes = BY_ARGUMENTS.get(method, ())
    needed = next((at for at, suffix in enumerate(shapes) if suffix != "-"), 0)
    return needed <= count + len(keywords) < len(shapes) and set(keywords) <= set(
        KEYWORDS.get(method, ())
    )


def method_function(method: str, count: int, keywords: tuple[str, ...] = ()) -> Function | None:
    """The function for a method called with `count` arguments and then keywords; none: there is no
    loop for that.

    "split", 1, ("maxsplit",) -> string_split_at_most, text.split(sep, maxsplit=maxsplit)
    """
    total = count + len(keywords)
    suffix = BY_ARGUMENTS[method][total]
    if suffix == "-" or keywords != KEYWORDS.get(method, ())[count:total]:
        return None
    name = f"string_{method}{suffix}"
    parameters = TEMPLATES[name].partition("(")[2].partition(")")[0].split(", ")[1:]
    given = [*parameters[:count], *(f"{keyword}={keyword}" for keyword in keywords)]
    return Function(name, TEMPLATES[name], f"text.{method}({', '.join(given)})")


def is_added(source: str) -> bool:
    """Whether a function's source is one that was put into the program by an earlier rewrite."""
    head, _, rest = source.partition("(")
    name = head.removeprefix("def ").rstrip("_")
    lines = source.split("\n")
    if name not in TEMPLATES or len(lines) < 3:
        return False
    fallback = lines[2].strip().removeprefix("return ")
    return f"def {name}({rest}\n" == TEMPLATES[name].replace("FALLBACK", fallback)


JOIN_ALL = Function("string_join_all", TEMPLATES["string_join_all"], "text.join(parts)")
IN = Function("string_in", TEMPLATES["string_in"], "part in text")
SLICE = Function("string_slice", TEMPLATES["string_slice"], "text[start:stop]")
SLICE_STEP = Function("string_slice_step", TEMPLATES["string_slice_step"], "text[start:stop:step]")
REVERSED = Function("string_reversed", TEMPLATES["string_reversed"], "text[::-1]")
