"""Data types and depths go in; programs that apply so many small functions in turn come out.

All programs of one depth are alike but for what the functions do and for the argument, so that
data types can be compared; and each function is asked about alone, so that what a composition
should reach can be computed from its parts.
"""

from collections.abc import Iterator, Sequence

from worldline.benchmarks.benchmark import Benchmark, LeftOut, Options
from worldline.benchmarks.chains import Chain, draw_atoms, draw_chains
from worldline.benchmarks.draws import Draws
from worldline.benchmarks.functions import TYPES, DataType, data_types
from worldline.errors import InputError
from worldline.predict import Question
from worldline.trace import Program

DEPTHS = tuple(range(1, 21))
FORMS = ("nested", "flat")
# Python takes no more than 200 open brackets.
DEEPEST = 100


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
    and argument; `atoms` questions for each function of the types, with arguments such as it is
    given within chains.

    No two questions of a form are the same; where a type has too few values for that (`bool` has
    two), there are fewer, and `left_out` says so. A question depends on the seed, its type, depth
    and number, and not on what else is asked.
    """
    _check(types, depths, per_depth, atoms, forms)
    questions: list[Question] = []
    left_out: list[LeftOut] = []
    for name in types:
        data_type = data_types()[name]
        for made in (
            _alone(data_type, atoms, seed),
            _composed(data_type, depths, per_depth, forms, seed),
        ):
            for each in made:
                if isinstance(each, Question):
                    questions.append(each)
                else:
                    left_out.append(each)
    options: Options = {
        "types": list(types),
        "depths": list(depths),
        "per_depth": per_depth,
        "atoms": atoms,
        "forms": list(forms),
        "seed": seed,
    }
    return Benchmark("composition", tuple(questions), options, tuple(left_out))


def _alone(data_type: DataType, count: int, seed: int) -> Iterator[Question | LeftOut]:
    for function in data_type.functions:
        draws = Draws("composition", seed, function.name)
        found = draw_atoms(data_type, function, count, draws)
        for number, chain in enumerate(found):
            yield _question(f"{function.name}_n{number}", data_type, chain, "atom")
        if len(found) < count:
            yield _missing(function.name, data_type, count - len(found))


def _composed(
    data_type: DataType, depths: Sequence[int], count: int, forms: Sequence[str], seed: int
) -> Iterator[Question | LeftOut]:
    for depth in depths:
        name = f"{data_type.name}_d{depth:02}"
        found = draw_chains(data_type, depth, count, Draws("composition", seed, name))
        for number, chain in enumerate(found):
            for form in forms:
                yield _question(f"{name}_n{number}", data_type, chain, form)
        if len(found) < count:
            yield _missing(name, data_type, count - len(found))


def _question(name: str, data_type: DataType, chain: Chain, form: str) -> Question:
    return Question(
        f"{name}_{form}",
        Program(_source(chain, form), f"f({chain.argument!r})"),
        repr(chain.result),
        {
            "data_type": data_type.name,
            "depth": len(chain.functions),
            "form": form,
            "functions": " ".join(each.name for each in chain.functions),
        },
    )


def _missing(name: str, data_type: DataType, count: int) -> LeftOut:
    what = f"{count} more questions"
    return LeftOut(name, what, f"{data_type.name} has no more values that make different ones")


def _source(chain: Chain, form: str) -> str:
    numbered = list(enumerate(chain.functions, 1))
    functions = [f"def g{n}(x):\n    return {each.expression}\n" for n, each in numbered]
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
    for what, chosen, known in (("types", types, TYPES), ("forms", forms, FORMS)):
        if not chosen or not set(chosen) <= set(known) or len(set(chosen)) < len(chosen):
            raise InputError(
                f"composition: {what}={list(chosen)} must be one or more of {', '.join(known)}, "
                "each once"
            )
    if not depths or not all(1 <= each <= DEEPEST for each in depths):
        raise InputError(
            f"composition: depths={list(depths)} must be one or more numbers from 1 to {DEEPEST}"
        )
    if len(set(depths)) < len(depths):
        raise InputError(f"composition: depths={list(depths)} has one twice; give each once")
    if per_depth < 1:
        raise InputError(f"composition: per_depth={per_depth} is too few; give per_depth=1 or more")
    if atoms < 0:
        raise InputError(f"composition: atoms={atoms} is too few; give atoms=0 or more")
