"""Names that keep their value while other code runs."""

import ast
from dataclasses import dataclass, replace

from worldline.core.trace import words
from worldline.languages.python.rewrite.definite_assignment import Bound, is_resumable
from worldline.languages.python.rewrite.expressions.program_facts import BUILTINS, ProgramFacts
from worldline.languages.python.rewrite.scopes import (
    Function,
    Scope,
    binding_scope,
    parameter_names,
)

# Attributes that these modules have in every supported version of Python.
_MODULE_ATTRIBUTES = {
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
class ScopeNames:
    """Names of a function at one of its statements.

    Attributes:
        facts: facts about the program.
        scope: the scope of the function.
        bound: its own names that are certainly bound.
        enclosing_bound: the same for each enclosing function, where the function is defined, and
            for the module.
    """

    facts: ProgramFacts
    scope: Scope
    bound: Bound
    enclosing_bound: dict[Scope, Bound]

    def at_statement(self, bound: Bound) -> "ScopeNames":
        """The names at another statement of the function."""
        return replace(self, bound=bound - self._unbindable())

    def _unbindable(self) -> Bound:
        return frozenset(filter(self.scope.may_unbind, self.scope.bindings))

    def for_function(self, function: Function) -> "ScopeNames":
        """The names of a function that is defined here."""
        bound = self.bound if function.decorator_list else self.bound | {function.name}
        return names_at_start(
            self.facts, function, {**self.enclosing_bound, self.scope: bound - self._unbindable()}
        )

    def is_stable(self, name: str) -> bool:
        """Whether a name is certainly bound here, and keeps its value while other code runs.

        Nothing of a function runs while it waits for a call, so only `nonlocal` and `global`
        elsewhere can change its variables; but a generator may be resumed by any code.
        """
        home = binding_scope(self.scope, name)
        if home.parent is None:
            return self._is_stable_global(name)
        if any(name in scope.nonlocals for scope in home.nested()):
            return False
        if home is self.scope:
            return name in self.bound
        cannot_be_resumed = isinstance(home.node, Function) and not is_resumable(home.node)
        return cannot_be_resumed and name in self.enclosing_bound.get(home, ())

    def _is_stable_global(self, name: str) -> bool:
        if self.facts.is_reflective or name in self.facts.rebound_globals:
            return False
        return name in BUILTINS or name in self.enclosing_bound.get(self.facts.module, ())

    def is_builtin(self, name: str) -> bool:
        """Whether a name certainly refers to the built-in."""
        home = binding_scope(self.scope, name)
        is_unbound = home.parent is None and name not in home.bindings
        return (
            name in BUILTINS
            and is_unbound
            and not self.facts.is_reflective
            and not self._has_star_import()
        )

    def _has_star_import(self) -> bool:
        return "*" in self.facts.module.bindings

    def module_name(self, node: ast.expr) -> str | None:
        """The module that a name certainly refers to.

        "m" after "import math as m" -> "math"
        """
        if not isinstance(node, ast.Name):
            return None
        all_bindings = binding_scope(self.scope, node.id).bindings.get(node.id, [])
        if len(all_bindings) != 1 or all_bindings[0].kind != "module":
            return None
        return all_bindings[0].name

    def is_module_attribute(self, node: ast.expr) -> bool:
        """Whether this is an attribute of a module, like `math.pi` or `os.path.join`."""
        if not isinstance(node, ast.Attribute):
            return False
        return self.module_name(node.value) is not None or self.is_module_attribute(node.value)

    def is_stable_module_attribute(self, node: ast.Attribute) -> bool:
        """Whether a module certainly has this attribute, and it never changes."""
        module = self.module_name(node.value)
        is_known = module is not None and node.attr in _MODULE_ATTRIBUTES.get(module, ())
        if not is_known or self.facts.is_reflective or not isinstance(node.value, ast.Name):
            return False
        stores = (each for each in ast.walk(self.facts.tree) if isinstance(each, ast.Attribute))
        is_assigned = any(
            each.attr == node.attr and not isinstance(each.ctx, ast.Load) for each in stores
        )
        return not is_assigned and self.is_stable(node.value.id)


def names_at_start(
    facts: ProgramFacts, function: Function, enclosing_bound: dict[Scope, Bound]
) -> ScopeNames:
    """Names of a function at its first statement."""
    names = ScopeNames(facts, facts.scopes.created_by[function], frozenset(), enclosing_bound)
    return names.at_statement(frozenset(parameter_names(function)))
