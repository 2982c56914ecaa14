"""A scope of a program goes in; what its statements are rewritten with comes out."""

import ast
from dataclasses import dataclass

from worldline.rewrite.bound import Bound
from worldline.rewrite.expressions.arguments import Parameters
from worldline.rewrite.expressions.facts import Facts, words
from worldline.rewrite.expressions.kinds import Kinds
from worldline.rewrite.expressions.lowering import Fresh, Lowering
from worldline.rewrite.expressions.names import Names, names_in
from worldline.rewrite.expressions.operations import Operations
from worldline.rewrite.expressions.plans import Plans
from worldline.rewrite.expressions.statements import SPECIAL
from worldline.rewrite.scopes import Function

# What shows a function its own variables.
_LOOKS = words("locals vars dir eval exec")


@dataclass(frozen=True, slots=True)
class Place:
    """A scope: its names, and why its statements stay as they are, if they do."""

    names: Names
    kinds: Kinds
    plans: Plans
    operations: Operations
    fresh: Fresh
    source: tuple[str, ...]
    parameters: Parameters
    why: str

    def lowering(self, statement: ast.stmt, bound: Bound) -> Lowering:
        """To work out one statement, before which some names surely have a value."""
        names = self.names.at(bound)
        self.plans.names = names
        return Lowering(
            names,
            self.kinds,
            self.plans,
            self.operations,
            self.fresh,
            self.source,
            statement,
            SPECIAL,
        )

    def in_function(self, node: Function, bound: Bound) -> "Place":
        """A function that is defined here."""
        outside = self.names.at(bound)
        if isinstance(self.names.scope.node, ast.ClassDef):
            names = names_in(self.names.facts, node, self.names.around)
        else:
            names = outside.inner(node)
        return _made(names, self.source, self.parameters, _why_function(names))

    def in_class(self, node: ast.ClassDef, bound: Bound) -> "Place":
        """A class that is defined here."""
        facts, scope = self.names.facts, self.names.scope
        around = {**self.names.around}
        if not isinstance(scope.node, ast.ClassDef | ast.Module):
            around[scope] = self.names.at(bound).bound
        names = Names(facts, facts.scopes[node], frozenset(), around)
        return _made(names, self.source, self.parameters, "its class would keep the variables")


def place_of_module(
    facts: Facts, source: tuple[str, ...], sure: Bound, parameters: Parameters
) -> Place:
    """A statement of the module, in which some globals surely have a value."""
    names = Names(facts, facts.module, frozenset(), {facts.module: sure})
    return _made(names, source, parameters, "its module would keep the variables")


def _made(names: Names, source: tuple[str, ...], parameters: Parameters, why: str) -> Place:
    kinds = Kinds(names, parameters)
    plans = Plans(names, kinds, frozenset(names.scope.seen()))
    operations = Operations(names, plans)
    fresh = Fresh(names.facts.words)
    return Place(names, kinds, plans, operations, fresh, source, parameters, why)


def _why_function(names: Names) -> str:
    if names.facts.is_watched:
        return "the program may look at its frames, its lines or the lives of its objects"
    inside = names.scope.reads.union(
        *(
            scope.reads
            for scope in names.scope.within()
            if not isinstance(scope.node, Function | ast.ClassDef)
        )
    )
    return "the function may look at its own variables" if inside & _LOOKS else ""
