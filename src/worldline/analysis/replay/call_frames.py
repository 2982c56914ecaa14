"""Call frames of an execution: who called whom, at every step, without walking the steps again."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from worldline.core.trace import Step


@dataclass(frozen=True, slots=True)
class Frame:
    """One stay in a scope, from its call to its return. A resumed generator has a new frame.

    Attributes:
        scope: The scope.
        parent: The number of the frame that called it; None for the first frame of a thread.
        depth: The number of frames below it.
        first_step: The step that entered it.
        caller_step: The last step of the calling frame before it.
    """

    scope: int
    parent: int | None
    depth: int
    first_step: int
    caller_step: int | None


@dataclass(slots=True)
class _Stack:
    """The active frames of one thread, outermost first; `depths` finds a scope among them."""

    frames: list[int] = field(default_factory=list)
    scopes: list[int] = field(default_factory=list)
    depths: dict[int, int] = field(default_factory=dict)
    last_steps: list[int] = field(default_factory=list)
    has_returned: bool = False

    def pop(self) -> None:
        self.frames.pop()
        self.last_steps.pop()
        self.depths.pop(self.scopes.pop(), None)


def build_frames(steps: Sequence[Step]) -> tuple[list[Frame], list[int]]:
    """Build the frames of an execution.

    Calls and returns need not balance: a prediction may leave a scope without a return, and an
    exception that is thrown into a generator may reach an inner one directly.

    Returns:
        The frames, and for each step the number of its frame.
    """
    frames: list[Frame] = []
    frame_of_step: list[int] = []
    stacks: dict[int, _Stack] = {}
    for number, step in enumerate(steps):
        stack = stacks.setdefault(step.thread, _Stack())
        if stack.has_returned and stack.frames:
            stack.pop()
        if step.scope in stack.depths:
            while stack.scopes[-1] != step.scope:
                stack.pop()
            stack.last_steps[-1] = number
        else:
            parent = stack.frames[-1] if stack.frames else None
            caller_step = stack.last_steps[-1] if stack.frames else None
            frames.append(Frame(step.scope, parent, len(stack.frames), number, caller_step))
            stack.depths[step.scope] = len(stack.frames)
            stack.frames.append(len(frames) - 1)
            stack.scopes.append(step.scope)
            stack.last_steps.append(number)
        frame_of_step.append(stack.frames[-1])
        stack.has_returned = step.event == "return"
    return frames, frame_of_step
