"""Code of JavaScript statements, with a line step where the recorder has one.

The rules are those of the recorder (`instrument.js`): a step before each statement that begins on
another line than the one before it, and before each further round of a loop.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from worldline.languages.control_flow.code_emitter import CodeEmitter, Handler, Label
from worldline.languages.control_flow.line_branches import Construct
from worldline.languages.control_flow.syntax_tree import (
    first_line,
    last_line,
    node_text,
    part,
    parts,
)
from worldline.languages.javascript.javascript_callees import CalleeIndex
from worldline.languages.javascript.javascript_expression_code import JavaScriptExpressions
from worldline.languages.javascript.javascript_functions import FUNCTIONS, TYPES, unwrap

if TYPE_CHECKING:
    from worldline.languages.control_flow.syntax_tree import Node

_LOOPS = frozenset(["for_statement", "for_in_statement", "while_statement", "do_statement"])
_COMPOUND = _LOOPS | {"if_statement", "switch_statement", "try_statement", "labeled_statement"}
# Statements without a step of their own.
_SILENT = FUNCTIONS | {
    "statement_block",
    "empty_statement",
    "try_statement",
    "do_statement",
    "labeled_statement",
    "while_statement",
    "import_statement",
    "export_statement",
}


@dataclass(slots=True)
class _Target:
    """What `break` and `continue` can leave, or a `finally` that they pass."""

    names: tuple[str, ...] = ()
    end: Label = field(default_factory=Label)
    again: Label | None = None
    # The line of the step before `continue` of for-in and for-of.
    again_line: int | None = None
    finalizer: Callable[[], None] | None = None
    handlers: int = 0
    is_plain: bool = True


class JavaScriptStatements:
    """Emits the code of the statements of one function."""

    def __init__(self, code: CodeEmitter, callees: CalleeIndex) -> None:
        self.constructs: list[Construct] = []
        self._code = code
        self._expressions = JavaScriptExpressions(code, callees)
        self._targets: list[_Target] = []

    def function(self, node: "Node") -> None:
        """Emit the code of a function."""
        body = part(node, "body")
        if body.type == "statement_block":
            self.block(parts(body), None, has_directives=True)
            self._code.emit(frame_exit="return", falls_through=False)
            return
        inner = unwrap(body)
        self._code.mark_line(first_line(inner))
        self._expressions.evaluate(inner)
        self._code.emit(frame_exit="return", falls_through=False)

    def module(self, root: "Node") -> None:
        """Emit the code of the top level."""
        self.block(parts(root), None, has_directives=True)
        self._code.emit(frame_exit="return", falls_through=False)

    def block(
        self, nodes: Sequence["Node"], header_line: int | None, *, has_directives: bool = False
    ) -> None:
        """Emit a list of statements; `header_line` is the line of the step just before it."""
        previous = header_line
        for node in nodes:
            if node.type in TYPES:
                continue
            has_directives = has_directives and _is_directive(node)
            event = _event_node(node)
            line = first_line(event)
            if line != previous and event.type not in _SILENT and not has_directives:
                self._code.mark_line(line)
            self._statement(node)
            if node.type not in _SILENT or node.type in _COMPOUND:
                is_long = node.type in _COMPOUND and last_line(node) != line
                previous = None if is_long else line

    def _body(self, node: "Node", header_line: int | None) -> None:
        nodes = parts(node) if node.type == "statement_block" else [node]
        self.block(nodes, header_line)

    def _statement(self, node: "Node", names: tuple[str, ...] = ()) -> None:
        match node.type:
            case "statement_block":
                self.block(parts(node), None)
            case "if_statement":
                self._if(node)
            case "labeled_statement":
                self._labeled(node, names)
            case "for_statement" | "for_in_statement" | "while_statement" | "do_statement":
                self._loop(node, names)
            case "switch_statement":
                self._switch(node)
            case "try_statement":
                self._try(node)
            case "break_statement" | "continue_statement":
                self._leave(node)
            case "return_statement" | "throw_statement":
                self._exit(node)
            case "export_statement":
                for child in parts(node):
                    self._statement(child)
            case kind if kind in FUNCTIONS or kind in ("import_statement", "export_clause"):
                pass
            case _:
                self._expressions.evaluate(node)

    # -- branches --------------------------------------------------------------------------------

    def _if(self, node: "Node") -> None:
        line = first_line(node)
        consequence = part(node, "consequence")
        condition = part(node, "condition")
        self._construct("if", range(line, last_line(condition) + 1), _lines(consequence))
        otherwise, end = Label(), Label()
        self._expressions.evaluate(condition)
        self._code.branch(otherwise)
        self._body(consequence, line)
        self._code.jump(end)
        self._code.place(otherwise)
        alternative = node.child_by_field_name("alternative")
        if alternative is not None:
            self._body(parts(alternative)[0], line)
        self._code.place(end)

    def _labeled(self, node: "Node", names: tuple[str, ...]) -> None:
        names = (*names, node_text(node.child_by_field_name("label")))
        body = part(node, "body")
        if body.type in _LOOPS or body.type == "labeled_statement":
            self._statement(body, names)
            return
        target = self._push(_Target(names, is_plain=False))
        self._statement(body)
        self._targets.pop()
        self._code.place(target.end)

    def _switch(self, node: "Node") -> None:
        value = part(node, "value")
        cases = parts(part(node, "body"))
        self._expressions.evaluate(value)
        header = range(first_line(node), last_line(value) + 1)
        labels = [Label() for _ in cases]
        target = self._push(_Target())
        default: Label | None = None
        for case, label in zip(cases, labels, strict=True):
            if case.type == "switch_default":
                default = label
                continue
            self._expressions.evaluate(part(case, "value"))
            self._code.branch(label)
            self._construct("match", header, _lines(case))
        self._code.jump(default or target.end)
        for case, label in zip(cases, labels, strict=True):
            self._code.place(label)
            self.block(case.children_by_field_name("body"), None)
        self._targets.pop()
        self._code.place(target.end)

    # -- loops -----------------------------------------------------------------------------------

    def _loop(self, node: "Node", names: tuple[str, ...]) -> None:
        line = first_line(node)
        body = part(node, "body")
        kind = "for" if node.type.startswith("for") else "while"
        header = range(line, max(line, first_line(body)) + 1)
        if node.type == "do_statement":
            header = _lines(unwrap(part(node, "condition")))
        self._construct(kind, header, _lines(node))
        is_of = node.type == "for_in_statement"
        target = self._push(_Target(names, again=Label(), again_line=line if is_of else None))
        match node.type:
            case "for_statement":
                self._for(node, target, line)
            case "for_in_statement":
                self._for_in(node, target, line)
            case "while_statement":
                self._while(node, target, line)
            case _:
                self._do(node, target)
        self._targets.pop()
        self._code.place(target.end)

    def _for(self, node: "Node", target: _Target, line: int) -> None:
        assert target.again is not None
        test = Label()
        self._expressions.evaluate(node.child_by_field_name("initializer"))
        self._code.place(test)
        condition = node.child_by_field_name("condition")
        if condition is not None and node_text(condition).strip("; "):
            self._expressions.evaluate(condition)
            if node_text(unwrap(condition)) != "true":
                self._code.branch(target.end)
        self._body(part(node, "body"), line)
        self._code.place(target.again)
        self._code.mark_line(line)
        self._expressions.evaluate(node.child_by_field_name("increment"))
        self._code.jump(test)

    def _for_in(self, node: "Node", target: _Target, line: int) -> None:
        assert target.again is not None
        self._expressions.evaluate(part(node, "right"))
        self._expressions.risk()
        self._code.place(target.again)
        if self._expressions.may_call_implicitly:
            self._expressions.risk()
        self._code.branch(target.end)
        self._expressions.bind(part(node, "left"))
        self._body(part(node, "body"), line)
        self._code.mark_line(line)
        self._code.jump(target.again)

    def _while(self, node: "Node", target: _Target, line: int) -> None:
        assert target.again is not None
        self._code.place(target.again)
        self._code.mark_line(line)
        self._test(part(node, "condition"), target.end)
        self._body(part(node, "body"), line)
        self._code.jump(target.again)

    def _do(self, node: "Node", target: _Target) -> None:
        assert target.again is not None
        start = Label()
        condition = unwrap(part(node, "condition"))
        self._code.place(start)
        self._body(part(node, "body"), None)
        self._code.place(target.again)
        self._code.mark_line(first_line(condition))
        self._test(condition, target.end)
        self._code.jump(start)

    def _test(self, condition: "Node", end: Label) -> None:
        self._expressions.evaluate(condition)
        if node_text(unwrap(condition)) != "true":
            self._code.branch(end)

    # -- jumps -----------------------------------------------------------------------------------

    def _push(self, target: _Target) -> _Target:
        target.handlers = len(self._code.handlers)
        self._targets.append(target)
        return target

    def _leave(self, node: "Node") -> None:
        label = node_text(node.child_by_field_name("label"))
        is_continue = node.type == "continue_statement"
        for index in range(len(self._targets) - 1, -1, -1):
            target = self._targets[index]
            if target.finalizer is not None or (is_continue and target.again is None):
                continue
            if label in target.names if label else target.is_plain:
                if is_continue and target.again_line is not None:
                    self._code.mark_line(target.again_line)
                self._unwind(index + 1)
                self._code.jump(target.again if is_continue and target.again else target.end)
                return

    def _exit(self, node: "Node") -> None:
        for child in parts(node):
            self._expressions.evaluate(child)
        if node.type == "throw_statement":
            self._code.emit(may_raise=True, falls_through=False)
            return
        self._unwind(0)
        self._code.emit(frame_exit="return", falls_through=False)

    def _unwind(self, down_to: int) -> None:
        """Emit the `finally` blocks that a jump passes."""
        targets, handlers = self._targets, self._code.handlers
        for index in range(len(targets) - 1, down_to - 1, -1):
            finalizer = targets[index].finalizer
            if finalizer is not None:
                self._targets = targets[:index]
                self._code.handlers = handlers[: targets[index].handlers]
                finalizer()
        self._targets, self._code.handlers = targets, handlers

    # -- exceptions ------------------------------------------------------------------------------

    def _try(self, node: "Node") -> None:
        handler = node.child_by_field_name("handler")
        finalizer = node.child_by_field_name("finalizer")
        body = parts(part(node, "body"))
        if finalizer is None:
            self._try_catch(body, handler)
            return
        final = parts(part(finalizer, "body"))
        # An exception of a `catch` has its step only after the `finally`.
        raised = Handler(Label(), is_silent=handler is not None)
        target = self._push(_Target(finalizer=lambda: self.block(final, None), is_plain=False))
        self._code.handlers = [*self._code.handlers, raised]
        self._try_catch(body, handler)
        self._code.handlers = self._code.handlers[: target.handlers]
        self._targets.pop()
        end = Label()
        self.block(final, None)
        self._code.jump(end)
        self._code.place(raised.label)
        self.block(final, None)
        if raised.is_silent:
            self._code.emit(may_raise=True, falls_through=False)
        else:
            self._code.rethrow()
        self._code.place(end)

    def _try_catch(self, body: Sequence["Node"], handler: "Node | None") -> None:
        if handler is None:
            self.block(body, None)
            return
        caught, end = Handler(Label()), Label()
        outer = self._code.handlers
        self._code.handlers = [*outer, caught]
        self.block(body, None)
        self._code.handlers = outer
        self._code.jump(end)
        self._code.place(caught.label)
        self._expressions.bind(handler.child_by_field_name("parameter"))
        self.block(parts(part(handler, "body")), None)
        self._code.place(end)

    def _construct(self, kind: str, header: range, block: range) -> None:
        self.constructs.append(Construct(kind, header, block))  # type: ignore[arg-type]


def _lines(node: "Node") -> range:
    return range(first_line(node), last_line(node) + 1)


def _event_node(node: "Node") -> "Node":
    """The statement whose step comes before a node: that of a label is its statement's."""
    while node.type == "labeled_statement":
        node = part(node, "body")
    if node.type == "export_statement":
        declared = node.child_by_field_name("declaration")
        is_default = any(child.type == "default" for child in node.children)
        return node if declared is None or is_default else declared
    return node


def _is_directive(node: "Node") -> bool:
    return node.type == "expression_statement" and [p.type for p in parts(node)] == ["string"]
