"""Code of Java statements, in the order in which javac emits it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from worldline.languages.control_flow.code_emitter import Handler, Label
from worldline.languages.control_flow.line_branches import Construct
from worldline.languages.control_flow.syntax_tree import (
    first_line,
    last_line,
    node_text,
    part,
    parts,
)
from worldline.languages.java.java_callees import JavaCallees
from worldline.languages.java.java_expression_code import JavaExpressions, position_line
from worldline.languages.java.java_functions import CLASSES, JavaFunction
from worldline.languages.java.javac_code import Chain, JavacCode

if TYPE_CHECKING:
    from worldline.languages.control_flow.syntax_tree import Node

_BLOCKS = frozenset(["block", "constructor_body"])
_LOOPS = frozenset(["for_statement", "enhanced_for_statement", "while_statement", "do_statement"])


@dataclass(slots=True)
class _Target:
    """What `break`, `continue` and `yield` can leave, or a `finally` that they pass."""

    names: tuple[str, ...] = ()
    end: Chain = field(default_factory=list)
    is_loop: bool = False
    is_switch: bool = False
    is_expression: bool = False
    again: Chain = field(default_factory=list)
    # The start of a loop that has nothing after its body.
    start: int | None = None
    finalizer: Callable[[], None] | None = None
    handlers: int = 0


class JavaStatements:
    """Emits the code of one function."""

    def __init__(self, code: JavacCode, callees: JavaCallees) -> None:
        self.constructs: list[Construct] = []
        self._code = code
        self._callees = callees
        self._expressions = JavaExpressions(code, callees, self._switch_expression)
        self._targets: list[_Target] = []
        self._result_type = ""

    def function(self, function: JavaFunction) -> None:
        """Emit the code of a function."""
        body = part(function.node, "body")
        self._result_type = node_text(function.node.child_by_field_name("type"))
        if body.type not in _BLOCKS:
            line = first_line(body)
            self._code.start_line(line)
            self._expressions.evaluate(body)
            self._code.start_line(line)
            self._code.emit(frame_exit="return", falls_through=False)
            return
        statements = parts(body)
        if function.name == "<init>":
            statements = self._constructor_start(function, statements)
        for statement in statements:
            self._statement(statement)
        if function.node.type == "compact_constructor_declaration":
            # The fields of the record get their values here.
            self._code.start_line(function.line, is_optional=True)
            self._code.emit()
        if self._code.is_reachable:
            self._code.start_line(last_line(body))
            self._code.emit(frame_exit="return", falls_through=False)

    def _constructor_start(
        self, function: JavaFunction, statements: Sequence["Node"]
    ) -> list["Node"]:
        """The call of another constructor, and the values of fields; the rest is returned."""
        rest = list(statements)
        if rest and rest[0].type == "explicit_constructor_invocation":
            first = rest.pop(0)
            self._code.start_line(first_line(first))
            self._code.emit()
            self._expressions.evaluate(first)
        else:
            self._code.start_line(first_line(part(function.node, "name")))
            self._code.emit(may_raise=True, callees=self._callees.of_super)
        for each in function.fields:
            self._code.start_line(first_line(part(each, "name")))
            self._code.emit()
            self._expressions.evaluate(part(each, "value"))
            self._code.emit()
        return rest

    # -- statements ------------------------------------------------------------------------------

    def _statement(self, node: "Node") -> None:
        if not self._code.is_reachable:
            return
        self._code.start_line(first_line(node))
        match node.type:
            case "block":
                self._block(parts(node), last_line(node))
            case "local_variable_declaration":
                self._declaration(node)
            case "expression_statement":
                self._expression_statement(node)
            case "if_statement":
                self._if(node)
            case "labeled_statement":
                self._labeled(node, ())
            case kind if kind in _LOOPS:
                self._loop(node, ())
            case "switch_expression" | "switch_statement":
                self._switch(node, is_expression=False)
            case "try_statement" | "try_with_resources_statement":
                self._try(node)
            case "break_statement" | "continue_statement" | "yield_statement":
                self._leave(node)
            case "return_statement":
                self._return(node)
            case "throw_statement":
                line = first_line(node)
                self._expressions.evaluate(parts(node)[0])
                self._code.start_line(line, is_optional=True)
                self._code.emit(may_raise=True, falls_through=False)
            case "synchronized_statement":
                self._expressions.evaluate(parts(node)[0])
                self._statement(part(node, "body"))
            case "assert_statement":
                self._assert(node)
            case kind if kind in CLASSES or kind == ";":
                pass
            case _:
                for child in parts(node):
                    self._expressions.evaluate(child)

    def _block(
        self, nodes: Sequence["Node"], end_line: int, *, has_variables: bool = False
    ) -> None:
        """Emit statements; where variables end, javac starts the line of the closing bracket."""
        for node in nodes:
            self._statement(node)
        if has_variables or any(_declares(node) for node in nodes):
            self._code.start_line(end_line)
            if self._code.is_reachable:
                self._code.position()
        self._code.start_line(None)

    def _declaration(self, node: "Node") -> None:
        for each in node.children_by_field_name("declarator"):
            self._code.start_line(first_line(part(each, "name")))
            value = each.child_by_field_name("value")
            if value is not None:
                self._expressions.convert(value, node_text(part(node, "type")))
                self._code.emit()

    def _expression_statement(self, node: "Node") -> None:
        expression = parts(node)[0]
        if expression.type == "switch_expression":
            self._switch(expression, is_expression=False)
            return
        self._expressions.evaluate(expression)

    def _assert(self, node: "Node") -> None:
        self._code.emit()
        end = self._code.conditional_jump()
        expressions = parts(node)
        self._expressions.evaluate(expressions[0])
        end += self._code.conditional_jump()
        for each in expressions[1:]:
            self._expressions.evaluate(each)
        self._code.emit(may_raise=True, falls_through=False)
        self._code.resolve(end)

    def _if(self, node: "Node") -> None:
        condition, consequence = part(node, "condition"), part(node, "consequence")
        header = range(first_line(node), last_line(condition) + 1)
        self._construct("if", header, _lines(consequence))
        self._expressions.evaluate(condition)
        otherwise = self._code.conditional_jump()
        self._statement(consequence)
        end = self._code.goto()
        self._code.resolve(otherwise)
        alternative = node.child_by_field_name("alternative")
        if alternative is not None:
            self._statement(alternative)
        self._code.resolve(end)

    def _labeled(self, node: "Node", names: tuple[str, ...]) -> None:
        label, body = parts(node)[0], parts(node)[-1]
        names = (*names, node_text(label))
        self._code.start_line(first_line(body))
        if body.type in _LOOPS:
            self._loop(body, names)
            return
        target = self._push(_Target(names))
        self._statement(body)
        self._targets.pop()
        self._code.resolve(target.end)

    # -- loops -----------------------------------------------------------------------------------

    def _loop(self, node: "Node", names: tuple[str, ...]) -> None:
        body = part(node, "body")
        header = range(first_line(node), max(first_line(node), first_line(body)) + 1)
        if node.type == "do_statement":
            header = _lines(part(node, "condition"))
        kind = "for" if "for" in node.type else "while"
        self._construct(kind, header, _lines(node))
        target = self._push(_Target(names, is_loop=True))
        if node.type == "enhanced_for_statement":
            self._for_each(node, target)
        elif node.type == "do_statement":
            self._do(node, target)
        else:
            self._for(node, target)
        self._targets.pop()
        self._code.resolve(target.end)
        if node.type in ("for_statement", "enhanced_for_statement") and self._code.is_reachable:
            self._code.start_line(None)
            self._code.position()

    def _for(self, node: "Node", target: _Target) -> None:
        """A `for` or a `while`."""
        for each in node.children_by_field_name("init"):
            if each.type == "local_variable_declaration":
                self._declaration(each)
            else:
                self._code.start_line(first_line(each))
                self._expressions.evaluate(each)
        start = self._code.position()
        updates = node.children_by_field_name("update")
        target.start = None if updates else start
        self._test(node.child_by_field_name("condition"), target)
        self._statement(part(node, "body"))
        self._code.resolve(target.again)
        for each in updates:
            if self._code.is_reachable:
                self._code.start_line(first_line(each))
                self._expressions.evaluate(each)
        self._back(start)

    def _test(self, condition: "Node | None", target: _Target) -> None:
        if condition is None:
            return
        inner = condition
        while inner.type == "parenthesized_expression":
            inner = parts(inner)[0]
        if inner.type == "true":
            return
        self._code.start_line(position_line(condition))
        self._expressions.evaluate(condition)
        target.end += self._code.conditional_jump()

    def _for_each(self, node: "Node", target: _Target) -> None:
        value, body = part(node, "value"), part(node, "body")
        line = first_line(value)
        self._code.start_line(line)
        self._expressions.evaluate(value)
        self._code.emit(may_raise=True, callees=self._callees.hooks)
        start = self._code.position()
        target.start = start
        self._code.start_line(line)
        self._code.emit(may_raise=bool(self._callees.hooks), callees=self._callees.hooks)
        target.end += self._code.conditional_jump()
        self._code.start_line(line)
        self._code.emit(may_raise=True, callees=self._callees.hooks)
        end_line = last_line(body) if body.type == "block" else position_line_of_statement(body)
        self._block([body], end_line, has_variables=True)
        self._code.resolve(target.again)
        self._back(start)

    def _do(self, node: "Node", target: _Target) -> None:
        start = self._code.position()
        self._code.is_alive = True
        self._statement(part(node, "body"))
        self._code.resolve(target.again)
        condition = part(node, "condition")
        if not self._code.is_reachable:
            return
        self._code.start_line(position_line(condition))
        self._expressions.evaluate(condition)
        self._code.jump_back(self._code.conditional_jump(), start)

    def _back(self, start: int) -> None:
        if self._code.is_reachable:
            self._code.goto_start(start)

    # -- switch ----------------------------------------------------------------------------------

    def _switch_expression(self, node: "Node") -> None:
        self._switch(node, is_expression=True)

    def _switch(self, node: "Node", *, is_expression: bool) -> None:
        condition = part(node, "condition")
        self._expressions.evaluate(condition)
        self._code.emit(may_raise=True)
        header = range(first_line(node), last_line(condition) + 1)
        groups = parts(part(node, "body"))
        target = self._push(_Target(is_switch=True, is_expression=is_expression))
        entries = [self._code.conditional_jump() for _ in groups]
        has_default = any("default" in map(node_text, _labels(group)) for group in groups)
        otherwise = [] if has_default else self._code.goto()
        self._code.is_alive = False
        for group, entry in zip(groups, entries, strict=True):
            self._construct("match", header, _lines(group))
            self._code.resolve(entry)
            self._code.position()
            if group.type == "switch_rule":
                self._rule(group, target)
            else:
                self._block([each for each in parts(group) if each.type != "switch_label"], 0)
        self._targets.pop()
        if is_expression and not has_default:
            self._code.resolve(otherwise)
            self._code.emit(may_raise=True, falls_through=False)
        else:
            self._code.resolve(otherwise)
            if otherwise:
                self._code.position()
        self._code.resolve(target.end)

    def _rule(self, group: "Node", target: _Target) -> None:
        body = parts(group)[-1]
        if body.type == "expression_statement" and target.is_expression:
            self._code.start_line(first_line(body))
            self._expressions.convert(parts(body)[0])
        else:
            self._statement(body)
        target.end += self._code.goto()

    # -- jumps -----------------------------------------------------------------------------------

    def _push(self, target: _Target) -> _Target:
        target.handlers = len(self._code.handlers)
        self._targets.append(target)
        return target

    def _leave(self, node: "Node") -> None:
        line = first_line(node)
        is_continue, is_yield = node.type == "continue_statement", node.type == "yield_statement"
        label = node_text(parts(node)[0]) if parts(node) and not is_yield else ""
        if is_yield:
            self._expressions.convert(parts(node)[0])
        for index in range(len(self._targets) - 1, -1, -1):
            target = self._targets[index]
            if not _is_left(target, label, is_continue=is_continue, is_yield=is_yield):
                continue
            pending = self._code.pending_line
            self._unwind(index + 1)
            self._code.start_line(pending if pending is not None else line)
            if is_continue and target.start is not None:
                self._back(target.start)
            elif is_continue:
                target.again += self._code.goto()
            else:
                target.end += self._code.goto()
            return

    def _return(self, node: "Node") -> None:
        line = first_line(node)
        if parts(node):
            self._expressions.convert(parts(node)[0], self._result_type, next_line=line)
        self._unwind(0)
        self._code.start_line(line)
        self._code.emit(frame_exit="return", falls_through=False)

    def _unwind(self, down_to: int) -> None:
        """Emit the `finally` blocks that a jump passes."""
        targets, handlers = self._targets, self._code.handlers
        for index in range(len(targets) - 1, down_to - 1, -1):
            finalizer = targets[index].finalizer
            if finalizer is not None and self._code.is_reachable:
                self._targets = targets[:index]
                self._code.handlers = handlers[: targets[index].handlers]
                self._code.position()
                finalizer()
        self._targets, self._code.handlers = targets, handlers

    # -- exceptions ------------------------------------------------------------------------------

    def _try(self, node: "Node") -> None:
        catches = [each for each in parts(node) if each.type == "catch_clause"]
        final = next((parts(c)[0] for c in parts(node) if c.type == "finally_clause"), None)
        end_line = _try_end(node)
        body = part(node, "body")
        target = _Target()
        raised = Handler(Label())
        if final is not None:
            target.finalizer = lambda: self._statement(final)
        self._push(target)
        outer = self._code.handlers
        self._code.position()
        if final is not None:
            self._code.handlers = [*outer, raised]
        inner = self._code.handlers
        labels = [Handler(Label(), catches_all=_catches_all(each)) for each in catches]
        self._code.handlers = [*inner, *reversed(labels)]
        self._protected(node, body)
        self._code.handlers = inner
        self._code.start_line(last_line(body))
        exits = self._finish(final, outer, end_line)
        for each, handler in zip(catches, labels, strict=True):
            self._code.enter(handler.label)
            self._code.handlers = inner
            self._catch(each)
            is_last = each == catches[-1] and final is None
            exits += self._finish(final, outer, end_line, is_last=is_last)
        self._targets.pop()
        self._code.handlers = outer
        if final is not None:
            self._code.enter(raised.label)
            statements = parts(final)
            self._code.start_line(first_line(statements[0] if statements else final))
            self._code.emit()
            self._statement(final)
            if self._code.is_reachable:
                self._code.start_line(last_line(final))
                self._code.emit()
                self._code.rethrow()
        self._code.resolve(exits)

    def _finish(
        self, final: "Node | None", outer: list[Handler], end_line: int, *, is_last: bool = False
    ) -> Chain:
        """The `finally` after a part of a `try`, and the jump to its end."""
        handlers, self._code.handlers = self._code.handlers, outer
        targets = self._targets
        if final is not None and self._code.is_reachable:
            self._targets = targets[:-1]
            self._code.position()
            self._statement(final)
        self._targets, self._code.handlers = targets, handlers
        if is_last:
            return []
        self._code.start_line(end_line)
        chain = self._code.goto()
        self._code.start_line(None)
        return chain

    def _protected(self, node: "Node", body: "Node") -> None:
        """The resources and the body of a `try`."""
        resources = node.child_by_field_name("resources")
        for each in () if resources is None else parts(resources):
            self._code.start_line(first_line(each))
            self._expressions.evaluate(each.child_by_field_name("value"))
            self._code.emit(may_raise=True)
        if resources is None:
            self._statement(body)
            if self._code.is_reachable:
                self._code.position()
            return
        raised = Handler(Label())
        outer = self._code.handlers
        target = self._push(_Target(finalizer=lambda: self._close(node, resources)))
        self._code.handlers = [*outer, raised]
        self._statement(body)
        self._code.handlers = outer
        self._targets.remove(target)
        if self._code.is_reachable:
            self._code.start_line(last_line(body), is_optional=True)
            self._close(node, resources)
        end = self._code.goto()
        self._code.enter(raised.label)
        self._close(node, resources)
        self._code.rethrow()
        self._code.resolve(end)

    def _close(self, node: "Node", resources: "Node") -> None:
        """The calls of `close`; which of them start a line depends on the version of javac."""
        for _ in parts(resources):
            end = self._code.conditional_jump()
            self._code.start_line(first_line(node), is_optional=True)
            self._code.emit(may_raise=True, callees=self._callees.hooks)
            self._code.resolve(end)
            self._code.emit()

    def _catch(self, node: "Node") -> None:
        self._code.start_line(first_line(node))
        self._code.emit()
        body = part(node, "body")
        statements = parts(body)
        self._code.start_line(first_line(statements[0]) if statements else first_line(body))
        for each in statements:
            self._statement(each)
        # The variable of the exception ends with the block.
        self._code.start_line(last_line(body))
        if self._code.is_reachable:
            self._code.position()

    def _construct(self, kind: str, header: range, block: range) -> None:
        self.constructs.append(Construct(kind, header, block))  # type: ignore[arg-type]


def position_line_of_statement(node: "Node") -> int:
    """The line at which a statement without a block ends for javac: that of its start."""
    return first_line(node)


def _is_left(target: _Target, label: str, *, is_continue: bool, is_yield: bool) -> bool:
    if target.finalizer is not None:
        return False
    if is_yield:
        return target.is_expression
    if label:
        return label in target.names
    return target.is_loop or (target.is_switch and not is_continue and not target.is_expression)


def _labels(group: "Node") -> list["Node"]:
    return [c for each in parts(group) if each.type == "switch_label" for c in each.children]


def _catches_all(clause: "Node") -> bool:
    return any("Throwable" in node_text(each) for each in parts(clause)[:1])


def _try_end(node: "Node") -> int:
    """The line on which javac says that a `try` ends."""
    final = [parts(each)[0] for each in parts(node) if each.type == "finally_clause"]
    catches = [part(each, "body") for each in parts(node) if each.type == "catch_clause"]
    return last_line([part(node, "body"), *catches, *final][-1])


def _declares(node: "Node") -> bool:
    return node.type == "local_variable_declaration"


def _lines(node: "Node") -> range:
    return range(first_line(node), last_line(node) + 1)
