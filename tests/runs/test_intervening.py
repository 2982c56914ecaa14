"""Failures of a run asked again with one thing changed, and causes that are confirmed by it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.oracle import engine_of, prompt_of
from tests.predictions import replaced, text_of
from tests.runs.samples import fill
from worldline.engines import Engine
from worldline.errors import InputError
from worldline.intervene import InterventionName
from worldline.measures import measure_interventions
from worldline.predict import Question, Settings
from worldline.recorders import PythonRecorder, Recorder
from worldline.report import fix_lines
from worldline.runs import (
    Failures,
    Judged,
    confirmed_causes,
    find_failures,
    intervene_into,
    read_attempts,
    read_interventions,
    read_judged,
    wanted,
    with_confirmed,
)
from worldline.trace import Program

LOOP = "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n"
# Each about its own program: right; one value wrong; one line that cannot come next.
QUESTIONS = [
    Question("right", Program(LOOP, "f(2)"), "1", {"number": 0}),
    Question("slip", Program(LOOP, "f(3)"), "3", {"number": 1}),
    Question("jump", Program(LOOP, "f(4)"), "6", {"number": 2}),
]
LINE = '"s": "0"}<|action_sep|>    for i in range(n):'


def slip(text: str) -> str:
    """Calculates wrongly, and goes on with that."""
    text = replaced('"s": "1", "i": ".."', '"s": "2", "i": ".."')(text)
    return replaced('<|arg_sep|>"3"', '<|arg_sep|>"4"', times=2)(text)


def jump(text: str) -> str:
    """Goes back to a line that cannot come next, and is lost."""
    text = replaced(LINE, '"s": "0"}<|action_sep|>    s = 0')(text)
    return replaced('<|arg_sep|>"6"', '<|arg_sep|>"7"', times=2)(text)


def stubborn(recorder: Recorder) -> Callable[[], Engine]:
    """A model that errs as it likes, and goes on with the truth wherever it is put back to it."""
    edits: dict[str, Callable[[str], str]] = {"right": str, "slip": slip, "jump": jump}
    known = []
    for question in QUESTIONS:
        truth = recorder.record(question.program)
        prompt = prompt_of(question.program)
        known += [prompt + edits[question.id](text_of(truth)), prompt + text_of(truth)]

    def answer(text: str) -> str:
        return next((whole[len(text) :] for whole in known if whole.startswith(text)), "lost")

    return lambda: engine_of(answer)


def run_of(address: Path, recorder: Recorder) -> list[Judged]:
    return fill(address, QUESTIONS, stubborn(recorder), recorder, settings=Settings(budget=4000))


def tried(
    address: Path, recorder: PythonRecorder, name: InterventionName, *, is_all: bool = False
) -> Failures:
    failures = find_failures(address, recorder, right=1)
    ids = frozenset(sample.prediction.id for sample in failures.failed)
    questions = wanted(name, failures, is_all=is_all, unconfirmed=ids)
    list(
        intervene_into(
            address, name, questions, stubborn(recorder), recorder, failures.manifest, draws=2
        )
    )
    return failures


def test_a_cause_is_confirmed_by_what_removes_it_and_nothing_else(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    run = tmp_path / "run"
    before = {row.sample: row for row in run_of(run, recorder)}
    assert {name: row.cause for name, row in before.items()} == {
        "right": None, "slip": "arithmetic", "jump": "line_made_up",
    }  # fmt: skip
    failures = tried(run, recorder, "guided")
    # Guided is called for by the line alone; of what is right, it shows what it breaks.
    found = read_interventions(run)
    assert {row.sample: row.verdict for row in found["guided"]} == {
        "jump": "right", "right": "right",
    }  # fmt: skip
    tried(run, recorder, "patch")
    confirmed = confirmed_causes(read_judged(run), read_interventions(run))
    assert confirmed == {"slip": "patch", "jump": "guided"}
    (slip,) = [sample for sample in failures.failed if sample.prediction.id == "slip"]
    cause = with_confirmed(slip, confirmed).diagnosis.cause
    assert cause is not None
    assert cause.confirmed_by == "patch"
    (attempt,) = read_attempts(run).on(slip)
    assert (attempt.intervention, attempt.verdict) == ("patch", "right")


def test_what_is_confirmed_is_not_asked_again(tmp_path: Path, recorder: PythonRecorder) -> None:
    run = tmp_path / "run"
    run_of(run, recorder)
    failures = find_failures(run, recorder)
    assert [q.id for q in wanted("patch", failures, unconfirmed=frozenset({"slip"}))] == ["slip"]
    assert wanted("patch", failures, unconfirmed=frozenset()) == []
    assert wanted("strings-line", failures, unconfirmed=frozenset({"slip", "jump"})) == []


def test_effects_are_counted_in_pairs_with_what_was_before(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    run = tmp_path / "run"
    run_of(run, recorder)
    for name in ("resample", "guided", "force-actions"):
        tried(run, recorder, name, is_all=True)
    found = measure_interventions(read_judged(run), read_interventions(run))
    overall = {e.intervention: e.recovered for e in found.effects if e.cause is None}
    # Asked again where it left reality, this model says the same; two draws of each.
    assert (overall["resample"].right, overall["resample"].of) == (0, 4)
    assert (overall["guided"].right, overall["guided"].of) == (1, 2)
    # The true lines do not help who calculates wrongly.
    by_cause = {e.cause: e.recovered.right for e in found.effects if e.intervention == "guided"}
    assert by_cause == {None: 1, "arithmetic": 0, "line_made_up": 1}
    assert (found.failures, dict(found.causes)) == (2, {"arithmetic": 1, "line_made_up": 1})
    (fix,) = found.fixes
    assert (fix.intervention, fix.broken.right, fix.broken.of) == ("guided", 0, 1)
    # One of three samples is gained.
    assert fix.gain == pytest.approx(1 / 3)
    assert found.cheapest is fix
    # Three samples show nothing.
    assert not fix.is_shown
    assert str(list(fix_lines(found))[-1]).startswith("cheapest fix that may gain: guided")
    sure = replace(found, fixes=(fix, replace(fix, low=0.1, tokens=replace(fix.tokens, value=9.0))))
    assert sure.cheapest is sure.fixes[1]
    assert str(list(fix_lines(sure))[-1]) == "cheapest fix that gains: guided"
    contrast = {(c.first, c.second): c.difference for c in found.contrasts}
    assert contrast["resample", "guided"].value == pytest.approx(0.5)
    assert contrast["resample", "guided"].of == 2


def test_a_run_that_was_asked_otherwise_is_refused(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    run = tmp_path / "run"
    fill(run, QUESTIONS, stubborn(recorder), recorder, settings=Settings(mode="guided"))
    with pytest.raises(InputError, match="not asked with --mode free"):
        find_failures(run, recorder)


def test_another_model_is_refused(tmp_path: Path, recorder: PythonRecorder) -> None:
    run = tmp_path / "run"
    run_of(run, recorder)
    failures = find_failures(run, recorder)

    def other() -> Engine:
        engine = stubborn(recorder)()
        engine.name = "other"  # type: ignore[misc]
        return engine

    questions = wanted("patch", failures, unconfirmed=frozenset({"slip"}))
    with pytest.raises(InputError, match="model 'scripted', not 'other'"):
        list(intervene_into(run, "patch", questions, other, recorder, failures.manifest))
    assert read_interventions(run)["patch"] == []
