"""Random programs that log everything that happens in them, in order."""

from random import Random

# Its objects log every operation on them, and some change variables of others.
PRELUDE = """
log = []
shared = 3


class Spy:
    def __init__(self, n):
        log.append(("new", n))
        self.n = n
        self.items = [n, n + 1, n + 2]

    def __repr__(self):
        log.append(("repr", self.n))
        return f"<{self.n}>"

    def __format__(self, spec):
        log.append(("format", self.n, spec))
        return f"[{self.n}:{spec}]"

    def __add__(self, other):
        log.append(("add", self.n))
        return self.n + number(other)

    def __radd__(self, other):
        log.append(("radd", self.n))
        return number(other) + self.n

    def __iadd__(self, other):
        log.append(("iadd", self.n))
        self.n += number(other)
        return self

    def __mul__(self, other):
        log.append(("mul", self.n))
        return Spy(self.n * 2)

    def __neg__(self):
        log.append(("neg", self.n))
        return -self.n

    def __lt__(self, other):
        log.append(("lt", self.n))
        return self.n < number(other)

    def __gt__(self, other):
        log.append(("gt", self.n))
        return self.n > number(other)

    def __eq__(self, other):
        log.append(("eq", self.n))
        return self.n == number(other)

    def __hash__(self):
        log.append(("hash", self.n))
        return self.n

    def __getitem__(self, key):
        log.append(("get", self.n, repr(key)))
        if isinstance(key, slice):
            return self.items[key]
        return self.items[number(key) % 3]

    def __setitem__(self, key, value):
        log.append(("set", self.n, repr(key), repr(value)))
        self.items[number(key) % 3] = value

    def __delitem__(self, key):
        log.append(("del", self.n, repr(key)))

    def __iter__(self):
        log.append(("iter", self.n))
        for item in list(self.items):
            log.append(("next item", self.n))
            yield item

    def __contains__(self, item):
        log.append(("in", self.n))
        return item in self.items

    def __getattr__(self, name):
        log.append(("attr", name))
        if name == "method":
            return self._method
        if name == "level":
            return self.n
        raise AttributeError(name)

    def _method(self, *args, **kwargs):
        log.append(("method", repr(args), repr(kwargs)))
        return len(args)

    def __enter__(self):
        log.append(("enter", self.n))
        return self

    def __exit__(self, *how):
        log.append(("exit", self.n))
        return self.n == 2


def number(x):
    if isinstance(x, Spy):
        return x.n
    if isinstance(x, (int, bool)):
        return x
    raise TypeError("no number: " + repr(x))


def say(n, x=1):
    log.append(("say", n))
    return x


def bump():
    global shared
    shared += 1
    log.append(("bump", shared))
    return shared


def boom(n):
    log.append(("boom", n))
    raise ValueError(n)


def take(*args, **kwargs):
    log.append(("take", repr(args), repr(sorted(kwargs.items()))))
    return len(args) + len(kwargs)


def items(n):
    for i in range(n % 4):
        log.append(("item", i))
        yield i


def adder(n):
    log.append(("adder", n))
    return lambda x=0: number(x) + 1
"""

_NAMES = ("a", "b", "u", "shared", "kept", "spy", "w", "seq")
_PATTERNS = (
    "{0} + {1}",
    "{0} * {1}",
    "-{0}",
    "not {0}",
    "{0} < {1}",
    "{0} < {1} < {2}",
    "{0} == {1}",
    "{0} > {1} == {2}",
    "{0} in [{1}, {2}]",
    "{0} and {1}",
    "{0} or {1}",
    "{0} and {1} or {2}",
    "{0} or {1} and {2}",
    "{0} if {1} else {2}",
    "spy[{0}]",
    "seq[{0}]",
    "spy[{0}:{1}]",
    "spy[{0}, {1}:{2}]",
    "spy.method({0})",
    "spy.method({0}, k={1})",
    "spy.level",
    "spy.missing",
    "seq.count({0})",
    "seq.nothing({0})",
    "seq.index({0}, {1})",
    "say(9, {0})",
    "say({0}, {1})",
    "take({0}, *items(2), {1})",
    "take(*items(3), k={0})",
    "take(*{0}, k={1})",
    "take({0}, *{1})",
    "take({0}, **dict(k={1}))",
    "take(**dict(m={0}), k={1})",
    "take(k={0}, *[{1}])",
    "adder({0})({1})",
    "(w := {0})",
    "take((w := {0}), w, {1})",
    "take(w, (w := {0}), {1})",
    "[{0}, {1}]",
    "take([{0}, {1}], {2})",
    "take([*items(2), {0}], {1})",
    "take({{{0}: {1}}}, {2})",
    "take({{{0}, {1}}}, {2})",
    "take({{**dict(k={0}), 'm': {1}}})",
    "({0}, {1})[{2}]",
    "len(f'{{{0}}} {{{1}!r}} {{{2}:>4}}')",
    "len(f'{{{0}:{{{1}}}}}')",
    "len(f'{{spy}}{{{0}}}')",
    "len([{0} for x in seq])",
    "len([x for x in {0} if {1}])",
    "[x + {0} for x in seq if x > {1}]",
    "take(*[{0} for a in seq])",
    "len({{x: {0} for x in seq}})",
    "len({{{0} for x in seq}})",
    "[y for x in items({0}) for y in [x, {1}] if {2}]",
    "[[y + x for y in seq] for x in items(3)]",
    "any({0} for x in items(3))",
    "all(x < {0} for x in items(3))",
    "any(x == y for x in items(3) for y in [{0}, {1}])",
    "sum(1 for x in items(3) if {0})",
    "sum({0} for x in items(2))",
    "take(*sorted(x for x in [{0}, {1}]))",
    "max(len(str(x)) for x in [{0}])",
    "take(x for x in [{0}])",
    "(lambda q: q + {0})({1})",
    "(lambda: kept)()",
    "change({0})",
    "str({0}).upper().count(str({1}))",
    "' '.join(str(x) for x in [{0}, {1}]).strip()",
)


_LEAVES = ("bump()", "change(1)", "Spy(2)", "say(7)", "adder(3)()")


def make_expression(rng: Random, depth: int = 2) -> str:
    """Make an expression of which nearly every part logs its evaluation."""
    kind = rng.randrange(10)
    if depth == 0 or kind < 2:
        number = rng.randrange(-2, 10)
        leaves = (rng.choice(_NAMES), str(number), f"say({number}, {number % 3})")
        return rng.choice((*leaves, rng.choice(_LEAVES)))
    if kind == 2 and rng.randrange(6) == 0:
        return f"boom({depth})"
    pattern = rng.choice(_PATTERNS)
    parts = [make_expression(rng, depth - 1) for _ in range(3)]
    return f"({pattern.format(*parts)})"


_SIMPLE = (
    "b = {0}",
    "a = b = {0}",
    "u = {0}",
    "b, w = {0}, {1}",
    "b, *u = [{0}, {1}, {2}]",
    "spy[{0}] = {1}",
    "spy[{0}] = b = spy[{1}] = {2}",
    "spy[b] = b = {0}",
    "spy.n = {0}",
    "spy.x[{0}], b = {1}, {2}",
    "spy[{0}], spy[{1}] = {2}, 1",
    "(spy[{0}], b), *u = [[{1}, 2], 3]",
    "spy[{0}] += {1}",
    "spy[{0}:{1}] += {2}",
    "spy[{0}].n += {1}",
    "spy += {0}",
    "a += {0}",
    "u += {0}",
    "kept += {0}",
    "shared = {0}",
    "spy.n += {0}",
    "seq[{0}] += {1}",
    "b: int = {0}",
    "del spy[{0}], spy[{1}]",
    "del spy[{0}], u",
    "assert {0}, {1}",
    "assert {0}",
    "say(1, {0}); b = {1}",
    "{0}",
    "log.append({0})",
    "return {0}",
    "return {0}, {1}",
    "raise ValueError({0}) from {1}",
)


def _indent(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def make_statement(rng: Random, depth: int = 2) -> str:
    """Make one or several statements with such expressions."""
    e = [make_expression(rng) for _ in range(3)]
    if depth == 0 or rng.randrange(3):
        return rng.choice(_SIMPLE).format(*e) + "\n"
    # Each nested loop has its own counter, so that all of them end.
    c = f"c{depth}"
    one, two, three = (_indent(make_statement(rng, depth - 1)) for _ in range(3))
    return rng.choice(
        (
            f"if {e[0]}:\n{one}elif {e[1]}:\n{two}else:\n{three}",
            f"if {e[0]}:\n{one}elif {e[1]}:\n{two}elif {e[2]}:\n{three}",
            f"for x in {e[0]}:\n{one}    if {e[1]}: continue\n    b = x\nelse:\n{two}",
            f"for spy[{e[1]}] in [1, {e[0]}]:\n{one}",
            f"{c} = 0\nwhile {c} < 2 and {e[0]}:\n    {c} += 1\n{one}",
            f"{c} = 0\nwhile not {e[0]}:\n    {c} += 1\n    if {c} > 2: break\n{one}    continue\n",
            f"{c} = 0\nwhile {c} < 2 and {e[0]}:\n    {c} += 1\n{one}else:\n{two}",
            f"try:\n{one}except ValueError as u:\n{two}finally:\n    say(5, {e[0]})\n",
            f"try:\n{one}    {e[0]}\nexcept TypeError:\n{two}else:\n{three}",
            f"with Spy({e[0]}) as u, Spy(2) as b:\n{one}{two}",
            f"match {e[0]}:\n    case 1:\n{_indent(one)}    case [x, *_]:\n{_indent(two)}",
            f"def inner(p={e[0]}):\n{one}    return {e[1]}\nb = {e[2]}\n",
        )
    )


def _catch_errors(text: str) -> str:
    return (
        f"try:\n{_indent(text)}except Exception as error:\n"
        "    log.append((type(error).__name__, str(error)))\n"
    )


def make_program(seed: int) -> str:
    """Make a function of such statements, whose variables other functions change."""
    rng = Random(seed)
    body = [_catch_errors(make_statement(rng)) for _ in range(rng.randrange(1, 5))]
    yields = f"    got = yield {make_expression(rng)}\n" if rng.randrange(4) == 0 else ""
    return (
        f"{PRELUDE}\n\ndef program(a, seq, spy):\n    kept = w = 1\n    b = 2\n\n"
        "    def change(n):\n        nonlocal kept\n        kept = kept + number(n)\n"
        '        log.append(("change", kept))\n        return kept\n\n'
        f"{''.join(map(_indent, body))}{yields}    return a, b, kept, seq, spy, w\n"
    )
