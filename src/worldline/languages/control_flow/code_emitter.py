"""Code of one function, emitted from a syntax tree: nodes in a row, with jumps and handlers."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from worldline.languages.control_flow.instruction_nodes import FrameExit


@dataclass(slots=True, eq=False)
class Label:
    """A place in the code, known when it is reached."""

    index: int = -1


@dataclass(frozen=True, slots=True)
class Handler:
    """Code to which an exception jumps.

    Attributes:
        label: Its start.
        catches_all: Whether no exception passes it.
        is_silent: Whether the exception has no exception step before it.
    """

    label: Label
    catches_all: bool = True
    is_silent: bool = False


@dataclass(slots=True)
class CodeNode:
    """A node of the code; see `InstructionNode`.

    Attributes:
        falls_through: Whether the next node may follow.
        targets: Where else it may jump.
        handlers: Where an exception jumps after its exception step.
        callees: Functions that it may call.
        must_call: Whether it certainly calls one of them.
    """

    falls_through: bool = True
    targets: list[Label] = field(default_factory=list)
    handlers: list[Label] = field(default_factory=list)
    may_raise: bool = False
    is_uncaught: bool = True
    frame_exit: FrameExit | None = None
    callees: frozenset[int] = frozenset()
    must_call: bool = False
    resumption_line: int | None = None


@dataclass(frozen=True, slots=True)
class LineStart:
    """A line step at a node; an optional one may be missing."""

    line: int
    is_optional: bool = False


class CodeEmitter:
    """The code of a function while it is emitted.

    Attributes:
        nodes: The nodes so far.
        line_starts: The line steps, by the index of their node.
        handlers: The handlers around the next node, the innermost last.
    """

    def __init__(self) -> None:
        self.nodes: list[CodeNode] = []
        self.line_starts: dict[int, LineStart] = {}
        self.handlers: list[Handler] = []
        # A function starts before its first line step.
        self.emit()

    def emit(
        self,
        *,
        may_raise: bool = False,
        callees: Iterable[int] = (),
        must_call: bool = False,
        frame_exit: FrameExit | None = None,
        falls_through: bool = True,
        targets: Iterable[Label] = (),
        resumption_line: int | None = None,
    ) -> CodeNode:
        """Add a node; its exceptions go to the handlers around it."""
        node = CodeNode(
            falls_through,
            list(targets),
            may_raise=may_raise,
            frame_exit=frame_exit,
            callees=frozenset(callees),
            must_call=must_call,
            resumption_line=resumption_line,
        )
        if may_raise:
            for handler in reversed(self.handlers):
                if handler.is_silent:
                    node.targets.append(handler.label)
                    node.may_raise, node.is_uncaught = False, False
                    break
                node.handlers.append(handler.label)
                if handler.catches_all:
                    node.is_uncaught = False
                    break
        self.nodes.append(node)
        return node

    def mark_line(self, line: int) -> None:
        """Add a line step."""
        self.line_starts[len(self.nodes)] = LineStart(line)
        self.emit()

    def place(self, label: Label) -> None:
        """Let a label be here."""
        label.index = len(self.nodes)
        self.emit()

    def jump(self, label: Label) -> None:
        """Jump to a label."""
        self.emit(falls_through=False, targets=[label])

    def branch(self, label: Label) -> None:
        """Jump to a label, or continue."""
        self.emit(targets=[label])

    def rethrow(self) -> None:
        """Raise an exception again, which has had its exception step."""
        labels = []
        is_uncaught = True
        for handler in reversed(self.handlers):
            labels.append(handler.label)
            if handler.catches_all:
                is_uncaught = False
                break
        self.emit(
            falls_through=False, targets=labels, frame_exit="reraise" if is_uncaught else None
        )
