"""A program goes in, its lines come out with the statements of its functions in single steps."""

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from worldline.rewrite.bound import Bound, bound_after, bound_within
from worldline.rewrite.expressions.headers import header_of, lower_header, waiting_in
from worldline.rewrite.expressions.lines import CannotWriteError, Layout, Line, segment, written
from worldline.rewrite.expressions.lowering import UnsafeError
from worldline.rewrite.expressions.page import Page
from worldline.rewrite.expressions.place import Place
from worldline.rewrite.expressions.plans import unlooped
from worldline.rewrite.expressions.statements import lower_statement, needs_lines
from worldline.rewrite.rewritten import LeftAlone
from worldline.rewrite.scopes import Function

_UNIT = "    "


@dataclass(slots=True)
class Blocks:
    """Goes through the blocks of a program. `wanted`: the lines to be rewritten, all if none."""

    layout: Layout
    page: Page
    wanted: Collection[int] | None
    left: list[LeftAlone] = field(default_factory=list)

    def block(self, place: Place, body: Sequence[ast.stmt], bound: Bound) -> None:
        """Write the statements of a block that stands on lines of its own."""
        waiting = list(body)
        while waiting:
            end = self.layout.ends[waiting[0].lineno]
            count = sum(self.layout.ends[each.lineno] == end for each in waiting)
            self._write(place, waiting[:count], bound)
            for statement in waiting[:count]:
                bound = bound_after(statement, bound) or bound
            waiting = waiting[count:]

    def _write(self, place: Place, together: list[ast.stmt], bound: Bound) -> None:
        """Write the statements of one line."""
        statement = together[0]
        if isinstance(statement, Function | ast.ClassDef):
            self._definition(place, statement, bound)
        elif header_of(statement) is not None or isinstance(statement, ast.Try | ast.TryStar):
            self._compound(place, statement, bound)
        else:
            lines = self._row(place, together, bound)
            if lines is not None:
                end = self.layout.ends[statement.lineno]
                indent = self.page.indent(statement.lineno)
                self._replace(statement.lineno, end, lines, indent, _unit_after(indent))

    def _row(self, place: Place, together: list[ast.stmt], bound: Bound) -> list[Line] | None:
        """The lines for simple statements that share one; none where nothing changes."""
        found: list[list[Line] | None] = []
        for statement in together:
            found.append(self._attempt(place, statement, bound))
            bound = bound_after(statement, bound) or bound
        if not any(lines is not None for lines in found):
            return None
        return [
            line
            for statement, lines in zip(together, found, strict=True)
            for line in (lines if lines is not None else [self._as_it_is(statement)])
        ]

    def _as_it_is(self, statement: ast.stmt) -> Line:
        text = segment(statement, self.layout.source) or written(statement, self.layout.source)
        return Line(0, text, statement.lineno)

    def _replace(self, first: int, last: int, lines: list[Line], indent: str, unit: str) -> None:
        """Put lines in place of old ones, whose comments are kept."""
        self.page.copy_to(first)
        for number in range(first, last):
            if number in self.layout.comments:
                self.page.put(indent, self.layout.comments[number], number)
        at = max((index for index, line in enumerate(lines) if line.depth == 0), default=-1)
        if last in self.layout.comments and at >= 0:
            text = f"{lines[at].text}  {self.layout.comments[last]}"
            lines = [*lines[:at], Line(0, text, lines[at].origin), *lines[at + 1 :]]
        self.page.put_lines(lines, indent, unit)
        self.page.skip_to(last + 1)

    def _attempt(self, place: Place, statement: ast.stmt, bound: Bound) -> list[Line] | None:
        """The lines for a statement, or for its header; none where it stays."""
        last = statement.end_lineno or statement.lineno
        header = header_of(statement)
        if header is not None or isinstance(statement, ast.Try | ast.TryStar):
            last = self.layout.ends[statement.lineno]
        span = range(statement.lineno, last + 1)
        if self.wanted is not None and not any(line in self.wanted for line in span):
            return None
        low = place.lowering(statement, bound)
        is_due = needs_lines(low, statement) if header is None else low.operations.of(header) > 1
        for node, why in waiting_in(statement):
            if low.operations.of(node) > 1:
                self._leave(statement, node, why)
        if place.why:
            if is_due:
                self._leave(statement, header or statement, place.why)
            return None
        for node in unlooped(place.plans, statement):
            why = place.plans.why_not(node) or "nothing is known of when its items are asked for"
            self._leave(statement, node, why)
        if not is_due:
            return None
        before = place.fresh.count
        try:
            (lower_statement if header is None else lower_header)(low, statement)
        except (UnsafeError, CannotWriteError) as error:
            place.fresh.count = before
            self._leave(statement, header or statement, str(error))
            return None
        return low.lines

    def _leave(self, statement: ast.stmt, node: ast.AST, why: str) -> None:
        what = ast.unparse(node)
        self.left.append(LeftAlone(statement.lineno, what, why))

    def _definition(self, place: Place, node: Function | ast.ClassDef, bound: Bound) -> None:
        if isinstance(node, ast.ClassDef):
            self._body(place.in_class(node, bound), node.body, bound, node.lineno)
        else:
            inner = place.in_function(node, bound)
            self._body(inner, node.body, inner.names.bound, node.lineno)

    def _body(
        self,
        place: Place,
        body: list[ast.stmt],
        bound: Bound,
        first: int,
        head: list[Line] | None = None,
    ) -> None:
        """Write a block and, where it is new, the header on the line `first` before it."""
        indent = self.page.indent(first)
        start = self.layout.source[body[0].lineno - 1].encode()[: body[0].col_offset].decode()
        # A header that ends in a backslash has its block on the next line, and is one with it.
        is_inline = start.strip() or self.layout.starts[body[0].lineno] < body[0].lineno
        if not is_inline:
            if head is not None:
                unit = self.page.indent(body[0].lineno)[len(indent) :]
                self._replace(first, self.layout.ends[first], head, indent, unit)
            self.block(place, body, bound)
            return
        lines = self._row(place, body, bound)
        if head is None and lines is None:
            return
        if self.layout.starts[body[0].lineno] < body[0].lineno and head is None:
            self._leave(body[0], body[0], "its header has many lines")
            return
        head = head or [Line(0, start.strip(), first)]
        inner = lines if lines is not None else [self._as_it_is(each) for each in body]
        deeper = [Line(line.depth + 1, line.text, line.origin) for line in inner]
        self._replace(first, self.layout.ends[first], [*head, *deeper], indent, _UNIT)

    def _compound(self, place: Place, node: ast.stmt, bound: Bound) -> None:
        if isinstance(node, ast.If):
            self._if(place, node, bound, self._attempt(place, node, bound))
            return
        head = self._attempt(place, node, bound)
        if isinstance(node, ast.Match):
            if head is not None:
                indent = self.page.indent(node.lineno)
                end = self.layout.ends[node.lineno]
                self._replace(node.lineno, end, head, indent, _unit_after(indent))
            for case in node.cases:
                self._body(place, case.body, bound, case.pattern.lineno)
            return
        assert isinstance(
            node,
            ast.For | ast.AsyncFor | ast.While | ast.With | ast.AsyncWith | ast.Try | ast.TryStar,
        )
        self._body(place, node.body, bound_within(node, bound), node.lineno, head)
        if isinstance(node, ast.Try | ast.TryStar):
            for handler in node.handlers:
                self._body(place, handler.body, bound, handler.lineno)
        for name in ("orelse", "finalbody"):
            rest = getattr(node, name, [])
            if rest:
                self._body(place, rest, bound, rest[0].lineno)

    def _if(self, place: Place, node: ast.If, bound: Bound, head: list[Line] | None) -> None:
        self._body(place, node.body, bound, node.lineno, head)
        if not node.orelse:
            return
        inner = node.orelse[0]
        start = self.layout.source[inner.lineno - 1].encode()[inner.col_offset :].decode()
        if not isinstance(inner, ast.If) or not start.startswith("elif"):
            self._body(place, node.orelse, bound, inner.lineno)
            return
        head = self._attempt(place, inner, bound)
        if head is None:
            self._if(place, inner, bound, None)
            return
        # Its test may be worked out only where it is needed: inside an `else`.
        indent = self.page.indent(inner.lineno)
        self.page.copy_to(inner.lineno)
        self.page.put(indent, "else:", inner.lineno)
        self.page.shifts.append((indent, _unit_after(indent)))
        self._if(place, inner, bound, head)
        self.page.copy_to((inner.end_lineno or inner.lineno) + 1)
        self.page.shifts.pop()


def _unit_after(indent: str) -> str:
    return "\t" if indent.endswith("\t") else _UNIT
