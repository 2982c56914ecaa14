"""Inspect task and scorer: a model's predicted executions, compared with the actual ones.

`inspect eval worldline/cruxeval_trace --model …` finds the task through the entry point group
`inspect_ai`.
"""

import atexit
from collections import Counter
from typing import Any

from worldline.analysis.diagnosis import (
    Sample,
    divergence_location,
    explain_divergence,
    value_difference,
)
from worldline.core.errors import InputError
from worldline.core.util.optional_imports import optional_import
from worldline.evaluation.benchmarks import load_benchmark
from worldline.evaluation.runs import (
    execute_and_diagnose,
    extract_answer,
    grade_answer,
    is_expected,
)
from worldline.languages.program_recorder import ProgramRecorder
from worldline.models.codecs import Codec, get_codec
from worldline.models.prediction import (
    GenerationRecord,
    Question,
    make_recorded_answer,
    question_from_row,
)
from worldline.models.prediction.inspect_logs import output_finish

with optional_import("the Inspect task needs inspect_ai; install it with", extra="inspect"):
    import anyio.to_thread
    from inspect_ai import Task, task
    from inspect_ai import dataset as inspect_dataset
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser
    from inspect_ai.scorer import (
        CORRECT,
        INCORRECT,
        Metric,
        SampleScore,
        Score,
        Scorer,
        Target,
        accuracy,
        metric,
        scorer,
        stderr,
    )
    from inspect_ai.solver import TaskState, generate


@task  # type: ignore[untyped-decorator]
def cruxeval_trace(codec: str = "chat", data: str | None = None, python: str | None = None) -> Task:
    """CRUXEval-O: what 800 short Python functions return, with the first divergence of each.

    Args:
        codec: The format that the model is asked for; one for chat models.
        data: The benchmark's file, or the folder that contains it.
        python: The interpreter that executes the programs.
    """
    chosen = get_codec(codec)
    if not chosen.is_chat:
        raise InputError(
            f"Inspect asks chat models, but the codec {codec!r} is for text completion; "
            "use -T codec=chat"
        )
    questions = load_benchmark("cruxeval", data=data).questions
    return Task(
        dataset=inspect_dataset.MemoryDataset(
            [make_inspect_sample(question, chosen) for question in questions], name="cruxeval"
        ),
        solver=generate(),
        scorer=execution_scorer(python=python),
    )


def make_inspect_sample(question: Question, codec: Codec) -> "inspect_dataset.Sample":
    """Make a sample of Inspect from a question; its metadata names the program and the codec."""
    program = question.program
    roles = (ChatMessageUser, ChatMessageAssistant)
    messages = [
        roles[number % 2](content=str(segment))
        for number, segment in enumerate(codec.prompt(program))
    ]
    metadata = {"code": program.source, "call": program.call, "codec": codec.name}
    if program.stdin:
        metadata["stdin"] = program.stdin
    return inspect_dataset.Sample(
        id=question.id, input=messages, target=question.expected or "", metadata=metadata
    )


@metric(scores="unreduced")  # type: ignore[untyped-decorator]
def outcomes() -> Metric:
    """Share of the samples with each outcome of the diagnosis; every epoch counts."""

    def share_by_outcome(scores: list[SampleScore]) -> dict[str, float]:
        names = [str((score.score.metadata or {}).get("outcome")) for score in scores]
        return {name: count / len(names) for name, count in sorted(Counter(names).items())}

    return share_by_outcome


@scorer(metrics=[accuracy(), stderr(), outcomes()])  # type: ignore[untyped-decorator]
def execution_scorer(python: str | None = None) -> Scorer:
    """Execute the program in the sandbox, and diagnose the prediction.

    A sample needs metadata with `code` and `call`, as `make_inspect_sample` writes it. A program
    that cannot be executed is not scored.

    Args:
        python: The interpreter that executes the programs.
    """
    recorder = ProgramRecorder(python=python)
    atexit.register(recorder.close)

    async def score(state: TaskState, target: Target) -> Score:
        # The recorder blocks until the program has ended.
        return await anyio.to_thread.run_sync(_score, state, target.text, recorder)

    return score


def _score(state: TaskState, target: str, recorder: ProgramRecorder) -> Score:
    place = f"sample {state.sample_id}"
    metadata = dict(state.metadata)
    row = {"expected": target or None, **metadata, "id": str(state.sample_id)}
    question = question_from_row(row, place)
    generation = GenerationRecord(mode="free", codec=metadata.get("codec", "chat"), max_tokens=0)
    prediction = make_recorded_answer(
        question, state.output.completion, generation, finish=output_finish(state.output)
    )
    sample = execute_and_diagnose(prediction, recorder)
    verdict = grade_answer(prediction, question, sample.diagnosis.facts, is_expected)
    facts = {
        "answer": extract_answer(prediction),
        "explanation": explain_sample(sample),
        "metadata": {"verdict": verdict, **_score_metadata(sample)},
    }
    if sample.diagnosis.facts.outcome == "infra_error":
        return Score.unscored(reason="the program could not be executed", **facts)
    return Score(value=CORRECT if verdict == "correct" else INCORRECT, **facts)


def explain_sample(sample: Sample) -> str:
    """The diagnosis in one sentence: "step 17 state n: 3 instead of 5; copied wrongly"."""
    diagnosis = sample.diagnosis
    location = " ".join(divergence_location(diagnosis).split())
    difference, cause = value_difference(diagnosis), explain_divergence(diagnosis)
    return location + (f": {difference}" if difference else "") + (f"; {cause}" if cause else "")


def _score_metadata(sample: Sample) -> dict[str, Any]:
    diagnosis, facts = sample.diagnosis, sample.diagnosis.facts
    divergence = facts.divergence
    shows_steps = sample.prediction.decoded.shows_steps
    return {
        "outcome": facts.outcome,
        "first_divergence": divergence.step if divergence else None,
        "differs_in": divergence.where if divergence else None,
        "line": divergence.line if divergence else None,
        "variable": divergence.variable if divergence else None,
        "cause": diagnosis.cause.name if diagnosis.cause else None,
        "matched_steps": facts.alignment.matched_steps if facts.alignment and shows_steps else None,
        "actual_steps": facts.actual_steps,
        "result": facts.result,
    }
