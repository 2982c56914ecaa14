"""Agreement of hybrid executions with actual ones: modules that are installed are hidden.

    python -m scripts.hybrid_agreement FILE --engine perfect      an engine that is always right
    python -m scripts.hybrid_agreement FILE --engine URL          a model
    python -m scripts.hybrid_agreement FILE                       print the tables as Markdown

Each program of tests/programs/hidden_modules is executed as it is, without the module, and with
assumed values. Results are appended to FILE (JSON lines); run the same command again to resume.
`--first N` executes only the first N programs, in an order that alternates between the modules.
`--concurrency N` asks about N programs at the same time.
"""

import argparse
import asyncio
import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from scripts.markdown_table import table
from tests.support.hidden_module_programs import (
    MODULES,
    HiddenModuleProgram,
    hidden_module_programs,
)
from tests.support.session_interpreter import always_right, execute_session
from worldline.analysis.alignment import answers_equal
from worldline.analysis.stats import Share, clustered_share
from worldline.core.trace import AssumedCall, Trace
from worldline.interfaces.api.engine_handle import load_engine
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.engines import Engine
from worldline.models.hybrid import HybridExecution, HybridSettings, execute_hybrid, parse_answer

PERFECT = "perfect"
SEED = 0
Row = dict[str, Any]


def main() -> None:
    """Execute the programs that are not in the file yet, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--engine")
    parser.add_argument("--first", type=int)
    parser.add_argument("--max-tokens", type=int, default=256)
    parser.add_argument("--concurrency", type=int, default=1)
    options = parser.parse_args()
    if options.engine is not None:
        programs = ordered_programs()[: options.first]
        settings = HybridSettings(max_tokens=options.max_tokens)
        if options.engine == PERFECT:
            # Its tokens are bytes.
            settings = HybridSettings(max_tokens=100_000, max_total_tokens=100_000_000)
        study = execute_programs(
            programs, options.engine, options.file, settings, concurrency=options.concurrency
        )
        asyncio.run(study)
    rows = read_rows(options.file)
    print(tables(rows))


def ordered_programs() -> list[HiddenModuleProgram]:
    """The programs in a fixed random order, one of each module in turn."""
    by_module: dict[str, list[HiddenModuleProgram]] = {module: [] for module in MODULES}
    for program in hidden_module_programs():
        by_module[program.module].append(program)
    for programs in by_module.values():
        random.Random(SEED).shuffle(programs)
    return [program for turn in zip(*by_module.values(), strict=True) for program in turn]


async def execute_programs(
    programs: Sequence[HiddenModuleProgram],
    name: str,
    file: Path,
    settings: HybridSettings,
    *,
    concurrency: int = 1,
) -> None:
    """Append one row for each program that the file does not have; at the end, sort the rows."""
    rows = read_rows(file)
    done = {row["id"] for row in rows}
    # A row that was being written when the command was killed is written again.
    write_rows(file, rows)
    places = asyncio.Semaphore(concurrency)

    async def append_row(each: HiddenModuleProgram) -> None:
        async with places:
            row = await measure(each, engine, recorder, settings)
        with file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(row) + "\n")

    with PythonRecorder() as recorder, PythonRecorder() as interpreter:
        handle = None if name == PERFECT else load_engine(name)
        engine = always_right(interpreter) if handle is None else handle.open()
        try:
            async with asyncio.TaskGroup() as tasks:
                for each in programs:
                    if each.id not in done:
                        tasks.create_task(append_row(each))
            order = {each.id: number for number, each in enumerate(ordered_programs())}
            write_rows(file, sorted(read_rows(file), key=lambda row: order[row["id"]]))
        finally:
            await engine.close()
            if handle is not None:
                handle.stop_server()


def read_rows(file: Path) -> list[Row]:
    """The rows of a file; none if there is no file."""
    if not file.exists():
        return []
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def write_rows(file: Path, rows: Iterable[Row]) -> None:
    """Write a file of rows."""
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


async def measure(
    each: HiddenModuleProgram, engine: Engine, recorder: PythonRecorder, settings: HybridSettings
) -> Row:
    """Execute one program with the module, without it, and with assumed values."""
    actual = recorder.record(each.program)
    without = recorder.record(each.without_module)
    hybrid = await execute_hybrid(each.program, (each.module,), engine, recorder, settings=settings)
    return {
        "id": each.id,
        "module": each.module,
        "model": engine.name,
        "call": each.program.call,
        "actual": outcome(actual),
        "hybrid": outcome(hybrid.trace),
        "agrees": is_same_outcome(actual, hybrid.trace),
        "calls": compare_calls(hybrid, recorder),
        "lines": len(each.lines),
        "actual_lines": covered(each, actual),
        "without_lines": covered(each, without),
        "hybrid_lines": covered(each, hybrid.trace),
        "reached_lines": len(each.lines & executed_lines(actual) & executed_lines(hybrid.trace)),
        "prompt_tokens": hybrid.usage.prompt,
        "completion_tokens": hybrid.usage.completion,
        "requests": hybrid.usage.requests,
    }


def outcome(trace: Trace) -> str:
    """How an execution ended: "finished: 3", "raised: KeyError: 'a'"."""
    return f"{trace.ending.reason}: {trace.result or trace.ending.detail}"


def is_same_outcome(actual: Trace, hybrid: Trace) -> bool:
    """Whether both returned equal values, or raised exceptions of the same type."""
    if actual.result is not None and hybrid.result is not None:
        return answers_equal(actual.result, hybrid.result)
    kinds = [trace.ending.detail.partition(":")[0] for trace in (actual, hybrid)]
    return actual.ending.reason == hybrid.ending.reason == "raised" and kinds[0] == kinds[1]


def executed_lines(trace: Trace) -> set[int]:
    """The lines that have a step."""
    return {step.line for step in trace.steps}


def covered(each: HiddenModuleProgram, trace: Trace) -> int:
    """The number of the function's statements that were executed."""
    return len(each.lines & executed_lines(trace))


def compare_calls(hybrid: HybridExecution, recorder: PythonRecorder) -> list[Row]:
    """The assumed calls, with what Python gives for each in the same session."""
    assumptions = hybrid.trace.assumptions
    calls = assumptions.calls if assumptions else ()
    lines: list[str] = []
    positions: list[int] = []
    objects = 0
    for call in calls:
        lines += call.statements
        positions.append(len(lines))
        if call.kind == "object":
            objects += 1
            # Evaluated once: a call may change its object.
            lines += [f"obj{objects} = {call.expression}", f"obj{objects}"]
            positions[-1] += 1
        else:
            lines.append(call.expression)
    printed = execute_session(recorder, lines) if lines else []
    return [
        compare_call(call, printed[position], printed[position - 1])
        for call, position in zip(calls, positions, strict=True)
    ]


def compare_call(call: AssumedCall, printed: str, assigned: str) -> Row:
    """One assumed call and the actual value; it is not comparable if Python cannot evaluate it."""
    # An object that is assigned prints nothing, unless the call raises an exception.
    text = assigned if call.kind == "object" and assigned.startswith("Traceback") else printed
    actual = parse_answer(text or "None")
    value = actual.value
    is_comparable = actual.kind is not None and not value.startswith(("SyntaxError", "NameError"))
    agrees = actual.kind == call.kind
    if agrees and call.kind == "value":
        agrees = answers_equal(value, call.value)
    elif agrees and call.kind == "exception":
        agrees = exception_name(value) == exception_name(call.value)
    return {
        "expression": call.expression,
        "kind": call.kind,
        "value": call.value,
        "actual_kind": actual.kind,
        "actual_value": value,
        "is_comparable": is_comparable,
        "agrees": agrees,
    }


def exception_name(text: str) -> str:
    """ "json.decoder.JSONDecodeError: Expecting value" -> "JSONDecodeError" """
    return text.partition(":")[0].rpartition(".")[2]


# -- tables -----------------------------------------------------------------------------------


def tables(rows: Sequence[Row]) -> str:
    """The tables of all rows, by module and in total."""
    groups = [(module, [row for row in rows if row["module"] == module]) for module in MODULES]
    groups = [(name, group) for name, group in groups if group] + [("all", list(rows))]
    agreement = table(
        [
            "module",
            "programs",
            "results agree",
            "values agree",
            "objects",
            "exceptions",
            "no value",
        ],
        [[name, str(len(group)), *agreement_cells(group)] for name, group in groups],
    )
    coverage = table(
        ["module", "statements", "without the module", "with assumed values", "with the module",
         "reached of those"],
        [[name, str(sum(row["lines"] for row in group)), *coverage_cells(group)]
         for name, group in groups],
    )  # fmt: skip
    requests = sum(row["requests"] for row in rows)
    tokens = sum(row["prompt_tokens"] + row["completion_tokens"] for row in rows)
    return f"{agreement}\n{coverage}\n{requests:,} requests, {tokens:,} tokens"


def agreement_cells(rows: Sequence[Row]) -> list[str]:
    """Agreement of results, of the calls by kind, and executions that ended without a value."""
    kinds = ("value", "object", "exception")
    failed = [[row["hybrid"].startswith("assumption_failed")] for row in rows]
    return [
        cell(by_function(rows, [[row["agrees"]] for row in rows])),
        *(cell(by_function(rows, [agreeing(row, kind) for row in rows])) for kind in kinds),
        cell(by_function(rows, failed)),
    ]


def agreeing(row: Row, kind: str) -> list[bool]:
    """For each comparable call whose actual value is of a kind: whether the assumed one agrees."""
    calls = [call for call in row["calls"] if call["is_comparable"]]
    return [call["agrees"] for call in calls if call["actual_kind"] == kind]


def coverage_cells(rows: Sequence[Row]) -> list[str]:
    """Statements executed in each way, and those of the actual execution that were reached."""
    ways = [("without_lines", "lines"), ("hybrid_lines", "lines"), ("actual_lines", "lines"),
            ("reached_lines", "actual_lines")]  # fmt: skip
    return [
        cell(by_function(rows, [[n < row[part] for n in range(row[whole])] for row in rows]))
        for part, whole in ways
    ]


def by_function(rows: Sequence[Row], results: Sequence[Sequence[bool]]) -> Share:
    """A share; its interval takes calls and programs of one function as not independent."""
    clusters: dict[str, list[bool]] = {}
    for row, result in zip(rows, results, strict=True):
        clusters.setdefault(row["id"].rpartition(".")[0], []).extend(result)
    filled = [cluster for cluster in clusters.values() if cluster]
    return clustered_share(
        [sum(cluster) for cluster in filled], [len(cluster) for cluster in filled]
    )


def cell(share: Share) -> str:
    """ "25 of 30: 83% (66–93)" """
    if share.value is None or share.low is None or share.high is None:
        return "–"
    interval = f"{share.low * 100:.0f}–{share.high * 100:.0f}"
    return f"{share.correct} of {share.of}: {share.value:.0%} ({interval})"


if __name__ == "__main__":
    main()
