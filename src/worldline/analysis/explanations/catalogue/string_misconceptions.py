"""Misconceptions about strings."""

import ast
from collections.abc import Iterator

from worldline.analysis.explanations.misconception import (
    Change,
    Example,
    Misconception,
    Source,
    any_of,
    call_becomes,
    method_renames,
)

_CASES = ("upper", "lower", "title", "capitalize", "swapcase")
_PREDICATES = ("isalpha", "isdigit", "isalnum", "isupper", "islower", "isspace", "isnumeric")
_COMPARED = ".find .rfind .count .index .rindex .startswith .endswith"


def _case_ignored(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if isinstance(
            operator, ast.Eq | ast.NotEq | ast.In | ast.NotIn
        ):
            symbol = {ast.Eq: "==", ast.NotEq: "!=", ast.In: "in", ast.NotIn: "not in"}[
                type(operator)
            ]
            sides = [f"_misread_folded({source.segment(side)})" for side in (left, right)]
            clause = f"`{symbol}` ignored upper and lower case"
            yield Change(node, f" {symbol} ".join(sides), symbol, clause)


def _string_mutated(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method))) if (
            hasattr(str, method) and not any(hasattr(kind, method) for kind in (list, dict, set))
        ):
            text = f"{name} = {source.segment(node)}"
            yield Change(node, text, f".{method}", f"`.{method}` changed the string itself")


STRING_MISCONCEPTIONS = (
    Misconception(
        "partition_side",
        "A string is divided at the other end: partition for rpartition.",
        method_renames({"rpartition": ("partition",), "partition": ("rpartition",)}),
        Example("s='a-b-c'", "return s.rpartition('-')", "('a', '-', 'b-c')"),
        Example("s='a-b-c'", "return s.rpartition('-')", "('a', '-', 'b')"),
    ),
    Misconception(
        "search_side",
        "The first match is taken for the last, or the last for the first.",
        any_of(
            method_renames({"rfind": ("find",), "find": ("rfind",), "rindex": ("index",)}),
            method_renames({"rsplit": ("split",), "split": ("rsplit",)}, arity=2),
            call_becomes(".index", 1, "_misread_last_index({s}, {0})", "{name} found the last"),
        ),
        Example("s='banana'", "return s.rfind('an')", "1"),
        Example("s='banana'", "return s.rfind('an')", "2"),
    ),
    Misconception(
        "strip_side",
        "A string is stripped at the other end, or at both.",
        method_renames(
            {
                "strip": ("lstrip", "rstrip"),
                "lstrip": ("rstrip", "strip"),
                "rstrip": ("lstrip", "strip"),
            }
        ),
        Example("s='..a..'", "return s.lstrip('.')", "'..a'"),
        Example("s='..a..'", "return s.lstrip('.')", "'.a..'"),
    ),
    Misconception(
        "strip_as_affix",
        "The argument of strip is one prefix or suffix, not a set of characters.",
        any_of(
            call_becomes(
                ".strip",
                1,
                "{s}.removeprefix({0}).removesuffix({0})",
                "{name} removed its argument as a prefix and a suffix",
            ),
            call_becomes(
                ".lstrip", 1, "{s}.removeprefix({0})", "{name} removed its argument as a prefix"
            ),
            call_becomes(
                ".rstrip", 1, "{s}.removesuffix({0})", "{name} removed its argument as a suffix"
            ),
        ),
        Example("s='cos cat'", "return s.lstrip('cos ')", "'cat'"),
        Example("s='cos cat'", "return s.lstrip('cos ')", "'t'"),
    ),
    Misconception(
        "strip_one",
        "Stripping removes one character at each end, not all.",
        any_of(
            *(
                call_becomes(
                    f".{side}strip",
                    arity,
                    f"_misread_strip_one({{s}}, {argument}, '{side or 'lr'}')",
                    "{name} removed one character only",
                )
                for side in ("", "l", "r")
                for arity, argument in ((0, "None"), (1, "{0}"))
            )
        ),
        Example("s='aab'", "return s.lstrip('a')", "'ab'"),
        Example("s='aab'", "return s.lstrip('a')", "'aab'"),
    ),
    Misconception(
        "affix_as_characters",
        "A prefix or suffix is removed as a set of characters.",
        method_renames({"removeprefix": ("lstrip",), "removesuffix": ("rstrip",)}),
        Example("s='aab'", "return s.removeprefix('a')", "'b'"),
        Example("s='aab'", "return s.removeprefix('a')", "'aab'"),
    ),
    Misconception(
        "replace_first_only",
        "Only the first matches are replaced, not all.",
        any_of(
            call_becomes(
                ".replace", 2, "{s}.replace({0}, {1}, 1)", "{name} replaced only the first match"
            ),
            call_becomes(
                ".replace", 2, "{s}.replace({0}, {1}, 2)", "{name} replaced only two matches"
            ),
        ),
        Example("s='a.b.c'", "return s.replace('.', '-')", "'a-b.c'"),
        Example("s='a.b.c'", "return s.replace('.', '-')", "'a.b-c'"),
    ),
    Misconception(
        "replace_count_ignored",
        "All matches are replaced, although a number is given.",
        call_becomes(".replace", 3, "{s}.replace({0}, {1})", "{name} replaced all matches"),
        Example("s='a.b.c'", "return s.replace('.', '-', 1)", "'a-b-c'"),
        Example("s='a.b.c'", "return s.replace('.', '-', 1)", "'a.b-c'"),
    ),
    Misconception(
        "padding_side",
        "A string is padded at the other side.",
        any_of(
            method_renames(
                {
                    "ljust": ("rjust", "center"),
                    "rjust": ("ljust", "center"),
                    "center": ("ljust", "rjust"),
                }
            ),
            call_becomes(".zfill", 1, "{s}.ljust({0}, '0')", "{name} filled the right side"),
        ),
        Example("s='ab'", "return s.center(4, '*')", "'**ab'"),
        Example("s='ab'", "return s.center(4, '*')", "'*ab**'"),
    ),
    Misconception(
        "padding_as_count",
        "The width is the number of characters that are added.",
        any_of(
            call_becomes(
                ".ljust .rjust .center .zfill",
                1,
                "{s}.{name}(len({s}) + {0})",
                "{name} added as many characters as its width",
            ),
            call_becomes(
                ".ljust .rjust .center",
                2,
                "{s}.{name}(len({s}) + {0}, {1})",
                "{name} added as many characters as its width",
            ),
        ),
        Example("s='ab'", "return s.ljust(3, '*')", "'ab***'"),
        Example("s='ab'", "return s.ljust(3, '*')", "'ab**'"),
    ),
    Misconception(
        "case_method",
        "One method for upper and lower case is taken for another.",
        any_of(
            method_renames({c: tuple(o for o in _CASES if o != c) for c in _CASES}),
            call_becomes(
                ".capitalize",
                0,
                "{s}[:1].upper() + {s}[1:]",
                "{name} left all letters but the first as they are",
            ),
        ),
        Example("s='aB cD'", "return s.title()", "'Ab cd'"),
        Example("s='aB cD'", "return s.title()", "'AB Cd'"),
    ),
    Misconception(
        "case_ignored",
        "Upper and lower case are the same.",
        any_of(
            _case_ignored,
            call_becomes(
                _COMPARED,
                1,
                "_misread_folded({s}).{name}(_misread_folded({0}))",
                "{name} ignored upper and lower case",
            ),
        ),
        Example("s='aXbx'", "return s.count('x')", "2"),
        Example("s='aXbx'", "return s.count('x')", "3"),
    ),
    Misconception(
        "predicate_for_any",
        "A test of all characters is taken for a test of any.",
        call_becomes(
            " ".join(f".{name}" for name in _PREDICATES),
            0,
            "any(map(str.{name}, {s}))",
            "{name} were true for any such character",
        ),
        Example("s='a1'", "return [s.isdigit()]", "[True]"),
        Example("s='ab'", "return [s.isdigit()]", "[True]"),
    ),
    Misconception(
        "predicate_for_each",
        "A test that ignores some characters is taken for a test of each character.",
        call_becomes(
            ".isupper .islower .istitle",
            0,
            "all(map(str.{name}, {s}))",
            "{name} needed every character to be such a letter",
        ),
        Example("s='A1'", "return [s.isupper()]", "[False]"),
        Example("s='AB'", "return [s.isupper()]", "[False]"),
    ),
    Misconception(
        "predicate_other",
        "One test of characters is taken for another.",
        method_renames(
            {
                "isalpha": ("isalnum", "isidentifier", "islower"),
                "isalnum": ("isalpha", "isdigit"),
                "isdigit": ("isalnum",),
                "isnumeric": ("isalnum",),
                "isupper": ("istitle", "isalpha"),
                "islower": ("isalpha",),
                "istitle": ("isupper",),
            }
        ),
        Example("s='a1'", "return [s.isalpha()]", "[True]"),
        Example("s='a-'", "return [s.isupper()]", "[True]"),
    ),
    Misconception(
        "predicate_of_empty",
        "A test of characters is true for an empty string.",
        call_becomes(
            " ".join(f".{name}" for name in _PREDICATES),
            0,
            "({s} == '' or {s}.{name}())",
            "{name} were true for an empty string",
        ),
        Example("s=''", "return [s.isalpha()]", "[True]"),
        Example("s='1'", "return [s.isalpha()]", "[True]"),
    ),
    Misconception(
        "split_at_blanks",
        "Splitting at white space is taken for splitting at each blank, or the reverse.",
        any_of(
            call_becomes(".split", 0, "{s}.split(' ')", "{name} split at every blank"),
            call_becomes(".split .rsplit", 1, "{s}.split()", "{name} split at white space"),
            call_becomes(".splitlines", 0, "{s}.split('\\n')", "{name} split at every line end"),
            call_becomes(".splitlines", 0, "{s}.splitlines(True)", "{name} kept the line ends"),
        ),
        Example("s='a  b'", "return s.split()", "['a', '', 'b']"),
        Example("s='a  b'", "return s.split()", "['a', ' ', 'b']"),
    ),
    Misconception(
        "split_drops_empty",
        "Splitting leaves out empty parts.",
        call_becomes(
            ".split .rsplit",
            1,
            "list(filter(None, {s}.{name}({0})))",
            "{name} left out empty parts",
        ),
        Example("s='a--b'", "return s.split('-')", "['a', 'b']"),
        Example("s='a--b'", "return s.split('-')", "['a', '-', 'b']"),
    ),
    Misconception(
        "split_limit",
        "The number of splits is ignored, or one too many or too few.",
        any_of(
            call_becomes(".split .rsplit", 2, "{s}.{name}({0})", "{name} ignored its limit"),
            call_becomes(".split .rsplit", 2, "{s}.{name}({0}, {1} + 1)", "{name} split once more"),
            call_becomes(
                ".split .rsplit", 2, "{s}.{name}({0}, max(0, {1} - 1))", "{name} split once less"
            ),
        ),
        Example("s='a-b-c'", "return s.split('-', 1)", "['a', 'b', 'c']"),
        Example("s='a-b-c'", "return s.split('-', 1)", "['a-b', 'c']"),
    ),
    Misconception(
        "join_separator",
        "A separator is left out, or also put at an end.",
        any_of(
            call_becomes(".join", 1, "''.join({0})", "{name} left out the separator"),
            call_becomes(".join", 1, "{s}.join({0}) + {s}", "{name} ended in a separator"),
            call_becomes(".join", 1, "{s} + {s}.join({0})", "{name} began with a separator"),
            call_becomes(".join", 1, "' '.join({0})", "{name} put blanks"),
        ),
        Example("s=['a', 'b']", "return '-'.join(s)", "'a-b-'"),
        Example("s=['a', 'b']", "return '-'.join(s)", "'b-a'"),
    ),
    Misconception(
        "overlapping_count",
        "Overlapping matches are counted.",
        call_becomes(
            ".count",
            1,
            "_misread_overlapping_count({s}, {0})",
            "{name} counted overlapping matches",
        ),
        Example("s='aaaa'", "return s.count('aa')", "3"),
        Example("s='aaaa'", "return s.count('aa')", "4"),
    ),
    Misconception(
        "missing_match",
        "A search without a match raises an exception instead of returning -1, or the reverse.",
        method_renames(
            {"find": ("index",), "rfind": ("rindex",), "index": ("find",), "rindex": ("rfind",)}
        ),
        Example("s='abc'", "try:\n    return s.index('x')\nexcept ValueError:\n    return 0", "-1"),
        Example("s='abc'", "try:\n    return s.index('x')\nexcept ValueError:\n    return 0", "1"),
    ),
    Misconception(
        "affix_side",
        "The start of a string is taken for its end, or for any place in it.",
        any_of(
            method_renames({"startswith": ("endswith",), "endswith": ("startswith",)}),
            call_becomes(
                ".startswith .endswith", 1, "{0} in {s}", "{name} were true for a match anywhere"
            ),
        ),
        Example("s='abc'", "return [s.startswith('bc')]", "[True]"),
        Example("s='abc'", "return [s.startswith('x')]", "[True]"),
    ),
    Misconception(
        "tabs_of_fixed_width",
        "Every tab becomes the same number of blanks.",
        any_of(
            call_becomes(
                ".expandtabs", 1, "{s}.replace('\\t', ' ' * {0})", "{name} put as many blanks"
            ),
            call_becomes(
                ".expandtabs", 0, "{s}.replace('\\t', ' ' * 8)", "{name} put eight blanks"
            ),
            call_becomes(".expandtabs", 0, "{s}.replace('\\t', ' ' * 4)", "{name} put four blanks"),
        ),
        Example("s='a\\tb'", "return s.expandtabs(4)", "'a    b'"),
        Example("s='a\\tb'", "return s.expandtabs(4)", "'a  b'"),
    ),
    Misconception(
        "repr_for_str",
        "A string is converted with its quotes.",
        call_becomes("str", 1, "repr({0})", "{name} were `repr`"),
        Example("s='a'", "return str(s) + str(s)", "\"'a'a\""),
        Example("s='a'", "return str(s) + str(s)", "'aaa'"),
    ),
    Misconception(
        "escapes_counted",
        "An escape counts as the characters that it is written with.",
        call_becomes("len", 1, "len(repr({0})) - 2", "{name} counted escapes as written"),
        Example("s='a\\nb'", "return len(s)", "4"),
        Example("s='a\\nb'", "return len(s)", "5"),
    ),
    Misconception(
        "string_mutated",
        "A method changes the string itself.",
        _string_mutated,
        Example("s='ab'", "s.upper()\nreturn s", "'AB'"),
        Example("s='ab'", "s.upper()\nreturn s", "'Ab'"),
    ),
)
