"""Control-flow graphs of JavaScript, TypeScript and Java, compared with recorded executions."""

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import data_file
from tests.support.simulated_traces import follow_traces, sample_calls
from worldline.core.errors import ProgramError, RecorderError
from worldline.core.language import get_language
from worldline.core.trace import Limits, Program, Trace
from worldline.evaluation.benchmarks.cruxeval_x import cruxeval_x
from worldline.languages.control_flow import CfgSimulator, NextStep, build_cfg
from worldline.languages.program_recorder import ProgramRecorder

PROGRAMS = Path(__file__).parents[2] / "programs"
FILES = {
    "javascript": ("javascript/control_flow.js", "javascript/constructs.js"),
    "java": ("java/ControlFlow.java", "java/Constructs.java"),
}
JAVATUPLES = "/usr/share/java/javatuples.jar"
LANGUAGES = ("javascript", "typescript", "java")


@pytest.fixture(scope="module")
def recorder() -> Iterator[ProgramRecorder]:
    with ProgramRecorder() as each:
        yield each


def record(recorder: ProgramRecorder, program: Program) -> Trace:
    try:
        return recorder.record(program, limits=Limits(seconds=30))
    except RecorderError as error:
        skip = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        skip(str(error))


@cache
def constructs(language: str) -> list[Program]:
    first, second = FILES[language]
    every = Program((PROGRAMS / second).read_text(), "everything(3)", language=language)
    return [*sample_calls(PROGRAMS / first, language), every]


@pytest.mark.parametrize("language", FILES)
def test_all_constructs_stay_in_the_graph(recorder: ProgramRecorder, language: str) -> None:
    programs = constructs(language)
    traces = [(each.text[-60:], record(recorder, each)) for each in programs]
    figures = follow_traces(traces)
    assert figures.illegal == []
    assert figures.programs >= 15
    assert figures.steps > 600
    assert figures.mean_successors < 1.7


@pytest.mark.data
@pytest.mark.parametrize("language", LANGUAGES)
def test_rows_of_cruxeval_x_stay_in_the_graph(
    recorder: ProgramRecorder, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLASSPATH", JAVATUPLES)
    questions = cruxeval_x(data_file("cruxeval_x"), language=language).questions
    rows = questions[:: len(questions) // 14][:14]
    figures = follow_traces((each.id, record(recorder, each.program)) for each in rows)
    assert figures.illegal == []
    assert figures.mean_successors < 1.5
    assert figures.single_successors > 0.6


SOURCES: dict[str, tuple[str, str]] = {
    "javascript": (
        "function f(x) {\n  if (x) {\n    x = 1;\n  } else {\n    x = 2;\n  }\n  return g(x);\n}\n"
        "function g(y) {\n  return y;\n}\n",
        "f(1)",
    ),
    "java": (
        "class A { static int f(int x) {\n  if (x > 0) {\n    x = 1;\n  } else {\n    x = 2;\n  }\n"
        "  return g(x);\n}\nstatic int g(int y) {\n  return y;\n} }\n",
        "f(1)",
    ),
}


@pytest.mark.parametrize("language", SOURCES)
def test_the_graph_of_a_branch(language: str) -> None:
    source, call = SOURCES[language]
    graph = build_cfg(Program(source, call, language=language).text, language=language)
    (f,) = [each for each in graph.functions if each.name == "f"]
    (g,) = [each for each in graph.functions if each.name == "g"]
    assert (set(f.entry), set(f.exits)) == ({2}, {7})
    assert f.successors == {2: {3, 5}, 3: {7}, 5: {7}, 7: set()}
    (branch,) = f.branches[2]
    assert (set(branch.inside), set(branch.outside)) == ({3}, {5})
    assert [each.name for each in graph.callees(7)] == ["g"]
    assert graph.callees(3) == ()
    assert g.call_lines == {9}


@pytest.mark.parametrize("language", SOURCES)
def test_a_call_with_a_known_target_is_the_only_option(language: str) -> None:
    source, call = SOURCES[language]
    program = Program(source, call, language=language)
    simulator = CfgSimulator(build_cfg(program.text, language=language), program)
    path = []
    while not simulator.is_over:
        options = [each for each in simulator.options if each.event != "exception"]
        path.append((options[0].event, options[0].line, len(options)))
        simulator.take(options[0])
    assert [number for _, _, number in path] == [1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1]
    assert path[6][:2] == ("call", 9)


@pytest.mark.parametrize("language", SOURCES)
@pytest.mark.parametrize("wrong_line", [2, 5, 7, 10])
def test_a_step_on_a_wrong_line_is_illegal(
    recorder: ProgramRecorder, language: str, wrong_line: int
) -> None:
    source, call = SOURCES[language]
    trace = record(recorder, Program(source, call, language=language))
    index = next(i for i, step in enumerate(trace.steps) if step.event == "line" and step.line == 3)
    steps = list(trace.steps)
    steps[index] = replace(steps[index], line=wrong_line)
    steps[index + 1] = replace(steps[index + 1], line=wrong_line)
    assert follow_traces([("right", trace)]).illegal == []
    assert follow_traces([("wrong", replace(trace, steps=tuple(steps)))]).illegal != []


GRAPHS: list[tuple[str, str, dict[int, set[int]]]] = [
    (
        "javascript",
        "function f(x) {\n  switch (x) {\n    case 1:\n      x = 2;\n    case 2:\n      x = 3;\n"
        "      break;\n    default:\n      x = 4;\n  }\n  return x;\n}",
        {2: {4, 6, 9}, 4: {6}, 6: {7}, 7: {11}, 9: {11}, 11: set()},
    ),
    (
        "javascript",
        "function f(xs) {\n  a: for (const x of xs) {\n    for (;;) {\n      if (x) continue a;\n"
        "      break a;\n    }\n  }\n  return 1;\n}",
        {2: {3, 8}, 3: {4}, 4: {2, 5}, 5: {8}, 8: set()},
    ),
    (
        "javascript",
        "function f(x) {\n  try {\n    return g(x);\n  } finally {\n    x = 1;\n  }\n}",
        {3: {5}, 5: set()},
    ),
    (
        "java",
        "class A { static int f(java.util.List<Integer> xs) {\n  int t = 0;\n  for (int x : xs) {\n"
        "    if (x > 1) continue;\n    t += x;\n  }\n  return t;\n} }",
        {2: {3}, 3: {4, 7}, 4: {3, 5}, 5: {3}, 7: set()},
    ),
    (
        "java",
        "class A { static String f(String s) {\n  return s\n    .trim()\n    .concat(s);\n} }",
        {2: {3}, 3: {4}, 4: {2}},
    ),
    (
        "java",
        "class A { static int f(int x) {\n  do {\n    x--;\n  } while (x > 0);\n  return x;\n} }",
        {3: {4}, 4: {3, 5}, 5: set()},
    ),
]


@pytest.mark.parametrize(("language", "text", "expected"), GRAPHS)
def test_successors(language: str, text: str, expected: dict[int, Any]) -> None:
    graph = build_cfg(text, language=language)
    (f,) = [each for each in graph.functions if each.name == "f"]
    assert f.successors == expected


def test_exceptions_go_to_their_handlers() -> None:
    text = (
        "function f(x) {\n  try {\n    g(x);\n    x = 1;\n  } catch (e) {\n    return 2;\n  }\n"
        "  return 3;\n}"
    )
    (_, f) = build_cfg(text, language="javascript").functions
    assert f.successors == {3: {4}, 4: {8}, 6: set(), 8: set()}
    assert f.exception_successors == {3: {6}, 4: set(), 6: set(), 8: set()}


def test_types_are_not_in_the_graph() -> None:
    text = (
        "interface A {\n  x: number;\n}\ntype B = string;\nfunction f(x: A): number {\n"
        "  const y = x as A;\n  return y.x!;\n}"
    )
    (module, f) = build_cfg(text, language="typescript").functions
    assert module.successors == {}
    assert f.successors == {6: {7}, 7: set()}


def test_a_generator_is_resumed_after_its_yield() -> None:
    source = "function* g() {\n  yield 1;\n  yield 2;\n}\nfunction f() {\n  return [...g()];\n}\n"
    program = Program(source, "f()", language="javascript")
    graph = build_cfg(program.text, language="javascript")
    (g,) = [each for each in graph.functions if each.name == "g"]
    assert g.is_generator
    assert g.yields == {2: {3}, 3: set()}
    assert NextStep("call", 1) not in CfgSimulator(graph, program).options


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_cannot_be_parsed_is_an_error(language: str) -> None:
    with pytest.raises(ProgramError, match="line 1 of the program cannot be parsed"):
        build_cfg("} {", language=language)


def test_a_language_without_a_graph_says_so() -> None:
    with pytest.raises(ProgramError, match=r"no control-flow graph for C\+\+"):
        build_cfg("int f();", language="cpp")
    assert get_language("cpp").cfg is None
