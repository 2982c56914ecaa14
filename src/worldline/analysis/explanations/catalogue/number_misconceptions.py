"""Misconceptions about numbers, operators and comparisons."""

import ast
from collections.abc import Iterator, Mapping

from worldline.analysis.explanations.misconception import (
    Change,
    Example,
    Finder,
    Misconception,
    Source,
    any_of,
    call_becomes,
    operator_becomes,
)

_SYMBOLS: Mapping[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|", ast.BitXor: "^",
    ast.BitAnd: "&",
}  # fmt: skip
_COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip


def _taken_for(names: Mapping[str, tuple[str, ...]]) -> Finder:
    """Operators that are taken for others, by their symbols."""
    by_symbol = {symbol: kind for kind, symbol in _SYMBOLS.items()}
    return any_of(
        *(
            operator_becomes(
                {by_symbol[symbol]: symbol}, f"{{a}} {other} {{b}}", f"{{op}} were `{other}`"
            )
            for symbol, others in names.items()
            for other in others
        )
    )


def _compared_as(names: Mapping[str, str], clause: str = "`{op}` were `{other}`") -> Finder:
    """Comparisons that are taken for others, by their symbols."""

    def find(node: ast.AST, source: Source) -> Iterator[Change]:
        if not isinstance(node, ast.Compare):
            return
        operands = [source.text(part) for part in (node.left, *node.comparators)]
        symbols = [_COMPARISONS[type(operator)] for operator in node.ops]
        for index, symbol in enumerate(symbols):
            if symbol in names:
                changed = [*symbols[:index], names[symbol], *symbols[index + 1 :]]
                text = operands[0] + "".join(
                    f" {s} {operand}" for s, operand in zip(changed, operands[1:], strict=True)
                )
                yield Change(node, text, symbol, clause.format(op=symbol, other=names[symbol]))

    return find


def _types_ignored(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
            symbol = _COMPARISONS[type(node.ops[0])]
            text = f"str({source.segment(left)}) {symbol} str({source.segment(right)})"
            yield Change(node, text, symbol, f"`{symbol}` compared texts")


def _left_to_right(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.BinOp(left=left, op=outer, right=ast.BinOp(left=middle, op=inner, right=right)):
            symbols = [_SYMBOLS.get(type(op)) for op in (outer, inner)]
            is_bare = source.segment(node).endswith(source.segment(right))
            if None not in symbols and is_bare:
                texts = [source.text(part) for part in (left, middle, right)]
                text = f"({texts[0]} {symbols[0]} {texts[1]}) {symbols[1]} {texts[2]}"
                clause = f"`{source.segment(node)}` were computed from left to right"
                yield Change(node, text, str(symbols[1]), clause)
    match node:
        case ast.BinOp(left=ast.BinOp(left=left, op=inner, right=middle), op=outer, right=right):
            symbols = [_SYMBOLS.get(type(op)) for op in (inner, outer)]
            is_bare = source.segment(node).startswith(source.segment(left))
            if None not in symbols and is_bare:
                texts = [source.text(part) for part in (left, middle, right)]
                text = f"{texts[0]} {symbols[0]} ({texts[1]} {symbols[1]} {texts[2]})"
                clause = f"`{source.segment(node)}` were computed from right to left"
                yield Change(node, text, str(symbols[1]), clause)


def _accumulator_lost(node: ast.AST, source: Source) -> Iterator[Change]:
    match node:
        case ast.AugAssign(target=target, op=operator, value=value):
            symbol = _SYMBOLS.get(type(operator), "")
            text = f"{source.segment(target)} = {source.segment(value)}"
            yield Change(node, text, f"{symbol}=", f"`{symbol}=` were `=`")


NUMBER_MISCONCEPTIONS = (
    Misconception(
        "rounded_towards_zero",
        "The quotient of integers is rounded towards zero, or a conversion to int down.",
        any_of(
            operator_becomes(
                {ast.FloorDiv: "//"},
                "_misread_quotient({a}, {b})",
                "{op} rounded towards zero",
            ),
            call_becomes("int", 1, "__import__('math').floor({0})", "{name} rounded down"),
        ),
        Example("a=-7", "return a // 2", "-3"),
        Example("a=7", "return a // 2", "4"),
    ),
    Misconception(
        "negative_modulo",
        "The remainder of a negative number is negative.",
        operator_becomes(
            {ast.Mod: "%"}, "_misread_modulo({a}, {b})", "{op} had the sign of its left side"
        ),
        Example("a=-7", "return a % 3", "-1"),
        Example("a=-7", "return a % 3", "1"),
    ),
    Misconception(
        "integer_division",
        "True division is taken for integer division, or the reverse.",
        _taken_for({"/": ("//",), "//": ("/",)}),
        Example("a=7", "return a / 2", "3"),
        Example("a=7", "return a / 2", "4"),
    ),
    Misconception(
        "rounded_up",
        "A quotient is rounded up, or a half.",
        any_of(
            operator_becomes({ast.FloorDiv: "//"}, "-(-{a} // {b})", "{op} rounded up"),
            call_becomes("round", 1, "int({0} + 0.5)", "{name} rounded halves up"),
            call_becomes("int", 1, "round({0})", "{name} were `round`"),
        ),
        Example("a=7", "return a // 2", "4"),
        Example("a=7", "return a // 2", "5"),
    ),
    Misconception(
        "quotient_for_remainder",
        "The remainder is taken for the quotient, or the reverse.",
        _taken_for({"%": ("//",), "//": ("%",)}),
        Example("a=17", "return a % 5", "3"),
        Example("a=17", "return a % 5", "4"),
    ),
    Misconception(
        "other_operator",
        "One operator is taken for another: a power for a product, an intersection for a union.",
        _taken_for(
            {
                "**": ("*",),
                "^": ("**", "|"),
                "*": ("+",),
                "&": ("|", "-"),
                "|": ("&", "^"),
                "<<": (">>",),
                ">>": ("<<",),
            }
        ),
        Example("a=3", "return a ** 4", "12"),
        Example("a=3", "return a ** 4", "64"),
    ),
    Misconception(
        "other_sign",
        "Addition is taken for subtraction, or the reverse.",
        _taken_for({"+": ("-",), "-": ("+",)}),
        Example("a=3", "return a - 5", "8"),
        Example("a=3", "return a - 5", "2"),
    ),
    Misconception(
        "operands_swapped",
        "The operands are taken in the other order.",
        any_of(
            *(
                operator_becomes(
                    {kind: symbol}, f"{{b}} {symbol} {{a}}", "the sides of {op} were swapped"
                )
                for kind, symbol in _SYMBOLS.items()
                if symbol in ("+", "-", "/", "//", "%")
            )
        ),
        Example("s='ab'", "return s + 'cd'", "'cdab'"),
        Example("s='ab'", "return s + 'cd'", "'abc'"),
    ),
    Misconception(
        "precedence_ignored",
        "Operations are grouped in the wrong order.",
        _left_to_right,
        Example("a=2", "return a + 3 * 4", "20"),
        Example("a=2", "return a + 3 * 4", "18"),
    ),
    Misconception(
        "accumulator_lost",
        "An augmented assignment overwrites its variable.",
        _accumulator_lost,
        Example("a=5", "a += 3\nreturn a", "3"),
        Example("a=5", "a += 3\nreturn a", "2"),
    ),
    Misconception(
        "inclusive_comparison",
        "A comparison includes its bound, or leaves it out.",
        _compared_as({"<": "<=", "<=": "<", ">": ">=", ">=": ">"}),
        Example("xs=[1, 2, 3]", "return [x for x in xs if x < 2]", "[1, 2]"),
        Example("xs=[1, 2, 3]", "return [x for x in xs if x < 2]", "[2]"),
    ),
    Misconception(
        "reversed_comparison",
        "A comparison is taken in the other direction.",
        _compared_as({"<": ">", ">": "<", "<=": ">=", ">=": "<="}),
        Example("xs=[1, 2, 3]", "return [x for x in xs if x < 2]", "[3]"),
        Example("xs=[1, 2, 3]", "return [x for x in xs if x < 2]", "[2]"),
    ),
    Misconception(
        "negated_comparison",
        "A comparison is taken for its negation.",
        _compared_as({"==": "!=", "!=": "==", "in": "not in", "not in": "in"}),
        Example("xs=[1, 2, 3]", "return [x for x in xs if x == 2]", "[1, 3]"),
        Example("xs=[1, 2, 3]", "return [x for x in xs if x == 2]", "[1]"),
    ),
    Misconception(
        "types_ignored",
        "A number equals the text of it.",
        _types_ignored,
        Example("xs=[1, '1']", "return [x for x in xs if x == 1]", "[1, '1']"),
        Example("xs=[1, '1']", "return [x for x in xs if x == 1]", "['1']"),
    ),
)
