"""Methods of a Java program that a call may call (an over-approximation).

A static method without a reference (`A::f`) is called by its name alone. Lambdas and methods of
instances may be called by any method of the library that is not known to call nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from worldline.core.trace import words
from worldline.languages.control_flow.syntax_tree import node_text, parts, walk
from worldline.languages.java.java_functions import JavaFunction

if TYPE_CHECKING:
    from worldline.languages.control_flow.syntax_tree import Node

# Methods of the library that call nothing of a program without hooks.
_CALLS_NOTHING = words(
    "add addAll get set size length charAt substring isEmpty put putAll append toString "
    "toCharArray println print printf indexOf lastIndexOf toLowerCase toUpperCase trim strip "
    "split join format valueOf parseInt parseLong longValue intValue doubleValue asList of "
    "keySet values entrySet getKey getValue setValue getOrDefault putIfAbsent containsKey "
    "containsValue contains remove removeFirst removeLast addFirst addLast poll peek push pop "
    "iterator hasNext next abs max min pow sqrt floor ceil round isDigit isLetter "
    "isLetterOrDigit isUpperCase isLowerCase isAlphabetic isWhitespace isBlank replace "
    "startsWith endsWith concat reverse insert deleteCharAt setCharAt setLength subList clear "
    "equals compareTo hashCode repeat frequency getNumericValue toArray stream chars clone with "
    "getValue0 getValue1 intern equalsIgnoreCase emptyList singletonList nCopies "
    "currentTimeMillis nanoTime arraycopy fill copyOf copyOfRange getMessage name ordinal "
    "matches replaceFirst codePointAt offer peekFirst peekLast pollFirst pollLast swap shuffle "
    "addAllAbsent retainAll removeAll containsAll"
)
# Methods that the library calls for items of its collections.
_HOOKS = words("equals hashCode compareTo toString iterator hasNext next close run")


@dataclass(frozen=True)
class JavaCallees:
    """The functions of a program, by what may call them."""

    root: "Node"
    functions: Sequence[JavaFunction]

    @cached_property
    def by_name(self) -> dict[str, frozenset[int]]:
        """The functions by their simple names."""
        result: dict[str, set[int]] = {}
        for number, each in enumerate(self.functions):
            result.setdefault(each.name, set()).add(number)
        return {name: frozenset(numbers) for name, numbers in result.items()}

    @cached_property
    def hooks(self) -> frozenset[int]:
        """Functions that may be called where no call is written."""
        return frozenset(
            number
            for number, each in enumerate(self.functions)
            if each.name in _HOOKS and not each.is_static
        )

    @cached_property
    def values(self) -> frozenset[int]:
        """Functions that unknown code may call."""
        references = {
            node_text(parts(node)[-1])
            for node in walk(self.root)
            if node.type == "method_reference" and parts(node)
        }
        new = any("::new" in node_text(n) for n in walk(self.root) if n.type == "method_reference")
        return frozenset(
            number
            for number, each in enumerate(self.functions)
            if each.name in references
            or (not each.is_static and each.name != "<init>")
            or (new and each.name == "<init>")
        )

    def of_call(self, node: "Node") -> tuple[frozenset[int], bool]:
        """Functions that a call may call, and whether it certainly calls one."""
        name = node_text(node.child_by_field_name("name"))
        named = self.by_name.get(name, frozenset())
        if named and not named & self.values:
            matching = frozenset(n for n in named if self._accepts(n, node)) or named
            return matching, True
        # `get()` without arguments, unlike that of a list, is that of a `Supplier`.
        is_supplier = name == "get" and self._argument_count(node) == 0
        if name in _CALLS_NOTHING and not is_supplier:
            return named | self.hooks, False
        return named | self.values, False

    def of_creation(self, node: "Node") -> frozenset[int]:
        """Functions that `new` may call."""
        kind = node_text(node.child_by_field_name("type")).partition("<")[0].rpartition(".")[2]
        has_body = any(child.type == "class_body" for child in node.children)
        own = frozenset(
            number
            for number, each in enumerate(self.functions)
            if each.name == "<init>" and each.type == kind
        )
        is_own = any(each.type == kind for each in self.functions)
        if is_own or has_body:
            # Constructors of base classes, and fields with calls.
            return self.by_name.get("<init>", frozenset()) | self.values
        return own | self.hooks

    @property
    def of_super(self) -> frozenset[int]:
        """Functions that `super(…)` and `this(…)` may call."""
        return self.by_name.get("<init>", frozenset()) | self.values

    def _argument_count(self, call: "Node") -> int:
        arguments = call.child_by_field_name("arguments")
        return 0 if arguments is None else len(parts(arguments))

    def _accepts(self, number: int, call: "Node") -> bool:
        """Whether a method has as many parameters as a call has arguments."""
        arguments = call.child_by_field_name("arguments")
        parameters = self.functions[number].node.child_by_field_name("parameters")
        if arguments is None or parameters is None:
            return True
        n_arguments = len(parts(arguments))
        declared = [each.type for each in parts(parameters)]
        if "spread_parameter" in declared:
            return n_arguments >= len(declared) - 1
        return n_arguments == len([each for each in declared if each != "receiver_parameter"])
