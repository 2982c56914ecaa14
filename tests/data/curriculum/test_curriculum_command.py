"""Curriculum of a run: from its steps to a file of programs."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.interfaces.viewer.small_runs import make_recorded_run
from tests.support.predictions import CWM, text_of
from worldline.core.errors import InputError
from worldline.core.trace import Limits, Program
from worldline.data.curriculum import measure_programs, read_pool
from worldline.data.generation import load_decontamination_index
from worldline.interfaces.api.curriculum_choice import choose_curriculum, read_skill
from worldline.interfaces.cli import main
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import (
    GenerationRecord,
    Prediction,
    Question,
    StepScore,
    make_prediction,
    read_questions,
)

UPPER = "def f(s):\n    t = s.upper()\n    return t\n"
SUM = "def f(n):\n    m = n + {0}\n    return m\n"


@pytest.fixture(scope="module")
def run(recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Twelve sums that are predicted right, and twelve `upper` of which half are wrong."""
    predictions = []
    for number in range(24):
        is_sum = number < 12
        call = "f(1)" if is_sum else f"f('a{'b' * number}')"
        program = Program(SUM.format(number) if is_sum else UPPER, call)
        text = text_of(recorder.record(program))
        if not is_sum and number % 2:
            text = text.replace("AB", "Ab")
        predictions.append(make_prediction(f"s{number}", program, text, CWM, finish="stop"))
    folder = tmp_path_factory.mktemp("curriculum") / "run"
    return make_recorded_run(folder, predictions, recorder)


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("pool") / "pool.jsonl"
    rows = [
        {"id": f"sum{n}", "code": SUM.format(n), "call": f"f({n})", "expected": str(2 * n)}
        for n in range(30)
    ]
    rows += [{"id": f"upper{n}", "code": UPPER, "call": f"f('x{n}')"} for n in range(10)]
    rows += [{"id": "again", "code": UPPER, "call": "f('x0')"}]
    rows += [{"id": "raises", "code": UPPER, "call": "f(1)"}]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


def test_the_skill_is_that_of_the_run(run: str) -> None:
    skill = read_skill(run)
    assert skill.steps["str.upper"] == (6, 12)
    assert skill.steps["int +"] == (12, 12)


def test_programs_with_the_failing_operation_are_chosen(
    run: str, pool: Path, tmp_path: Path
) -> None:
    output = tmp_path / "next.jsonl"
    result = choose_curriculum(run, output, pool=[pool], count=10, known=0.2)
    assert result.chosen == {"edge": 8, "known": 2}
    assert (result.pool, result.operations[0].name) == (40, "str.upper")
    questions = list(read_questions(output))
    reasons = {q.facets["reason"]: q for q in questions}
    assert "upper" in reasons["edge"].program.source
    assert " + " in reasons["known"].program.source
    assert json.loads((tmp_path / "next.jsonl.about.json").read_text())["pool"] == 40


def test_the_command(run: str, pool: Path, tmp_path: Path) -> None:
    output = tmp_path / "next.jsonl"
    words = ["curriculum", run, "-o", str(output), "--pool", str(pool), "--count", "10"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    assert "10 of 40 programs" in result.output
    assert "str.upper" in result.output
    as_json = CliRunner().invoke(main, [*words, "--format", "json", "-q"])
    assert json.loads(as_json.stdout)["chosen"] == {"edge": 8, "known": 2}
    same_file = CliRunner().invoke(main, ["curriculum", run, "-o", str(pool), "--pool", str(pool)])
    assert "is read by --pool" in same_file.output


def scored(
    recorder: PythonRecorder, name: str, program: Program, nll: float, *, cut: int = 0
) -> Prediction:
    """A prediction in the mode `score`: the first step has this NLL, the others are certain."""
    prediction = make_prediction(name, program, "", CWM, finish="stop")
    others = len(recorder.record(program).steps) - cut
    expected = StepScore(3, 0.0, True, 2, 0.0, True)
    scores = (StepScore(3, nll, False, 2, 0.0, True), *[expected] * others)
    return replace(prediction, generation=GenerationRecord("score", "cwm", 100, scores=scores))


def test_programs_are_chosen_by_the_probability_of_their_traces(
    run: str, pool: Path, recorder: PythonRecorder, tmp_path: Path
) -> None:
    """A sum is at the edge by its score, though the run predicts all sums right."""
    questions = {question.id: question for question in read_questions(pool)}
    predictions = [
        scored(recorder, "a", questions["sum1"].program, 0.7),
        scored(recorder, "b", questions["sum2"].program, 0.01),
        scored(recorder, "c", questions["upper1"].program, 20.0),
        # The token limit cut the end of the trace.
        scored(recorder, "d", questions["sum3"].program, 0.7, cut=1),
    ]
    scores = make_recorded_run(tmp_path / "scores", predictions, recorder)
    output = tmp_path / "next.jsonl"
    result = choose_curriculum(
        run, output, pool=[pool], count=1, known=0, select="likelihood", scores=scores
    )
    assert (result.pool, result.known, result.too_hard) == (3, 1, 1)
    (chosen,) = read_questions(output)
    assert (chosen.program, chosen.facets["expected_percent"]) == (questions["sum1"].program, 50)
    words = ["--pool", str(pool), "--select", "likelihood", "--scores", scores, "--count", "1"]
    command = CliRunner().invoke(
        main, ["curriculum", run, "-o", str(output), *words, "--format", "json", "-q"]
    )
    assert json.loads(command.stdout)["chosen"] == {"edge": 1}


def test_scores_and_their_selection_need_each_other(run: str, pool: Path, tmp_path: Path) -> None:
    output = tmp_path / "next.jsonl"
    with pytest.raises(InputError, match=r"`likelihood` needs scores"):
        choose_curriculum(run, output, pool=[pool], select="likelihood")
    with pytest.raises(InputError, match=r"no other uses them"):
        choose_curriculum(run, output, pool=[pool], scores=run)
    with pytest.raises(InputError, match=r"no scores of programs of the pool"):
        choose_curriculum(run, output, pool=[pool], select="likelihood", scores=run)


def test_programs_are_generated_without_a_pool(run: str, tmp_path: Path) -> None:
    result = choose_curriculum(run, tmp_path / "next.jsonl", count=20)
    assert result.pool == 100
    assert sum(result.chosen.values()) <= 20
    assert len(list(read_questions(tmp_path / "next.jsonl"))) == sum(result.chosen.values())


def test_programs_of_benchmarks_and_repeated_ones_are_not_in_the_pool(pool: Path) -> None:
    kept, excluded = read_pool([pool], load_decontamination_index())
    assert (len(kept), excluded) == (41, 0)
    kept, excluded = read_pool([pool], load_decontamination_index([pool]))
    assert (len(kept), excluded) == (0, 42)


def test_programs_that_raise_have_no_operations_to_learn(recorder: PythonRecorder) -> None:
    questions = [Question("a", Program(UPPER, "f(1)")), Question("b", Program(UPPER, "f('x')"))]
    (measured,) = measure_programs(questions, recorder, limits=Limits())
    assert measured.question.id == "b"
    assert measured.operations["str.upper"] == 1


def test_a_run_without_steps_is_refused(recorder: PythonRecorder, tmp_path: Path) -> None:
    program = Program(UPPER, "f('x')")
    chat = make_prediction("a", program, "", CWM, finish="stop", external_answer="'X'")
    location = make_recorded_run(tmp_path / "run", [chat], recorder)
    with pytest.raises(InputError, match="has no predicted steps"):
        read_skill(location)
