"""Context of a scope: what its statements are lowered with."""

import ast
from dataclasses import dataclass

from worldline.core.trace import words
from worldline.languages.python.rewrite.definite_assignment import Bound
from worldline.languages.python.rewrite.expressions.comprehension_plans import ComprehensionPlans
from worldline.languages.python.rewrite.expressions.lowering import Lowering, TemporaryNames
from worldline.languages.python.rewrite.expressions.operation_count import OperationCounter
from worldline.languages.python.rewrite.expressions.program_facts import ProgramFacts
from worldline.languages.python.rewrite.expressions.simple_statements import SPECIAL_CASES
from worldline.languages.python.rewrite.expressions.stable_names import ScopeNames, names_at_start
from worldline.languages.python.rewrite.scopes import Function
from worldline.languages.python.rewrite.type_inference import LocalTypes, TypeInference

# Functions that show a function its own variables.
_SCOPE_INSPECTORS = words("locals vars dir eval exec")


@dataclass(frozen=True, slots=True)
class ScopeContext:
    """Context of a scope.

    Attributes:
        names: its names.
        types: types of expressions in it.
        plans: comprehensions that become loops.
        operations: counts operations.
        temporaries: new names.
        source: the lines of the program.
        inference: types of the program.
        skip_reason: why its statements are not rewritten; empty if they are.
    """

    names: ScopeNames
    types: LocalTypes
    plans: ComprehensionPlans
    operations: OperationCounter
    temporaries: TemporaryNames
    source: tuple[str, ...]
    inference: TypeInference
    skip_reason: str

    def start_lowering(self, statement: ast.stmt, bound: Bound) -> Lowering:
        """Start the lowering of one statement, before which some names are certainly bound."""
        names = self.names.at_statement(bound)
        self.plans.names = names
        return Lowering(
            names,
            self.types,
            self.plans,
            self.operations,
            self.temporaries,
            self.source,
            statement,
            SPECIAL_CASES,
        )

    def enter_function(self, node: Function, bound: Bound) -> "ScopeContext":
        """Context of a function that is defined in this scope."""
        outside = self.names.at_statement(bound)
        if isinstance(self.names.scope.node, ast.ClassDef):
            names = names_at_start(self.names.facts, node, self.names.enclosing_bound)
        else:
            names = outside.for_function(node)
        return _make_context(names, self.source, self.inference, _function_skip_reason(names))

    def enter_class(self, node: ast.ClassDef, bound: Bound) -> "ScopeContext":
        """Context of a class that is defined in this scope."""
        facts, scope = self.names.facts, self.names.scope
        enclosing_bound = {**self.names.enclosing_bound}
        if not isinstance(scope.node, ast.ClassDef | ast.Module):
            enclosing_bound[scope] = self.names.at_statement(bound).bound
        names = ScopeNames(facts, facts.scopes.created_by[node], frozenset(), enclosing_bound)
        return _make_context(
            names, self.source, self.inference, "the variables would become attributes of its class"
        )


def module_context(
    facts: ProgramFacts, source: tuple[str, ...], bound_globals: Bound, inference: TypeInference
) -> ScopeContext:
    """Context of a statement of the module, in which some globals are certainly bound."""
    names = ScopeNames(facts, facts.module, frozenset(), {facts.module: bound_globals})
    return _make_context(
        names, source, inference, "the variables would become globals of its module"
    )


def _make_context(
    names: ScopeNames, source: tuple[str, ...], inference: TypeInference, skip_reason: str
) -> ScopeContext:
    types = LocalTypes(inference, names.scope)
    plans = ComprehensionPlans(names, types, frozenset(names.scope.visible_names()))
    operations = OperationCounter(names, plans)
    temporaries = TemporaryNames(names.facts.identifiers)
    return ScopeContext(
        names, types, plans, operations, temporaries, source, inference, skip_reason
    )


def _function_skip_reason(names: ScopeNames) -> str:
    if names.facts.may_inspect_frames:
        return "the program may look at its frames, its lines or the lifetimes of its objects"
    names_read = names.scope.reads.union(
        *(
            scope.reads
            for scope in names.scope.nested()
            if not isinstance(scope.node, Function | ast.ClassDef)
        )
    )
    return "the function may look at its own variables" if names_read & _SCOPE_INSPECTORS else ""
