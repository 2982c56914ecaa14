"""Interventions on the failures of a run, and the causes that they confirm."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.evaluation.runs.samples import fill
from tests.support.predictions import replaced, text_of
from tests.support.scripted_models import engine_of, prompt_of
from worldline.analysis.interventions import InterventionName
from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.evaluation.metrics import measure_interventions
from worldline.evaluation.runs import (
    Failures,
    ScoredSample,
    cause_tests,
    find_failures,
    intervention_questions,
    intervention_run,
    read_attempts,
    read_interventions,
    read_predictions,
    read_scored_samples,
    run_intervention,
    with_tested_cause,
)
from worldline.interfaces.report import fix_lines
from worldline.languages.python.recorder import PythonRecorder, Recorder
from worldline.models.engines import Engine, ScriptedEngine, as_messages
from worldline.models.prediction import PredictionSettings, Question

LOOP = "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n"
# One sample is correct, one has a wrong value, one a hallucinated line.
QUESTIONS = [
    Question("right", Program(LOOP, "f(2)"), "1", {"number": 0}),
    Question("slip", Program(LOOP, "f(3)"), "3", {"number": 1}),
    Question("jump", Program(LOOP, "f(4)"), "6", {"number": 2}),
]
LINE = '"s": "0"}<|action_sep|>    for i in range(n):'


def slip(text: str) -> str:
    """Calculate a wrong value and continue with it."""
    text = replaced('"s": "1", "i": ".."', '"s": "2", "i": ".."')(text)
    return replaced('<|arg_sep|>"3"', '<|arg_sep|>"4"', times=2)(text)


def jump(text: str) -> str:
    """Continue on a line that cannot come next."""
    text = replaced(LINE, '"s": "0"}<|action_sep|>    s = 0')(text)
    return replaced('<|arg_sep|>"6"', '<|arg_sep|>"7"', times=2)(text)


def stubborn(recorder: Recorder) -> Callable[[], Engine]:
    """A model that always makes the same errors, but continues an actual prefix correctly."""
    edits: dict[str, Callable[[str], str]] = {"right": str, "slip": slip, "jump": jump}
    known = []
    for question in QUESTIONS:
        actual = recorder.record(question.program)
        prompt = prompt_of(question.program)
        known += [prompt + edits[question.id](text_of(actual)), prompt + text_of(actual)]

    def answer(text: str) -> str:
        return next((whole[len(text) :] for whole in known if whole.startswith(text)), "lost")

    return lambda: engine_of(answer)


def run_of(address: Path, recorder: Recorder) -> list[ScoredSample]:
    return fill(
        address,
        QUESTIONS,
        stubborn(recorder),
        recorder,
        settings=PredictionSettings(max_tokens=4000),
    )


def tried(
    address: Path, recorder: PythonRecorder, name: InterventionName, *, is_all: bool = False
) -> Failures:
    failures = find_failures(address, recorder, correct=1)
    ids = frozenset(sample.prediction.id for sample in failures.failed)
    questions = intervention_questions(name, failures, is_all=is_all, unconfirmed=ids)
    list(
        run_intervention(
            address, name, questions, stubborn(recorder), recorder, failures.manifest, draws=2
        )
    )
    return failures


def test_a_cause_is_confirmed_only_by_an_intervention_that_removes_it(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    run = tmp_path / "run"
    before = {row.sample: row for row in run_of(run, recorder)}
    assert {name: row.cause for name, row in before.items()} == {
        "right": None, "slip": "arithmetic", "jump": "hallucinated_line",
    }  # fmt: skip
    failures = tried(run, recorder, "guided")
    # `guided` can confirm only the hallucinated line; the correct sample shows what it breaks.
    result = read_interventions(run)
    assert {row.sample: row.verdict for row in result["guided"]} == {
        "jump": "correct", "right": "correct",
    }  # fmt: skip
    tried(run, recorder, "patch")
    tests = cause_tests(read_scored_samples(run), read_interventions(run))
    assert tests.confirmed == {"slip": "patch", "jump": "guided"}
    assert tests.refuted == {}
    (slip,) = [sample for sample in failures.failed if sample.prediction.id == "slip"]
    cause = with_tested_cause(slip, tests).diagnosis.cause
    assert cause is not None
    assert cause.confirmed_by == "patch"
    (attempt,) = read_attempts(run).on(slip)
    assert (attempt.intervention, attempt.verdict) == ("patch", "correct")


def test_confirmed_samples_are_not_predicted_again(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    run = tmp_path / "run"
    run_of(run, recorder)
    failures = find_failures(run, recorder)
    assert [
        q.id for q in intervention_questions("patch", failures, unconfirmed=frozenset({"slip"}))
    ] == ["slip"]
    assert intervention_questions("patch", failures, unconfirmed=frozenset()) == []
    assert (
        intervention_questions("strings-line", failures, unconfirmed=frozenset({"slip", "jump"}))
        == []
    )


def test_effects_are_measured_in_pairs(tmp_path: Path, recorder: PythonRecorder) -> None:
    run = tmp_path / "run"
    run_of(run, recorder)
    for name in ("resample", "guided", "force-actions"):
        tried(run, recorder, name, is_all=True)
    result = measure_interventions(read_scored_samples(run), read_interventions(run))
    overall = {e.intervention: e.recovered for e in result.effects if e.cause is None}
    # Resampled at the divergence, this model predicts the same; two repeats each.
    assert (overall["resample"].correct, overall["resample"].of) == (0, 4)
    assert (overall["guided"].correct, overall["guided"].of) == (1, 2)
    # Actual lines do not correct a wrong value.
    by_cause = {e.cause: e.recovered.correct for e in result.effects if e.intervention == "guided"}
    assert by_cause == {None: 1, "arithmetic": 0, "hallucinated_line": 1}
    assert (result.failures, dict(result.causes)) == (2, {"arithmetic": 1, "hallucinated_line": 1})
    (fix,) = result.fixes
    assert (fix.intervention, fix.broken.correct, fix.broken.of) == ("guided", 0, 1)
    # One of three samples is gained.
    assert fix.gain == pytest.approx(1 / 3)
    assert result.cheapest is fix
    # Three samples are too few to be significant.
    assert not fix.is_shown
    assert str(list(fix_lines(result))[-1]).startswith("cheapest fix that may gain: Guided")
    sure = replace(
        result, fixes=(fix, replace(fix, low=0.1, tokens=replace(fix.tokens, value=9.0)))
    )
    assert sure.cheapest is sure.fixes[1]
    assert str(list(fix_lines(sure))[-1]) == "cheapest fix that gains: Guided"
    contrast = {(c.first, c.second): c.difference for c in result.contrasts}
    assert contrast["resample", "guided"].value == pytest.approx(0.5)
    assert contrast["resample", "guided"].of == 2


def test_a_rewrite_changes_the_prompt_of_a_chat_model(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    run, source = tmp_path / "run", "def f(n):\n    return (n + 1) * (n + 2)\n"
    engines: list[ScriptedEngine] = []

    def wordy() -> ScriptedEngine:
        engines.append(engine_of(lambda text: "Let me think. " * 99))
        return engines[-1]

    chat = PredictionSettings(codec="chat", max_tokens=50)
    fill(run, [Question("cut", Program(source, "f(3)"), "20")], wordy, recorder, settings=chat)
    failures = find_failures(run, recorder)
    questions = intervention_questions(
        "expressions", failures, is_all=True, unconfirmed=frozenset({"cut"})
    )
    list(run_intervention(run, "expressions", questions, wordy, recorder, failures.manifest))
    first, again = (as_messages(engine.requests[0].prompt) for engine in engines)
    assert first[:-1] == again[:-1]
    assert source in first[-1].content
    assert source not in again[-1].content
    assert "[CALL]\nf(3)\n" in again[-1].content
    (kept,) = read_predictions(intervention_run(run, "expressions"))
    assert kept.program == questions[0].program


def test_a_run_with_unsuitable_settings_is_rejected(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    run = tmp_path / "run"
    fill(run, QUESTIONS, stubborn(recorder), recorder, settings=PredictionSettings(mode="guided"))
    with pytest.raises(InputError, match="not predicted with --mode free"):
        find_failures(run, recorder)


def test_a_different_model_is_rejected(tmp_path: Path, recorder: PythonRecorder) -> None:
    run = tmp_path / "run"
    run_of(run, recorder)
    failures = find_failures(run, recorder)

    def other() -> Engine:
        engine = stubborn(recorder)()
        engine.name = "other"  # type: ignore[misc]
        return engine

    questions = intervention_questions("patch", failures, unconfirmed=frozenset({"slip"}))
    with pytest.raises(InputError, match="model 'scripted', not 'other'"):
        list(run_intervention(run, "patch", questions, other, recorder, failures.manifest))
    assert read_interventions(run)["patch"] == []
