"""The mode `guided` for rows: the control-flow graph allows the lines, the model's effects choose.

After each row, the next line follows from what the model itself has said: a condition is True or
False, a loop is done, a line calls, returns or raises. Only where that does not decide, the model
chooses among the lines that the graph allows. The actual trace is not used.
"""

from collections.abc import Sequence

from worldline.core.trace import Program
from worldline.languages.control_flow import CfgSimulator, NextStep
from worldline.models.codecs import (
    ChatTraceCodec,
    Row,
    find_hidden_entry,
    select_next_line,
    yield_lines,
)
from worldline.models.prediction.constrained_generation import ConstrainedGeneration

# Kinds of items that say how a line went on, in the order in which their steps follow.
_EVENT_KINDS = {"call": "call", "raise": "exception", "return": "return", "leave": "return"}


async def generate_guided_rows(
    completion: ConstrainedGeneration,
    codec: ChatTraceCodec,
    program: Program,
    simulator: CfgSimulator,
) -> None:
    """Let the model generate the effects of the rows along a path through the graph."""
    await _GuidedRows(completion, codec, program, simulator).generate()


class _GuidedRows:
    """A path through the graph, and the rows that were generated along it.

    `_callers` are the lines of the callers in the path; None for the entry point, whose rows are
    not shown.
    """

    def __init__(
        self,
        completion: ConstrainedGeneration,
        codec: ChatTraceCodec,
        program: Program,
        simulator: CfgSimulator,
    ) -> None:
        self._completion = completion
        self._codec = codec
        self._program = program
        self._simulator = simulator
        self._callers: list[int | None] = []
        self._line: int | None = None
        # What the last row of the current scope said about the events after it.
        self._said: list[str] = []
        self._note: str | None = None
        self._value: str | None = None
        # Lines on which a generator has yielded, and the line on which one was just resumed.
        self._suspended: set[int] = set()
        self._resumed_line: int | None = None

    async def generate(self) -> None:
        """Generate rows until the entry point returns, then the answer."""
        if find_hidden_entry(self._program) is not None:
            for _ in range(2):
                self._simulator.take(*self._simulator.options)
        while not self._simulator.is_over:
            if self._line is None and self._callers == [] and not await self._call_or_answer():
                break
            options = await self._next_steps()
            if not await self._take(options):
                return
        await self._completion.force((self._codec.answer_prefix,))
        await self._completion.generate_until_text(("\n",))

    async def _call_or_answer(self) -> bool:
        """Whether the hidden entry point calls a function; otherwise the answer follows."""
        calls = [option for option in self._simulator.options if option.event == "call"]
        others = [option for option in self._simulator.options if option.event == "return"]
        if not calls or not others:
            return bool(calls)
        texts = [(self._codec.answer_prefix,), *((self._action(call.line),) for call in calls)]
        return await self._completion.peek_choice(texts) > 0

    async def _next_steps(self) -> list[NextStep]:
        """The options that agree with what the model has said; several only if they look alike."""
        options = self._simulator.options
        event = _EVENT_KINDS.get(self._said[0]) if self._said else "line"
        chosen = [option for option in options if option.event == event]
        if chosen and self._said:
            del self._said[0]
        if not chosen:
            chosen = [option for option in options if option.event != "exception"]
        chosen = chosen or list(options)
        if len({option.event for option in chosen}) > 1:
            lines = [option for option in chosen if option.event == "line"]
            chosen = lines or [option for option in chosen if option.event == chosen[0].event]
        if len(chosen) == 1 or chosen[0].event in ("return", "exception"):
            return chosen
        if self._line is not None and chosen[0].event == "line":
            line = select_next_line(
                self._program.text, self._line, self._note, [option.line for option in chosen]
            )
            if line is not None:
                return [option for option in chosen if option.line == line]
        index = await self._completion.peek_choice(
            [(self._action(option.line),) for option in chosen]
        )
        return [chosen[index]]

    async def _take(self, options: Sequence[NextStep]) -> bool:
        """Advance by a step and generate its row, if it has one; false if the model stopped."""
        option = options[0]
        is_left = option.event == "return" and self._simulator.is_unwound(option)
        self._simulator.take(*options)
        if option.event == "call":
            self._callers.append(self._line)
            self._line = option.line
            self._resumed_line = option.line if option.line in self._suspended else None
            return await self._generate_row(" enter")
        if option.event == "line":
            if self._resumed_line == option.line and not await self._generate_row():
                # The first row on the line of a `yield` continues that line.
                return False
            self._resumed_line = None
            self._line = option.line
            return await self._generate_row(self._certain_effect())
        if option.event == "return":
            # A generator that yields None is taken for one that is over: its value is all there is.
            is_generator = option.line in yield_lines(self._program.text)
            has_yielded = is_generator and not is_left and self._value not in (None, "None")
            (self._suspended.add if has_yielded else self._suspended.discard)(option.line)
            if is_left:
                self._said.clear()
            self._line = self._callers.pop() if self._callers else None
            if self._line is not None:
                return await self._continue_line(self._line)
        return True

    async def _continue_line(self, line: int) -> bool:
        """Generate the next row of a line to which a call has returned.

        It is the line's effect, or the first row of the next function that the line calls.
        """
        options = self._simulator.options
        if {option.event for option in options} <= {"call", "exception"}:
            calls = [option.line for option in options if option.event == "call"]
            self._said = ["call" if calls else "raise"]
            return bool(calls) or await self._generate_row(" raise")
        others = [option for option in options if option.event == "call" and option.line != line]
        lines = list(dict.fromkeys([line, *(option.line for option in others)]))
        chosen = lines[0]
        if len(lines) > 1:
            texts = [(self._action(number),) for number in lines]
            chosen = lines[await self._completion.peek_choice(texts)]
        if chosen != line:
            return await self._take([option for option in others if option.line == chosen])
        return await self._generate_row()

    def _certain_effect(self) -> str:
        """The beginning of an effect that the graph decides: the line calls, or raises."""
        events = {option.event for option in self._simulator.options}
        if events == {"exception"}:
            return " raise"
        return " call\n" if events and events <= {"call", "exception"} else ""

    async def _generate_row(self, forced: str = "") -> bool:
        """Force the action of a row and let the model generate its effect."""
        line = self._line or 0
        start = len(self._completion.text)
        await self._completion.force((self._action(line) + forced,))
        if not forced.endswith("\n") and not await self._completion.generate_until_text(("\n",)):
            return False
        row = self._codec.parse_row(self._completion.text[start:], self._program) or Row(line)
        self._said = [item.kind for item in row.items if item.kind in _EVENT_KINDS]
        call = NextStep("call", line)
        if not forced and row.has("enter") and call in self._simulator.options:
            # The function that is called begins on the same line, as a lambda does.
            self._simulator.take(call)
            self._callers.append(line)
            self._resumed_line = line if line in self._suspended else None
        notes = [item.value for item in row.items if item.kind == "note"]
        self._note = notes[0] if notes else None
        values = [item.value for item in row.items if item.kind == "return"]
        self._value = values[0] if values else None
        return True

    def _action(self, line: int) -> str:
        return self._codec.action(line, self._program)
