"""Choices of `random`, `secrets`, `uuid`, `os.urandom` and `numpy.random`.

The methods of `random.Random` are replaced. A generator with a seed is deterministic: its numbers
are no choices. A subclass of the program may override any method, so only its random bits are.
"""

import os
from collections.abc import Callable
from importlib import import_module
from types import MethodType
from typing import Any
from weakref import WeakValueDictionary

from .choice_session import ChoiceSession, Replacement
from .json_lines import OWN_BUILTINS

__builtins__ = OWN_BUILTINS

# Methods that give a float of any value.
_FLOATS = (
    "betavariate expovariate gammavariate gauss lognormvariate normalvariate paretovariate "
    "triangular vonmisesvariate weibullvariate binomialvariate randbytes"
)
_SEED_BITS = 64


class RandomChoices:
    """The methods of `random.Random` with which those of one execution are replaced."""

    def __init__(self, session: ChoiceSession) -> None:
        import random

        self.session = session
        self.kind, self.system = random.Random, random.SystemRandom
        # Generators with a seed, by id.
        self.seeded: WeakValueDictionary[int, Any] = WeakValueDictionary()
        self.next_seed = session.seed
        plans: dict[str, Any] = {
            "randint": self.randint,
            "randrange": self.randrange,
            "choice": self.choice,
            "shuffle": self.shuffle,
            "sample": self.sample,
            "choices": self.choices,
            "uniform": self.uniform,
            "random": self.random,
            "getrandbits": self.getrandbits,
        }
        for name in _FLOATS.split():
            if hasattr(self.kind, name):
                plans[name] = self.any_value(name)
        for name, plan in plans.items():
            for kind in (self.kind, self.system):
                if kind is self.kind or name in vars(kind):
                    setattr(kind, name, self._method(name, getattr(kind, name), plan))
        for name in ("seed", "setstate", "getstate"):
            original = getattr(self.kind, name)
            setattr(self.kind, name, _named(original, getattr(self, f"_{name}")(original)))
        _replace_bound_methods(random, self.kind)
        if session.seed is not None:
            random.seed()

    def _method(self, name: str, original: Any, plan: Any) -> Any:
        session, is_primitive = self.session, name in ("random", "getrandbits")

        def method(generator: Any, *arguments: Any, **named: Any) -> Any:
            is_own = type(generator) in (self.kind, self.system)
            if session.is_nested() or id(generator) in self.seeded:
                return original(generator, *arguments, **named)
            if not is_own and not is_primitive:
                return original(generator, *arguments, **named)
            return plan(MethodType(original, generator), *arguments, **named)

        return _named(original, method)

    # -- generators ---------------------------------------------------------------------------

    def _seed(self, original: Any) -> Any:
        def seed(generator: Any, a: Any = None, version: int = 2) -> None:
            if a is None and self.next_seed is not None:
                original(generator, self.next_seed, version)
                self.next_seed += 1
            else:
                original(generator, a, version)
            if a is None:
                self.seeded.pop(id(generator), None)
            else:
                self.seeded[id(generator)] = generator

        return seed

    def _setstate(self, original: Any) -> Any:
        def setstate(generator: Any, state: Any) -> None:
            original(generator, state)
            self.seeded[id(generator)] = generator

        return setstate

    def _getstate(self, original: Any) -> Any:
        def getstate(generator: Any) -> Any:
            """The state; a generator without a seed gets one, which is a choice."""
            if id(generator) not in self.seeded and not self.session.is_nested():
                seed = self.session.choose(
                    "random.getstate", (), f"bits({_SEED_BITS})", _seed_draw, 0
                )
                generator.seed(seed)
            return original(generator)

        return getstate

    # -- methods ------------------------------------------------------------------------------

    def randint(self, draw: Any, a: Any, b: Any) -> Any:
        if not (_is_int(a) and _is_int(b)) or b < a:
            return self.session.call(draw, a, b)
        return self._from_range("random.randint", (a, b), range(a, b + 1), lambda: draw(a, b))

    def randrange(self, draw: Any, start: Any, *more: Any, **named: Any) -> Any:
        numbers = (start, *more, *named.values())
        if not all(_is_int(number) for number in numbers if number is not None):
            return self.session.call(draw, start, *more, **named)
        stop = named.get("stop", more[0] if more else None)
        step = named.get("step", more[1] if len(more) > 1 else 1)
        if step == 0 or (stop is None and step != 1):
            return self.session.call(draw, start, *more, **named)
        domain = range(start) if stop is None else range(start, stop, step)
        if not domain:
            return self.session.call(draw, start, *more, **named)
        arguments = (domain.start, domain.stop, domain.step)
        return self._from_range(
            "random.randrange", arguments, domain, lambda: draw(start, *more, **named)
        )

    def _from_range(
        self, name: str, arguments: "tuple[Any, ...]", domain: range, draw: "Callable[[], Any]"
    ) -> Any:
        return self.session.choose(name, arguments, repr(domain), draw, domain[0])

    def choice(self, draw: Any, seq: Any) -> Any:
        count = len(seq)
        if not count:
            return self.session.call(draw, seq)
        position = self._from_range(
            "random.choice", (seq,), range(count), lambda: draw(range(count))
        )
        return seq[position]

    def shuffle(self, draw: Any, x: Any) -> None:
        if type(x) is not list:
            draw(x)
            return
        identity = list(range(len(x)))

        def shuffled() -> Any:
            positions = list(identity)
            draw(positions)
            return positions

        positions = self.session.choose(
            "random.shuffle", (x,), f"permutations({len(x)})", shuffled, identity
        )
        x[:] = [x[position] for position in positions]

    def sample(self, draw: Any, population: Any, k: Any, *, counts: Any = None) -> Any:
        is_plain = type(population) in (list, tuple, range, str)
        if counts is not None or not is_plain or not _is_int(k):
            return draw(population, k, counts=counts)
        count = len(population)
        if not 0 <= k <= count:
            return self.session.call(draw, population, k)
        positions = self.session.choose(
            "random.sample",
            (population, k),
            f"samples({count}, {k})",
            lambda: draw(range(count), k),
            list(range(k)),
        )
        return [population[position] for position in positions]

    def choices(
        self,
        draw: Any,
        population: Any,
        weights: Any = None,
        *,
        cum_weights: Any = None,
        k: Any = 1,
    ) -> Any:
        count = len(population)
        shares = _shares(count, weights, cum_weights)

        def positions() -> Any:
            return draw(range(count), weights, cum_weights=cum_weights, k=k)

        if not shares or not _is_int(k):
            return [population[position] for position in self.session.call(positions)]
        first = next(position for position, share in enumerate(shares) if share)
        chosen = self.session.choose(
            "random.choices",
            (population, weights or cum_weights, k),
            f"weights({shares!r}, {k})",
            positions,
            [first] * k,
        )
        return [population[position] for position in chosen]

    def uniform(self, draw: Any, a: Any, b: Any) -> Any:
        is_known = type(a) in (int, float) and type(b) in (int, float)
        domain = f"interval({min(a, b)!r}, {max(a, b)!r})" if is_known else ""
        return self.session.choose("random.uniform", (a, b), domain, lambda: draw(a, b))

    def random(self, draw: Any) -> Any:
        return self.session.choose("random.random", (), "unit", draw, 0.0)

    def getrandbits(self, draw: Any, k: Any) -> Any:
        if not _is_int(k) or k < 0:
            return self.session.call(draw, k)
        return self.session.choose("random.getrandbits", (k,), f"bits({k})", lambda: draw(k), 0)

    def any_value(self, name: str) -> Any:
        def plan(draw: Any, *arguments: Any, **named: Any) -> Any:
            return self.session.choose(
                f"random.{name}",
                (*arguments, *named.values()),
                "",
                lambda: draw(*arguments, **named),
            )

        return plan


def replace_entropy(session: ChoiceSession) -> None:
    """Replace `os.urandom` and `os.getrandom`."""
    for name in ("urandom", "getrandom"):
        original = getattr(os, name, None)
        if original is not None:
            setattr(os, name, Replacement(original, _bytes_function(session, name, original)))


def _bytes_function(session: ChoiceSession, name: str, original: Any) -> Any:
    def random_bytes(size: Any, *flags: Any) -> Any:
        if session.is_nested() or not _is_int(size) or size < 0:
            return original(size, *flags)
        return session.choose(f"os.{name}", (size,), "", lambda: original(size, *flags))

    return random_bytes


def replace_secrets(session: ChoiceSession) -> None:
    """Replace `secrets.randbelow` and the methods that `secrets` has of its generator."""
    import random
    import secrets

    original = secrets.randbelow

    def randbelow(exclusive_upper_bound: Any) -> Any:
        bound = exclusive_upper_bound
        if session.is_nested() or not _is_int(bound) or bound <= 0:
            return original(bound)
        domain = repr(range(bound))
        return session.choose("secrets.randbelow", (bound,), domain, lambda: original(bound), 0)

    secrets.randbelow = Replacement(original, randbelow)
    _replace_bound_methods(secrets, random.SystemRandom)


def replace_uuid(session: ChoiceSession) -> None:
    """Replace `uuid.uuid1` and `uuid.uuid4`."""
    import uuid

    def replacement(name: str) -> Any:
        original = getattr(uuid, name)

        def make_uuid(*arguments: Any, **named: Any) -> Any:
            if session.is_nested():
                return original(*arguments, **named)
            number = session.choose(
                f"uuid.{name}", arguments, "", lambda: original(*arguments, **named).int
            )
            return uuid.UUID(int=number)

        return Replacement(original, make_uuid)

    for name in ("uuid1", "uuid4"):
        setattr(uuid, name, replacement(name))


def replace_numpy(session: ChoiceSession) -> None:
    """Give the generators of `numpy.random` a seed, which is a choice."""
    try:
        generators: Any = import_module("numpy.random")
    except ImportError:
        return
    seed = session.choose("numpy.random.seed", (), "bits(32)", lambda: _seed_draw() >> 32, 0)
    generators.seed(seed)
    original = generators.default_rng

    def default_rng(seed: Any = None) -> Any:
        if seed is None:
            domain = f"bits({_SEED_BITS})"
            seed = session.choose("numpy.random.default_rng", (), domain, _seed_draw, 0)
        return original(seed)

    generators.default_rng = Replacement(original, default_rng)


def _seed_draw() -> int:
    return int.from_bytes(_urandom(_SEED_BITS // 8), "big")


_urandom = os.urandom


def _replace_bound_methods(module: Any, kind: type) -> None:
    """Replace the methods of a hidden generator that a module has as functions."""
    for name, value in list(vars(module).items()):
        method = getattr(kind, getattr(value, "__name__", ""), None)
        generator = getattr(value, "__self__", None)
        if isinstance(generator, kind) and method is not None:
            setattr(module, name, Replacement(value, MethodType(method, generator)))


def _named(original: Any, function: Any) -> Any:
    """A function with the name of the original."""
    function.__name__ = original.__name__
    function.__qualname__ = original.__qualname__
    function.__doc__ = original.__doc__
    function.__module__ = getattr(original, "__module__", None)
    return function


def _is_int(value: Any) -> bool:
    return type(value) in (int, bool)


def _shares(count: int, weights: Any, cum_weights: Any) -> "list[Any]":
    """The weight of each position; none if the call fails or they are not numbers."""
    if weights is not None and cum_weights is not None:
        return []
    if weights is None and cum_weights is None:
        return [1] * count
    numbers = weights if cum_weights is None else cum_weights
    if type(numbers) not in (list, tuple) or len(numbers) != count:
        return []
    if not all(type(number) in (int, float) for number in numbers):
        return []
    if cum_weights is not None:
        before = [0, *numbers[:-1]]
        numbers = [number - last for number, last in zip(numbers, before, strict=True)]
    is_valid = all(number >= 0 for number in numbers) and sum(numbers) > 0
    return list(numbers) if is_valid else []
