"""Runs and files that earlier versions wrote are read, queried, compared and resumed.

The files in the folder `data` were written by version 0.1.0 in format 1. `run_v1`: predictions with
every outcome, in a part and a journal. `asked_v1`: a run killed before its first part, with two
interventions. `predictions_v1.jsonl`: a file of `worldline predict`.
"""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.evaluation.runs.samples import is_expected, manifest_of
from tests.support.scripted_models import continue_actual_trace, engine_of
from worldline.evaluation.metrics import accuracy, compare_runs, measure_interventions
from worldline.evaluation.runs import (
    COLUMNS,
    PredictionFile,
    RunWriter,
    StoredPredictions,
    cause_tests,
    evaluate_into_run,
    find_failures,
    import_predictions,
    intervention_questions,
    query_runs,
    read_attempts,
    read_interventions,
    read_manifest,
    read_predictions,
    read_run,
    read_scored_samples,
    run_intervention,
)
from worldline.evaluation.runs.legacy import RENAMED_COLUMNS, RENAMED_VALUES, upgrade_row
from worldline.evaluation.store import column_names, open_location, part_files
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.engines import Engine
from worldline.models.prediction import PredictionSettings, Question, read_prediction_file

DATA = Path(__file__).parent / "data"
NAMES = {column.name for column in COLUMNS}
# By sample: verdict, outcome, cause, action error, change, finish.
FOUND = {
    "correct": ("correct", "correct", None, None, None, "stop"),
    "wrong_string": ("correct", "diverged", "string_handling", None, "written", "stop"),
    "loop_left_early": (
        "incorrect", "diverged", "loop_miscounted", "loop_left_early", None, "stop",
    ),
    "invented_line": (
        "truncated", "diverged", "hallucinated_line", "line_invented", None, "truncated",
    ),
    "truncated": ("truncated", "truncated", "truncated", None, None, "truncated"),
    "wrong_before_the_cut": (
        "truncated", "diverged", "arithmetic", None, "written", "truncated",
    ),
    "answer_lost": ("incorrect", "answer_mismatch", "answer_extraction", None, None, "stop"),
    "reference_wrong": ("incorrect", "reference_mismatch", "wrong_reference", None, None, "stop"),
    "right_for_wrong_reasons": (
        "correct", "diverged", "container_handling", None, "written", "stop",
    ),
    "malformed": ("no_answer", "malformed", None, None, None, "stop"),
    "no_output": ("no_answer", "empty_output", None, None, None, "stop"),
    "engine_error": ("infra_error", "infra_error", None, None, None, "infra_error"),
}  # fmt: skip
WORDS = ("verdict", "outcome", "cause", "action_error", "change", "finish")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A copy of the old data that may be changed."""
    return Path(shutil.copytree(DATA, tmp_path / "old"))


def question_of(call: str, id: str, expected: str, number: int) -> Question:
    (program,) = {p.program for p in read_predictions(DATA / "asked_v1") if p.program.call == call}
    return Question(id, program, expected, {"number": number})


def asked_before() -> list[Question]:
    """The questions of `asked_v1`; the server failed on the last one."""
    return [
        question_of("f(1)", "right", "0", 0),
        question_of("f(3)", "slip", "3", 1),
        question_of("f(5)", "long", "10", 3),
        question_of("f(0)", "down", "0", 4),
    ]


def test_the_data_has_the_old_format() -> None:
    for name in ("run_v1", "asked_v1"):
        assert json.loads((DATA / name / "manifest.json").read_text())["format"] == 1
    assert '"verdict": "cut"' in (DATA / "asked_v1" / "open.jsonl").read_text()
    assert '"budget": 750' in (DATA / "predictions_v1.jsonl").read_text()


def test_old_names_and_values_are_no_longer_used() -> None:
    assert not NAMES & set(RENAMED_COLUMNS)
    assert set(RENAMED_COLUMNS.values()) <= NAMES
    assert set(RENAMED_VALUES) <= NAMES
    for values in RENAMED_VALUES.values():
        assert not set(values) & set(values.values())


def test_rows_are_upgraded_to_current_names_and_values() -> None:
    for name in ("run_v1", "asked_v1"):
        for row in read_run(DATA / name):
            assert row.keys() <= NAMES
    rows = {row["sample"]: row for row in read_run(DATA / "run_v1")}
    assert {name: tuple(row.get(word) for word in WORDS) for name, row in rows.items()} == FOUND
    row = rows["wrong_string"]
    assert row["output"].startswith("<|call_sep|>")
    assert (row["actual_value"], row["predicted_value"]) == ("'be'", "'be,'")
    assert (row["actual_chars"], row["actual_tokens"], row["changed_tokens"]) == (4, 4, 1)
    assert (row["reconverged"], row["is_result_correct"], row["is_truncated"]) == (1, True, False)
    assert (row["actual_steps"], row["program_hidden_values"]) == (26, 1)
    assert row["program_is_complete"] is True


def test_columns_are_selected_by_their_new_names() -> None:
    rows = read_run(DATA / "run_v1", columns=["verdict", "is_truncated", "output"])
    assert {row["sample"]: row["verdict"] for row in rows} == {n: f[0] for n, f in FOUND.items()}
    assert {row["is_truncated"] for row in rows} == {False, True}
    assert all("output" in row for row in rows)


def test_settings_and_outputs_are_read() -> None:
    assert read_manifest(DATA / "asked_v1").settings == PredictionSettings(max_tokens=750)
    (long,) = [p for p in read_predictions(DATA / "asked_v1") if p.id == "long"]
    assert long.generation is not None
    assert (long.finish, long.is_truncated, long.generation.max_tokens) == ("truncated", True, 750)
    assert len(long.generation.completion_ids) == long.generation.usage.completion == 750
    assert StoredPredictions(DATA / "run_v1")["truncated"].finish == "truncated"


def test_accuracy_counts_old_rows() -> None:
    result = accuracy(read_scored_samples(DATA / "run_v1"))
    assert (result.correct, result.incorrect, result.no_answer) == (3, 3, 2)
    assert (result.truncated, result.infra_error) == (3, 1)


def test_sql_uses_current_names_and_values() -> None:
    selected = f"select sample, {', '.join(WORDS)} from samples"
    result = {name: tuple(rest) for name, *rest in query_runs([DATA / "run_v1"], selected).rows}
    assert result == FOUND
    columns = query_runs([DATA / "run_v1"], "select * from samples limit 1").columns
    assert set(columns) == NAMES | {"run"}
    sql = "select sample, len(completion_ids), max_tokens, number from samples where is_truncated"
    assert query_runs([DATA / "asked_v1"], sql).rows == (("long", 750, 750, 3),)
    sql = "select distinct typeof(completed_at) from samples"
    assert query_runs([DATA / "run_v1"], sql).rows == (("TIMESTAMP",),)


def test_a_resumed_run_has_rows_of_both_versions(old: Path, recorder: PythonRecorder) -> None:
    run, predictions = old / "run_v1", list(read_predictions(DATA / "run_v1"))
    new = [replace(p, id=f"new {p.id}") for p in predictions]
    with RunWriter(run) as opened:
        manifest = replace(read_manifest(run), sessions=())
        samples = list(
            import_predictions(
                opened, [*predictions, *new], recorder, manifest, is_correct=is_expected
            )
        )
    assert len(samples) == 24
    assert json.loads((run / "manifest.json").read_text())["format"] == 2
    assert len(part_files(open_location(run))) == 2
    rows = {row["sample"]: row for row in read_run(run)}
    assert len(rows) == 24
    # The old rows are not changed, and the new code gives the same results, but for one cause that
    # was split in two.
    result = {name: tuple(row.get(word) for word in WORDS) for name, row in rows.items()}
    assert {name: words for name, words in result.items() if name in FOUND} == FOUND
    for name, (verdict, *words) in FOUND.items():
        split = {"string_handling": "string_semantics"}
        expected = [split.get(word, word) if word else word for word in words]
        assert list(result[f"new {name}"])[1:] == expected, verdict
    sql = "select outcome, count(*) from samples group by all order by all"
    counts = dict(query_runs([run], sql).rows)
    assert counts == {
        "answer_mismatch": 2, "correct": 2, "diverged": 10, "empty_output": 2, "infra_error": 2,
        "malformed": 2, "reference_mismatch": 2, "truncated": 2,
    }  # fmt: skip
    columns = query_runs([run], "select * from samples").columns
    assert set(columns) == NAMES | {"run"}


def test_an_old_and_a_new_run_are_queried_and_compared(
    old: Path, tmp_path: Path, recorder: PythonRecorder
) -> None:
    new = tmp_path / "new"
    with RunWriter(new) as opened:
        predictions = list(read_predictions(DATA / "run_v1"))
        manifest = replace(read_manifest(DATA / "run_v1"), sessions=())
        list(import_predictions(opened, predictions, recorder, manifest, is_correct=is_expected))
    sql = "select run, count(*) from samples where is_truncated group by all order by all"
    assert query_runs([old / "run_v1", new], sql).rows == (("new", 3), ("run_v1", 3))
    sql = "select cause, list(distinct run order by run) from samples group by all"
    runs = dict(query_runs([old / "run_v1", new], sql).rows)
    # The one cause that was split in two.
    assert list(runs.pop("string_handling")) == ["run_v1"]
    assert list(runs.pop("string_semantics")) == ["new"]
    assert {tuple(names) for names in runs.values()} == {("new", "run_v1")}
    result = compare_runs(read_scored_samples(DATA / "run_v1"), read_scored_samples(new))
    assert (result.overall.samples, result.left_out) == (11, 1)
    assert result.steps.more == result.steps.less == 0


def test_an_old_run_that_was_killed_is_resumed(old: Path, recorder: PythonRecorder) -> None:
    questions = asked_before()
    answer = continue_actual_trace(*(recorder.record(question.program) for question in questions))
    settings = PredictionSettings(max_tokens=750)

    def make() -> Engine:
        return engine_of(answer)

    with RunWriter(old / "asked_v1") as run:
        assert run.has(questions[0], 0)
        new = list(
            evaluate_into_run(
                run, questions, make, recorder, manifest_of(settings=settings),
                is_correct=is_expected,
            )
        )  # fmt: skip
    # Only infrastructure errors are predicted again.
    assert [(row.sample, row.verdict) for row in new] == [("down", "correct")]
    verdicts = {row["sample"]: row["verdict"] for row in read_run(old / "asked_v1")}
    assert verdicts == {
        "right": "correct", "slip": "incorrect", "long": "truncated", "down": "correct",
    }  # fmt: skip
    # The new part has only current names.
    place = open_location(old / "asked_v1")
    (part,) = part_files(place)
    assert set(column_names(place, part)) == NAMES


def test_old_interventions_are_read_and_resumed(old: Path, recorder: PythonRecorder) -> None:
    run = old / "asked_v1"
    base, tried = read_scored_samples(run), read_interventions(run)
    assert {name: [(r.sample, r.verdict) for r in rows] for name, rows in tried.items()} == {
        "patch": [("slip", "correct")], "more-tokens": [("long", "correct")],
    }  # fmt: skip
    assert cause_tests(base, tried).confirmed == {"slip": "patch", "long": "more-tokens"}
    result = measure_interventions(base, tried)
    assert dict(result.causes) == {"arithmetic": 1, "truncated": 1}
    failures = find_failures(run, recorder)
    (long,) = [sample for sample in failures.failed if sample.prediction.id == "long"]
    (attempt,) = read_attempts(run).on(long)
    assert (attempt.intervention, attempt.verdict) == ("more-tokens", "correct")
    questions = intervention_questions("more-tokens", failures, unconfirmed=frozenset({"long"}))
    assert [question.id for question in questions] == ["long"]

    def refuse() -> Engine:
        raise AssertionError("asked")

    assert (
        list(run_intervention(run, "more-tokens", questions, refuse, recorder, failures.manifest))
        == []
    )
    assert {path.name for path in (run / "interventions").iterdir()} == {"longer", "patch"}


def test_an_old_file_of_predictions_is_read_and_resumed(old: Path) -> None:
    path = old / "predictions_v1.jsonl"
    right, slip, down = read_prediction_file(path)
    assert right.generation is not None
    assert (right.generation.mode, right.generation.max_tokens) == ("force-actions", 750)
    assert right.generation.forced_spans[0][0] == 0
    assert len(right.generation.completion_ids) > right.generation.usage.completion > 0
    assert (slip.finish, down.finish) == ("stop", "infra_error")
    with PredictionFile(path) as file:
        assert file.done == {"right", "slip"}
        file.expect(PredictionSettings(mode="force-actions", max_tokens=750))
        file.add(replace(right, id="new"))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["id"] for row in rows] == ["right", "slip", "new"]
    assert all(row["max_tokens"] == 750 and "budget" not in row for row in rows)
    assert all("completion" in row["usage"] and "written" not in row["usage"] for row in rows)
    assert [replace(p, id="") for p in read_prediction_file(path)][::2] == [
        replace(right, id="")
    ] * 2


def test_a_current_row_is_not_changed() -> None:
    row = {"sample": "a", "verdict": "correct", "cause": None, "action_error": "unknown"}
    assert upgrade_row(row) is row
    assert upgrade_row({"action": "ran_on", "equality_rules": '{"cut": 2}'}) == {
        "action_error": "continued_past_end",
        "equality_rules": '{"shortened": 2}',
    }
