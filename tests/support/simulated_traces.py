"""Recorded traces, followed by the simulator of their programs."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from worldline.core.trace import Program, Trace
from worldline.languages.control_flow import CfgSimulator, NextStep, build_cfg


@dataclass
class GraphFigures:
    """How recorded traces fit the graphs of their programs.

    `illegal` has the steps that are not in the graph. `successors` has, for each line of a
    function, the number of lines that may follow, and one more if the function may be left there.
    """

    programs: int = 0
    steps: int = 0
    options: int = 0
    illegal: list[str] = field(default_factory=list)
    successors: list[int] = field(default_factory=list)

    @property
    def mean_successors(self) -> float:
        return sum(self.successors) / len(self.successors)

    @property
    def single_successors(self) -> float:
        """The share of lines with one successor."""
        return self.successors.count(1) / len(self.successors)


def follow_traces(traces: Iterable[tuple[str, Trace]]) -> GraphFigures:
    """Follow traces through the graphs of their programs, up to the first illegal step of each."""
    figures = GraphFigures()
    for name, trace in traces:
        graph = build_cfg(trace.program.text, language=trace.program.language)
        figures.programs += 1
        figures.successors += [
            len(after) + (line in function.exits)
            for function in graph.functions
            if function.kind != "module"
            for line, after in function.successors.items()
        ]
        simulator = CfgSimulator(graph, trace.program)
        for number, step in enumerate(trace.steps):
            option = NextStep(step.event, step.line)
            unwound = step.value is None if step.event == "return" else None
            try:
                figures.options += len(simulator.options)
                simulator.take(option, unwound=unwound)
            except ValueError:
                figures.illegal.append(
                    f"{name}, step {number}: {step.event} on line {step.line}, not one of "
                    f"{[(each.event, each.line) for each in simulator.options]}"
                )
                break
            figures.steps += 1
    return figures


def sample_calls(path: Path, language: str) -> list[Program]:
    """The programs of a file: one for each comment `// call: …`."""
    text = path.read_text()
    return [
        Program(text, call, language=language)
        for call in re.findall(r"^// call: (.*)$", text, re.MULTILINE)
    ]
