"""Rewriter of the blocks of a program, statement by statement."""

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from worldline.languages.python.rewrite.definite_assignment import Bound, bound_after, bound_in_body
from worldline.languages.python.rewrite.expressions.compound_headers import (
    header_expression,
    late_expressions,
    lower_header,
)
from worldline.languages.python.rewrite.expressions.comprehension_plans import kept_comprehensions
from worldline.languages.python.rewrite.expressions.lowering import UnsafeError
from worldline.languages.python.rewrite.expressions.output_buffer import OutputBuffer
from worldline.languages.python.rewrite.expressions.scope_context import ScopeContext
from worldline.languages.python.rewrite.expressions.simple_statements import (
    lower_statement,
    needs_lowering,
)
from worldline.languages.python.rewrite.expressions.unparse import (
    OutputLine,
    UnparseError,
    unparse_line,
)
from worldline.languages.python.rewrite.scopes import Function
from worldline.languages.python.rewrite.source_layout import (
    SourceLayout,
    character_column,
    line_segment,
)
from worldline.languages.python.rewrite.source_map import SkippedRewrite

_INDENT_UNIT = "    "


@dataclass(slots=True)
class BlockRewriter:
    """Rewriter of the blocks of a program.

    Attributes:
        layout: the layout of the old text.
        output: the new text.
        selected_lines: the lines to rewrite; None for all.
        skipped: constructs that were not rewritten.
    """

    layout: SourceLayout
    output: OutputBuffer
    selected_lines: Collection[int] | None
    skipped: list[SkippedRewrite] = field(default_factory=list)

    def rewrite_block(self, context: ScopeContext, body: Sequence[ast.stmt], bound: Bound) -> None:
        """Rewrite the statements of a block that starts on its own line."""
        pending = list(body)
        while pending:
            end = self.layout.logical_ends[pending[0].lineno]
            count = sum(self.layout.logical_ends[each.lineno] == end for each in pending)
            self._rewrite_logical_line(context, pending[:count], bound)
            for statement in pending[:count]:
                bound = bound_after(statement, bound) or bound
            pending = pending[count:]

    def _rewrite_logical_line(
        self, context: ScopeContext, statements: list[ast.stmt], bound: Bound
    ) -> None:
        """Rewrite the statements of one logical line."""
        statement = statements[0]
        if isinstance(statement, Function | ast.ClassDef):
            self._rewrite_definition(context, statement, bound)
        elif header_expression(statement) is not None or isinstance(
            statement, ast.Try | ast.TryStar
        ):
            self._rewrite_compound(context, statement, bound)
        else:
            lines = self._lower_simple(context, statements, bound)
            if lines is not None:
                end = self.layout.logical_ends[statement.lineno]
                indent = self.output.indentation(statement.lineno)
                self._replace(statement.lineno, end, lines, indent, _indent_unit(indent))

    def _lower_simple(
        self, context: ScopeContext, statements: list[ast.stmt], bound: Bound
    ) -> list[OutputLine] | None:
        """Lower simple statements that share a line; None if nothing changes."""
        lowered: list[list[OutputLine] | None] = []
        for statement in statements:
            lowered.append(self._lower(context, statement, bound))
            bound = bound_after(statement, bound) or bound
        if not any(lines is not None for lines in lowered):
            return None
        return [
            line
            for statement, lines in zip(statements, lowered, strict=True)
            for line in (lines if lines is not None else [self._unchanged_line(statement)])
        ]

    def _unchanged_line(self, statement: ast.stmt) -> OutputLine:
        text = line_segment(statement, self.layout.lines) or unparse_line(
            statement, self.layout.lines
        )
        return OutputLine(0, text, statement.lineno)

    def _replace(
        self, first: int, last: int, lines: list[OutputLine], indent: str, unit: str
    ) -> None:
        """Replace old lines by new ones, and keep their comments."""
        self.output.copy_until(first)
        for number in range(first, last):
            if number in self.layout.comments:
                self.output.write(indent, self.layout.comments[number], number)
        last_top_level = max(
            (index for index, line in enumerate(lines) if line.depth == 0), default=-1
        )
        if last in self.layout.comments and last_top_level >= 0:
            text = f"{lines[last_top_level].text}  {self.layout.comments[last]}"
            lines = [
                *lines[:last_top_level],
                OutputLine(0, text, lines[last_top_level].origin),
                *lines[last_top_level + 1 :],
            ]
        self.output.write_lines(lines, indent, unit)
        self.output.skip_until(last + 1)

    def _lower(
        self, context: ScopeContext, statement: ast.stmt, bound: Bound
    ) -> list[OutputLine] | None:
        """Lower a statement, or its header; None if it stays as it is."""
        last = statement.end_lineno or statement.lineno
        expression = header_expression(statement)
        if expression is not None or isinstance(statement, ast.Try | ast.TryStar):
            last = self.layout.logical_ends[statement.lineno]
        lines = range(statement.lineno, last + 1)
        if self.selected_lines is not None and not any(
            line in self.selected_lines for line in lines
        ):
            return None
        lowering = context.start_lowering(statement, bound)
        needs_lines = (
            needs_lowering(lowering, statement)
            if expression is None
            else lowering.operations.count(expression) > 1
        )
        for node, why in late_expressions(statement):
            if lowering.operations.count(node) > 1:
                self._skip(statement, node, why)
        if context.skip_reason:
            if needs_lines:
                self._skip(statement, expression or statement, context.skip_reason)
            return None
        for node in kept_comprehensions(context.plans, statement):
            why = context.plans.reason_kept(node) or "when its items are consumed is not known"
            self._skip(statement, node, why)
        if not needs_lines:
            return None
        count = context.temporaries.count
        try:
            (lower_statement if expression is None else lower_header)(lowering, statement)
        except (UnsafeError, UnparseError) as error:
            context.temporaries.count = count
            self._skip(statement, expression or statement, str(error))
            return None
        return lowering.lines

    def _skip(self, statement: ast.stmt, node: ast.AST, why: str) -> None:
        what = ast.unparse(node)
        self.skipped.append(SkippedRewrite(statement.lineno, what, why))

    def _rewrite_definition(
        self, context: ScopeContext, node: Function | ast.ClassDef, bound: Bound
    ) -> None:
        if isinstance(node, ast.ClassDef):
            self._rewrite_body(context.enter_class(node, bound), node.body, bound, node.lineno)
        else:
            inner = context.enter_function(node, bound)
            self._rewrite_body(inner, node.body, inner.names.bound, node.lineno)

    def _rewrite_body(
        self,
        context: ScopeContext,
        body: list[ast.stmt],
        bound: Bound,
        first: int,
        header: list[OutputLine] | None = None,
    ) -> None:
        """Rewrite a block and, if it has a new header, the header on the line `first` before it."""
        indent = self.output.indentation(first)
        line = self.layout.lines[body[0].lineno - 1]
        start = line[: character_column(line, body[0].col_offset)]
        # After a header that ends in a backslash, the block is part of the same logical line.
        is_inline = start.strip() or self.layout.logical_starts[body[0].lineno] < body[0].lineno
        if not is_inline:
            if header is not None:
                unit = self.output.indentation(body[0].lineno)[len(indent) :]
                self._replace(first, self.layout.logical_ends[first], header, indent, unit)
            self.rewrite_block(context, body, bound)
            return
        lines = self._lower_simple(context, body, bound)
        if header is None and lines is None:
            return
        if self.layout.logical_starts[body[0].lineno] < body[0].lineno and header is None:
            self._skip(body[0], body[0], "its header has several lines")
            return
        header = header or [OutputLine(0, start.strip(), first)]
        body_lines = lines if lines is not None else [self._unchanged_line(each) for each in body]
        indented = [OutputLine(line.depth + 1, line.text, line.origin) for line in body_lines]
        self._replace(
            first, self.layout.logical_ends[first], [*header, *indented], indent, _INDENT_UNIT
        )

    def _rewrite_compound(self, context: ScopeContext, node: ast.stmt, bound: Bound) -> None:
        if isinstance(node, ast.If):
            self._rewrite_if(context, node, bound, self._lower(context, node, bound))
            return
        header = self._lower(context, node, bound)
        if isinstance(node, ast.Match):
            if header is not None:
                indent = self.output.indentation(node.lineno)
                end = self.layout.logical_ends[node.lineno]
                self._replace(node.lineno, end, header, indent, _indent_unit(indent))
            for case in node.cases:
                self._rewrite_body(context, case.body, bound, case.pattern.lineno)
            return
        assert isinstance(
            node,
            ast.For | ast.AsyncFor | ast.While | ast.With | ast.AsyncWith | ast.Try | ast.TryStar,
        )
        self._rewrite_body(context, node.body, bound_in_body(node, bound), node.lineno, header)
        if isinstance(node, ast.Try | ast.TryStar):
            for handler in node.handlers:
                self._rewrite_body(context, handler.body, bound, handler.lineno)
        for name in ("orelse", "finalbody"):
            block = getattr(node, name, [])
            if block:
                self._rewrite_body(context, block, bound, block[0].lineno)

    def _rewrite_if(
        self, context: ScopeContext, node: ast.If, bound: Bound, header: list[OutputLine] | None
    ) -> None:
        self._rewrite_body(context, node.body, bound, node.lineno, header)
        if not node.orelse:
            return
        inner = node.orelse[0]
        line = self.layout.lines[inner.lineno - 1]
        start = character_column(line, inner.col_offset)
        if not isinstance(inner, ast.If) or not line.startswith("elif", start):
            self._rewrite_body(context, node.orelse, bound, inner.lineno)
            return
        header = self._lower(context, inner, bound)
        if header is None:
            self._rewrite_if(context, inner, bound, None)
            return
        # The test of an `elif` must only be evaluated if it is needed: inside an `else`.
        indent = self.output.indentation(inner.lineno)
        self.output.copy_until(inner.lineno)
        self.output.write(indent, "else:", inner.lineno)
        self.output.shifts.append((indent, _indent_unit(indent)))
        self._rewrite_if(context, inner, bound, header)
        self.output.copy_until((inner.end_lineno or inner.lineno) + 1)
        self.output.shifts.pop()


def _indent_unit(indent: str) -> str:
    return "\t" if indent.endswith("\t") else _INDENT_UNIT
