"""A function and a place in it go in; which names keep their values from there on comes out."""

import ast
from dataclasses import dataclass, replace

from worldline.rewrite.bound import Bound, generates
from worldline.rewrite.expressions.facts import BUILTINS, Facts, words
from worldline.rewrite.scopes import Function, Scope, owner, parameters_of

# What these modules surely have, in every Python that worldline runs on.
_MODULES = {
    "math": words(
        "acos asin atan atan2 ceil comb copysign cos degrees dist e exp fabs factorial floor fmod "
        "fsum gcd hypot inf isclose isfinite isinf isnan isqrt lcm log log10 log1p log2 modf nan "
        "perm pi pow prod radians sin sqrt tan tau trunc"
    ),
    "re": words(
        "compile escape findall finditer fullmatch match search split sub subn I IGNORECASE M "
        "MULTILINE S DOTALL X VERBOSE"
    ),
    "string": words(
        "ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits printable "
        "punctuation whitespace capwords"
    ),
    "collections": words("ChainMap Counter OrderedDict defaultdict deque namedtuple"),
    "itertools": words(
        "accumulate chain combinations combinations_with_replacement compress count cycle "
        "dropwhile filterfalse groupby islice pairwise permutations product repeat starmap "
        "takewhile tee zip_longest"
    ),
    "functools": words("cache cmp_to_key lru_cache partial reduce wraps"),
    "heapq": words("heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest"),
    "bisect": words("bisect bisect_left bisect_right insort insort_left insort_right"),
    "copy": words("copy deepcopy"),
    "json": words("dumps loads"),
    "operator": words("add itemgetter attrgetter mul sub xor and_ or_ concat"),
    "hashlib": words("md5 sha1 sha256"),
}


@dataclass(frozen=True, slots=True)
class Names:
    """What is known of the names of a function at one of its statements.

    `bound`: its own that surely have a value. `around`: the same for each function around it, where
    it is defined, and for the module.
    """

    facts: Facts
    scope: Scope
    bound: Bound
    around: dict[Scope, Bound]

    def at(self, bound: Bound) -> "Names":
        """The same function at another statement."""
        return replace(self, bound=bound - self._gone())

    def _gone(self) -> Bound:
        return frozenset(filter(self.scope.loses, self.scope.bindings))

    def inner(self, function: Function) -> "Names":
        """A function that is defined here."""
        here = self.bound if function.decorator_list else self.bound | {function.name}
        return names_in(self.facts, function, {**self.around, self.scope: here - self._gone()})

    def is_steady(self, name: str) -> bool:
        """Whether a name surely has a value here, and keeps it while other code runs.

        Nothing of a function runs while it waits for a call, so only `nonlocal` and `global`
        elsewhere can change what it has bound; a generator may be gone on with by anyone.
        """
        home = owner(self.scope, name)
        if home.parent is None:
            return self._is_steady_global(name)
        if any(name in scope.nonlocals for scope in home.within()):
            return False
        if home is self.scope:
            return name in self.bound
        is_still = isinstance(home.node, Function) and not generates(home.node)
        return is_still and name in self.around.get(home, ())

    def _is_steady_global(self, name: str) -> bool:
        if self.facts.is_reflective or name in self.facts.rebound:
            return False
        return name in BUILTINS or name in self.around.get(self.facts.module, ())

    def is_builtin(self, name: str) -> bool:
        """Whether a name surely is what Python has by that name."""
        home = owner(self.scope, name)
        is_free = home.parent is None and name not in home.bindings
        return name in BUILTINS and is_free and not self.facts.is_reflective and not self._is_open()

    def _is_open(self) -> bool:
        return "*" in self.facts.module.bindings

    def module(self, node: ast.expr) -> str | None:
        """The module that a name surely is.

        "m" after "import math as m" -> "math"
        """
        if not isinstance(node, ast.Name):
            return None
        made = owner(self.scope, node.id).bindings.get(node.id, [])
        return made[0].name if len(made) == 1 and made[0].kind == "module" else None

    def is_path(self, node: ast.expr) -> bool:
        """Whether this is a part of a module, like `math.pi` or `os.path.join`."""
        if not isinstance(node, ast.Attribute):
            return False
        return self.module(node.value) is not None or self.is_path(node.value)

    def is_steady_path(self, node: ast.Attribute) -> bool:
        """Whether a module surely has this part, and always the same."""
        module = self.module(node.value)
        is_known = module is not None and node.attr in _MODULES.get(module, ())
        if not is_known or self.facts.is_reflective or not isinstance(node.value, ast.Name):
            return False
        stores = (each for each in ast.walk(self.facts.tree) if isinstance(each, ast.Attribute))
        is_set = any(
            each.attr == node.attr and not isinstance(each.ctx, ast.Load) for each in stores
        )
        return not is_set and self.is_steady(node.value.id)


def names_in(facts: Facts, function: Function, around: dict[Scope, Bound]) -> Names:
    """What is known where a function begins."""
    names = Names(facts, facts.scopes[function], frozenset(), around)
    return names.at(frozenset(parameters_of(function)))
