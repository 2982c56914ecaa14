"""Composition benchmark: programs that apply a chain of small functions.

All programs of one depth differ only in the functions and the argument, so that data types can be
compared. Each function is also a question by itself, so that the accuracy to expect for a
composition can be computed from the accuracies of its functions.
"""

from collections.abc import Iterator, Sequence

from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom
from worldline.evaluation.benchmarks.benchmark import Benchmark, BenchmarkOptions, SkippedItem
from worldline.evaluation.benchmarks.function_chains import Chain, draw_atoms, draw_chains
from worldline.evaluation.benchmarks.functions import TYPES, DataType, data_types
from worldline.models.prediction import Question

DEPTHS = tuple(range(1, 21))
FORMS = ("nested", "flat")
# Python accepts at most 200 nested parentheses.
MAX_DEPTH = 100


def composition(
    *,
    types: Sequence[str] = TYPES,
    depths: Sequence[int] = DEPTHS,
    per_depth: int = 5,
    atoms: int = 5,
    forms: Sequence[str] = FORMS,
    seed: int = 0,
) -> Benchmark:
    """Functions of one argument, composed to several depths, and each of them alone.

    depths=[2] -> "def g1(x): …", "def g2(x): …", and "def f(x):\\n    return g2(g1(x))" (nested) or
    "def f(x):\\n    t1 = g1(x)\\n    t2 = g2(t1)\\n    return t2" (flat), with the same functions
    and argument.

    No two questions of a form are the same. If a type has too few values for that (`bool` has
    two), there are fewer questions, and `skipped` says so. A question depends only on the seed and
    on its type, depth and number.

    Args:
        types: Data types of the functions.
        depths: Numbers of composed functions.
        per_depth: Compositions per type and depth.
        atoms: Questions for each single function, with arguments as they occur within chains.
        forms: "nested" calls, or "flat" with a variable for each intermediate value.
        seed: Seed of the random choices.
    """
    _check(types, depths, per_depth, atoms, forms)
    questions: list[Question] = []
    skipped: list[SkippedItem] = []
    for name in types:
        data_type = data_types()[name]
        for items in (
            _atoms(data_type, atoms, seed),
            _compositions(data_type, depths, per_depth, forms, seed),
        ):
            for item in items:
                if isinstance(item, Question):
                    questions.append(item)
                else:
                    skipped.append(item)
    options: BenchmarkOptions = {
        "types": list(types),
        "depths": list(depths),
        "per_depth": per_depth,
        "atoms": atoms,
        "forms": list(forms),
        "seed": seed,
    }
    return Benchmark("composition", tuple(questions), options, tuple(skipped))


def _atoms(data_type: DataType, count: int, seed: int) -> Iterator[Question | SkippedItem]:
    for function in data_type.functions:
        rng = SeededRandom("composition", seed, function.name)
        chains = draw_atoms(data_type, function, count, rng)
        for number, chain in enumerate(chains):
            yield _question(f"{function.name}_n{number}", data_type, chain, "atom")
        if len(chains) < count:
            yield _missing(function.name, data_type, count - len(chains))


def _compositions(
    data_type: DataType, depths: Sequence[int], count: int, forms: Sequence[str], seed: int
) -> Iterator[Question | SkippedItem]:
    for depth in depths:
        name = f"{data_type.name}_d{depth:02}"
        chains = draw_chains(data_type, depth, count, SeededRandom("composition", seed, name))
        for number, chain in enumerate(chains):
            for form in forms:
                yield _question(f"{name}_n{number}", data_type, chain, form)
        if len(chains) < count:
            yield _missing(name, data_type, count - len(chains))


def _question(name: str, data_type: DataType, chain: Chain, form: str) -> Question:
    return Question(
        f"{name}_{form}",
        Program(_source(chain, form), f"f({chain.argument!r})"),
        repr(chain.result),
        {
            "data_type": data_type.name,
            "depth": len(chain.functions),
            "form": form,
            "functions": " ".join(function.name for function in chain.functions),
        },
    )


def _missing(name: str, data_type: DataType, count: int) -> SkippedItem:
    text = f"{count} more questions"
    return SkippedItem(name, text, f"{data_type.name} has no more values that make different ones")


def _source(chain: Chain, form: str) -> str:
    numbered = list(enumerate(chain.functions, 1))
    functions = [f"def g{n}(x):\n    return {function.expression}\n" for n, function in numbered]
    if form == "flat":
        steps = [f"    t{n} = g{n}({f't{n - 1}' if n > 1 else 'x'})\n" for n, _ in numbered]
        body = "".join([*steps, f"    return t{len(numbered)}\n"])
    else:
        # The last function is the outermost: g3(g2(g1(x))).
        opened = "".join(f"g{n}(" for n, _ in reversed(numbered))
        body = f"    return {opened}x{')' * len(numbered)}\n"
    return "\n".join([*functions, f"def f(x):\n{body}"])


def _check(
    types: Sequence[str], depths: Sequence[int], per_depth: int, atoms: int, forms: Sequence[str]
) -> None:
    for option, values, known in (("types", types, TYPES), ("forms", forms, FORMS)):
        if not values or not set(values) <= set(known) or len(set(values)) < len(values):
            raise InputError(
                f"composition: {option}={list(values)} must be one or more of {', '.join(known)}, "
                "each once"
            )
    if not depths or not all(1 <= depth <= MAX_DEPTH for depth in depths):
        raise InputError(
            f"composition: depths={list(depths)} must be one or more numbers from 1 to {MAX_DEPTH}"
        )
    if len(set(depths)) < len(depths):
        raise InputError(
            f"composition: depths={list(depths)} contains a depth twice; give each once"
        )
    if per_depth < 1:
        raise InputError(f"composition: per_depth={per_depth} is too few; give per_depth=1 or more")
    if atoms < 0:
        raise InputError(f"composition: atoms={atoms} is too few; give atoms=0 or more")
