"""JavaScript programs for generated Python programs, with the same results.

Lists and tuples become arrays, dictionaries become maps, None becomes null.
"""

import ast
from collections import Counter
from collections.abc import Sequence

from worldline.core.trace import Program, words
from worldline.data.generation.javascript.expressions import (
    HELPERS,
    Expressions,
    TranslationError,
    literal,
    quote,
)
from worldline.data.generation.javascript.function_types import infer_types
from worldline.data.generation.javascript.value_types import Types, kind_of
from worldline.languages.python.answer_equality import parse_literal

_RESERVED = words(
    "var let const new this function delete void typeof in of switch case default do null "
    "true false export extends super static enum package interface arguments eval instanceof "
    "throw catch"
)
__all__ = ["TranslationError", "quote", "translate_literal", "translate_program"]


def translate_program(program: Program) -> Program:
    """Translate a generated program.

    "def f(x):\\n    return x // 2\\n", "f(3)" ->
    "function f(x) {\\n  return Math.floor(x / 2);\\n}\\n", "f(3)"

    Raises:
        TranslationError: It has something without a translation.
    """
    tree = ast.parse(program.source)
    call = ast.parse(program.call or "", mode="eval").body
    if not isinstance(call, ast.Call):
        raise TranslationError("the program has no call")
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if names & _RESERVED:
        raise TranslationError(f"{min(names & _RESERVED)} is a word of JavaScript")
    tree = _PositionalArguments(tree).visit(tree)
    types = infer_types(tree, call)
    helpers: set[str] = set()
    functions = []
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            raise TranslationError("code outside functions has no translation")
        functions.append(_Function(node, types.variables[node.name], types.results, helpers).text())
    parts = [HELPERS[name] for name in sorted(helpers)] + functions
    arguments = ", ".join(translate_literal(ast.unparse(each)) for each in call.args)
    return Program(
        "\n".join(parts), f"{ast.unparse(call.func)}({arguments})", language="javascript"
    )


def translate_literal(text: str) -> str:
    """Translate a Python literal: "{'a': (1, None)}" -> "new Map([['a', [1, null]]])"."""
    return literal(parse_literal(text))


class _PositionalArguments(ast.NodeTransformer):
    """Replaces arguments by name, which JavaScript does not have."""

    def __init__(self, tree: ast.Module) -> None:
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        self._parameters = {node.name: [each.arg for each in node.args.args] for node in functions}

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Put the arguments of a call of the program in the order of its parameters."""
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name) or node.func.id not in self._parameters:
            return node
        by_name = {each.arg: each.value for each in node.keywords}
        for name in self._parameters[node.func.id][len(node.args) :]:
            if name not in by_name:
                break
            node.args.append(by_name.pop(name))
        if by_name:
            raise TranslationError("an argument by name after a missing one has no translation")
        node.keywords = []
        return node


class _Function:
    """Translates one function."""

    def __init__(
        self, node: ast.FunctionDef, types: Types, results: Types, helpers: set[str]
    ) -> None:
        self._node = node
        self._expressions = Expressions(types, results, helpers)
        self._declared = {each.arg for each in node.args.args}
        occurrences = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
        self._stores = Counter(each.id for each in occurrences if isinstance(each.ctx, ast.Store))
        self._stores.update(
            each.target.id
            for each in ast.walk(node)
            if isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name)
        )

    def text(self) -> str:
        """The whole function."""
        names = [each.arg for each in self._node.args.args]
        defaults = self._node.args.defaults
        first = len(names) - len(defaults)
        values = [None] * first + [self._expressions.text(each) for each in defaults]
        parameters = ", ".join(
            name if value is None else f"{name} = {value}"
            for name, value in zip(names, values, strict=True)
        )
        body = self._block(self._node.body, is_top=True)
        lines = [f"function {self._node.name}({parameters}) {{", *_indent(body), "}", ""]
        return "\n".join(lines)

    # -- declarations ----------------------------------------------------------------------------

    def _block(self, nodes: Sequence[ast.stmt], *, is_top: bool = False) -> list[str]:
        lines: list[str] = []
        for node in nodes:
            if is_top:
                lines += self._hoisted(node)
            lines += self._statement(node)
        if not is_top:
            own = {name for name in self._declared if self._is_local(name, nodes)}
            self._declared -= own
        return lines

    def _hoisted(self, node: ast.stmt) -> list[str]:
        """Declarations of variables that a compound statement shares with what is outside."""
        if isinstance(node, ast.Assign):
            return []
        names = [
            name
            for name in dict.fromkeys(_stored_names(node))
            if name not in self._declared and not self._has_home(name, node)
        ]
        self._declared.update(names)
        return [f"let {', '.join(names)};"] if names else []

    def _has_home(self, name: str, node: ast.AST) -> bool:
        """Whether a block within a statement begins with the variable, and alone uses it."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.For) and name in _stored_names(inner.target):
                return self._counts(inner.body, inner.target)[name] == self._total(name)
            for block in _blocks(inner):
                if self._is_local(name, block):
                    first = next(each for each in block if name in _names(each))
                    if isinstance(first, ast.Assign) and self._is_plain(first, name):
                        return True
        return False

    def _is_plain(self, node: ast.Assign, name: str) -> bool:
        target = node.targets[0]
        return isinstance(target, ast.Name) and target.id == name and name not in _names(node.value)

    def _is_local(self, name: str, block: Sequence[ast.stmt]) -> bool:
        return self._counts(block)[name] == self._total(name) > 0

    def _total(self, name: str) -> int:
        return _names(self._node).count(name)

    def _counts(self, block: Sequence[ast.AST], *others: ast.AST) -> Counter[str]:
        return Counter(name for each in (*block, *others) for name in _names(each))

    # -- statements ------------------------------------------------------------------------------

    def _statement(self, node: ast.stmt) -> list[str]:
        text = self._expressions.text
        match node:
            case ast.Assign(targets=[target], value=value):
                return self._assign(target, value)
            case ast.AugAssign():
                return [self._update(node)]
            case ast.Return(value=value):
                return ["return null;" if value is None else f"return {text(value)};"]
            case ast.If():
                return self._if(node)
            case ast.While(test=test, body=body, orelse=[]):
                condition = self._expressions.condition(test)
                return [f"while ({condition}) {{", *_indent(self._block(body)), "}"]
            case ast.For(orelse=[]):
                return self._for(node)
            case ast.Expr(value=ast.Call(func=ast.Attribute()) as call):
                return self._method_statement(call)
            case ast.Expr(value=ast.Call() as call):
                return [f"{text(call)};"]
            case ast.Delete(targets=[ast.Subscript() as target]):
                return [self._delete(target)]
            case ast.Break() | ast.Continue():
                return [f"{type(node).__name__.lower()};"]
            case ast.Pass():
                return []
        raise TranslationError(f"{type(node).__name__} has no translation")

    def _assign(self, target: ast.expr, value: ast.expr) -> list[str]:
        text = self._expressions.text(value)
        match target:
            case ast.Name(id=name):
                if name in self._declared:
                    return [f"{name} = {text};"]
                self._declared.add(name)
                word = "const" if self._stores[name] == 1 else "let"
                return [f"{word} {name} = {text};"]
            case ast.Tuple(elts=targets):
                names = [each.id for each in targets if isinstance(each, ast.Name)]
                new = [name for name in names if name not in self._declared]
                self._declared.update(new)
                left = ", ".join(self._target(each) for each in targets)
                if new and len(new) == len(targets):
                    return [f"let [{left}] = {text};"]
                return [*([f"let {', '.join(new)};"] if new else []), f"[{left}] = {text};"]
            case ast.Subscript(value=owner) if kind_of(self._expressions.type_of(owner)) == "dict":
                key = self._expressions.text(target.slice)
                return [f"{self._expressions.text(owner, 18)}.set({key}, {text});"]
            case ast.Subscript():
                return [f"{self._target(target)} = {text};"]
        raise TranslationError("this assignment has no translation")

    def _target(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name):
            return node.id
        if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice):
            raise TranslationError("this assignment has no translation")
        if not self._expressions.type_of(node.value).startswith("list"):
            raise TranslationError("an assignment to this item has no translation")
        owner = self._expressions.text(node.value, 18)
        index = self._expressions.text(node.slice)
        if isinstance(node.slice, ast.UnaryOp):
            index = f"{owner}.length - {index.removeprefix('-')}"
        elif not isinstance(node.slice, ast.Constant):
            index = f"{index} < 0 ? {index} + {owner}.length : {index}"
        return f"{owner}[{index}]"

    def _update(self, node: ast.AugAssign) -> str:
        target, kind = node.target, kind_of(self._expressions.type_of(node.target))
        right = self._expressions.text(node.value)
        is_number = kind in ("int", "float")
        if kind == "list" and isinstance(node.op, ast.Add):
            return f"{self._expressions.text(target, 18)}.push({self._pushed(node.value)});"
        operation = ast.BinOp(_loaded(target), node.op, node.value)
        if isinstance(target, ast.Subscript):
            if kind_of(self._expressions.type_of(target.value)) == "dict":
                owner, key = (
                    self._expressions.text(target.value, 18),
                    self._expressions.text(target.slice),
                )
                return f"{owner}.set({key}, {self._expressions.text(operation)});"
            return f"{self._target(target)} = {self._expressions.text(operation)};"
        signs = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
        sign = signs.get(type(node.op))
        is_plain = sign is not None and (is_number or (kind == "str" and sign == "+"))
        if is_plain and self._expressions.type_of(node.value) in ("int", "float", "str"):
            return f"{self._target(target)} {sign}= {right};"
        return f"{self._target(target)} = {self._expressions.text(operation)};"

    def _pushed(self, value: ast.expr) -> str:
        if isinstance(value, ast.List):
            return ", ".join(map(self._expressions.text, value.elts))
        return f"...{self._expressions.text(value)}"

    def _if(self, node: ast.If) -> list[str]:
        lines = [f"if ({self._expressions.condition(node.test)}) {{"]
        lines += _indent(self._block(node.body))
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            first, *rest = self._if(node.orelse[0])
            return [*lines, f"}} else {first}", *rest]
        if node.orelse:
            lines += ["} else {", *_indent(self._block(node.orelse))]
        return [*lines, "}"]

    # -- loops -----------------------------------------------------------------------------------

    def _for(self, node: ast.For) -> list[str]:
        names = _stored_names(node.target)
        changed = [name for each in node.body for name in _stored_names(each)]
        new = [name for name in names if name not in self._declared]
        is_counted = isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) == "range"
        self._declared.update(new)
        if is_counted and len(names) == 1:
            lines = self._counted(node, names[0], changed, is_new=bool(new))
        else:
            word = "let" if set(names) & set(changed) else "const"
            left = names[0] if len(names) == 1 else f"[{', '.join(names)}]"
            prefix = f"{word} " if len(new) == len(names) else ""
            if new and not prefix:
                raise TranslationError("this loop has no translation")
            lines = [f"for ({prefix}{left} of {self._iterated(node.iter)}) {{"]
            lines += [*_indent(self._block(node.body)), "}"]
        self._declared -= set(new)
        return lines

    def _counted(
        self, node: ast.For, name: str, changed: Sequence[str], *, is_new: bool
    ) -> list[str]:
        assert isinstance(node.iter, ast.Call)
        arguments = node.iter.args
        start = self._expressions.text(arguments[0]) if len(arguments) > 1 else "0"
        stop = arguments[1] if len(arguments) > 1 else arguments[0]
        step = ast.unparse(arguments[2]) if len(arguments) > 2 else "1"
        if not step.lstrip("-").isdigit():
            raise TranslationError("a range with this step has no translation")
        used = {each for argument in arguments for each in _names(argument)}
        is_shared = not is_new or name in changed
        if is_shared or used & set(changed) or _mutates(node, used):
            # Python computes the numbers of a range first.
            rest = ", ".join(self._expressions.text(each) for each in arguments)
            raise TranslationError(f"a range({rest}) that its loop changes has no translation")
        sign = ">" if step.startswith("-") else "<"
        change = {"1": "++", "-1": "--"}.get(
            step, f" {'-' if sign == '>' else '+'}= {step.lstrip('-')}"
        )
        end = self._expressions.text(stop, 10)
        header = f"let {name} = {start}; {name} {sign} {end}; {name}{change}"
        return [f"for ({header}) {{", *_indent(self._block(node.body)), "}"]

    def _iterated(self, node: ast.expr) -> str:
        text = self._expressions.text
        match node:
            case ast.Call(func=ast.Name(id="enumerate"), args=[each]):
                return f"{self._expressions.items(each)}.entries()"
            case ast.Call(func=ast.Name(id="zip"), args=[first, second]):
                a, b = self._expressions.items(first), text(second, 18)
                return f"{a}.slice(0, {b}.length).map((x, i) => [x, {b}[i]])"
            case ast.Call(func=ast.Attribute(value=owner, attr="items")):
                return text(owner)
            case ast.Call(func=ast.Attribute(value=owner, attr="values")):
                return f"{text(owner, 18)}.values()"
        kind = kind_of(self._expressions.type_of(node))
        if kind == "dict":
            return f"{text(node, 18)}.keys()"
        if kind not in ("list", "tuple", "str", "set"):
            raise TranslationError("a loop over this type has no translation")
        return text(node)

    # -- statements with methods -----------------------------------------------------------------

    def _method_statement(self, call: ast.Call) -> list[str]:
        assert isinstance(call.func, ast.Attribute)
        owner, name = call.func.value, call.func.attr
        kind = kind_of(self._expressions.type_of(owner))
        value = self._expressions.text(owner, 18)
        arguments = [self._expressions.text(each) for each in call.args]
        match kind, name, arguments:
            case "list", "append", [item]:
                return [f"{value}.push({item});"]
            case "list", "extend", [_]:
                return [f"{value}.push({self._pushed(call.args[0])});"]
            case "list", "insert", [index, item]:
                return [f"{value}.splice({index}, 0, {item});"]
            case "list", "reverse", []:
                return [f"{value}.reverse();"]
            case "list", "sort", []:
                return [f"{value}.sort({self._expressions.order(call, owner)});"]
            case "list", "remove", [item]:
                return [f"{value}.splice({value}.indexOf({item}), 1);"]
            case "list", "pop", [index]:
                return [f"{value}.splice({index}, 1);"]
            case "dict", "pop", [key, *_]:
                return [f"{value}.delete({key});"]
            case "dict", "setdefault", [key, item]:
                return [f"if (!{value}.has({key})) {value}.set({key}, {item});"]
            case "dict", "update", [_] if isinstance(call.args[0], ast.Dict):
                pairs = zip(call.args[0].keys, call.args[0].values, strict=True)
                texts = [
                    (self._expressions.text(k), self._expressions.text(v)) for k, v in pairs if k
                ]
                return [f"{value}.set({key}, {item});" for key, item in texts]
            case "set", "add", [item]:
                return [f"{value}.add({item});"]
            case "set", "discard", [item]:
                return [f"{value}.delete({item});"]
        return [f"{self._expressions.text(call)};"]

    def _delete(self, target: ast.Subscript) -> str:
        owner = self._expressions.text(target.value, 18)
        key = self._expressions.text(target.slice)
        is_dict = kind_of(self._expressions.type_of(target.value)) == "dict"
        return f"{owner}.delete({key});" if is_dict else f"{owner}.splice({key}, 1);"


def _loaded(target: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(target), mode="eval").body


def _names(node: ast.AST) -> list[str]:
    return [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]


def _stored_names(node: ast.AST) -> list[str]:
    return [
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    ]


def _mutates(node: ast.For, names: set[str]) -> bool:
    """Whether the body of a loop may change a container of some names."""
    return any(
        isinstance(each, ast.Attribute)
        and isinstance(each.value, ast.Name)
        and each.value.id in names
        for statement in node.body
        for each in ast.walk(statement)
    )


def _blocks(node: ast.AST) -> list[list[ast.stmt]]:
    return [
        block
        for name in ("body", "orelse")
        if isinstance(block := getattr(node, name, None), list) and block
    ]


def _indent(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]
