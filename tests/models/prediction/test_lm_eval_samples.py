"""Sample files of lm-eval are read as predictions.

The rows have the fields of files that lm-eval 0.4.13 wrote for `cruxeval_output` with
`--log_samples`.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from worldline.core.errors import InputError
from worldline.evaluation.runs import RunWriter, read_scored_samples
from worldline.interfaces.api.diagnosing import diagnose_predictions
from worldline.interfaces.api.sources import load_predictions
from worldline.models.prediction import read_prediction_file
from worldline.models.prediction.recorded_answers import find_bare_answer

CODE = "def f(text):\n    return text + 'b'"
PROMPT = f"[PYTHON]\ndef f(n):\n    return n\nassert f(17) == ??\n[/PYTHON]\n\n[PYTHON]\n{CODE}\n"
ANSWERS = [
    # The stop sequence [/ANSWER] is not part of the response.
    "\n[ANSWER]\nassert f('a') == 'ab'\n",
    "\n[ANSWER]\nassert f('a') == 'ba'\n",
    "I do not know what it returns.",
    "",
]


def lm_eval_row(responses: list[str], **changes: Any) -> dict[str, Any]:
    """A row of `samples_cruxeval_output_*.jsonl`."""
    doc = {"code": CODE, "input": "'a'", "output": "'ab'", "id": "sample_7"}
    request = {
        "arg_0": f"{PROMPT}assert f('a') == ??\n[/PYTHON]",
        "arg_1": {"until": ["[/ANSWER]"], "max_gen_toks": 1024, "temperature": 0.2},
    }
    # The filter of lm-eval removes the quotes of strings.
    filtered = [f"{CODE}\nassert f('a')==ab" for _ in responses]
    return {
        "doc_id": 0,
        "doc": doc,
        "target": "[ANSWER]",
        "arguments": {"gen_args_0": request},
        "resps": [responses],
        "filtered_resps": [filtered],
        "filter": "create_test",
        "metrics": ["pass@1"],
        "pass@1": 0.0,
        **changes,
    }


def write_rows(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def test_each_response_is_a_repeat_of_the_question(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "samples_cruxeval_output_1.jsonl", lm_eval_row(ANSWERS))
    predictions = load_predictions(path)
    assert [p.id for p in predictions] == ["sample_7", "sample_7#1", "sample_7#2", "sample_7#3"]
    assert [p.answer for p in predictions] == ["'ab'", "'ba'", None, None]
    assert [p.text for p in predictions] == ANSWERS
    first = predictions[0]
    assert (first.program.call, first.expected) == ("f('a')", "'ab'")
    assert first.generation is not None
    assert (first.generation.max_tokens, first.generation.temperature) == (1024, 0.2)


def test_a_file_becomes_a_run_with_repeats(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "samples_cruxeval_output_1.jsonl", lm_eval_row(ANSWERS))
    samples = diagnose_predictions([path], output=tmp_path / "run")
    outcomes = [sample.diagnosis.facts.outcome for sample in samples]
    assert outcomes == ["correct", "diverged", "malformed", "empty_output"]
    scored = sorted(read_scored_samples(tmp_path / "run"), key=lambda s: s.repeat)
    assert [(s.sample, s.repeat) for s in scored] == [("sample_7", n) for n in range(4)]
    assert [s.verdict for s in scored] == ["correct", "incorrect", "no_answer", "no_answer"]
    # lm-eval does not record how many tokens were generated.
    assert [s.completion_tokens for s in scored] == [None] * 4
    with RunWriter(str(tmp_path / "run")) as run:
        assert run.location is not None


def test_the_model_is_named_by_the_results_file(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "samples_cruxeval_output_2026-11-01T10-00-00.5.jsonl", lm_eval_row(ANSWERS)
    )
    assert {p.model for p in read_prediction_file(path)} == {""}
    results = tmp_path / "results_2026-11-01T10-00-00.5.json"
    results.write_text(json.dumps({"model_name": "acme/small"}))
    assert {p.model for p in read_prediction_file(path)} == {"acme/small"}


def test_a_document_is_read_once_for_all_filters(tmp_path: Path) -> None:
    rows = [lm_eval_row(ANSWERS[:1], filter=name, doc_id=5) for name in ("strict", "flexible")]
    path = write_rows(tmp_path / "samples.jsonl", *rows)
    assert [p.id for p in load_predictions(path)] == ["sample_7"]


def test_the_filtered_response_is_read_if_the_response_has_no_answer(tmp_path: Path) -> None:
    row = lm_eval_row(["So it is ab, I think.", "", "So."], filtered_resps=["'ab'"])
    row["filtered_resps"] = [["'ab'", "'ab'", "no answer"]]
    path = write_rows(tmp_path / "samples.jsonl", row)
    # An empty response has no answer, whatever the filter made of it.
    assert [p.answer for p in load_predictions(path)] == ["'ab'", None, None]


def test_a_whole_call_as_input(tmp_path: Path) -> None:
    doc = {"code": CODE, "input": "f(text='a')", "output": "'ab'", "function_name": "f"}
    path = write_rows(tmp_path / "samples.jsonl", lm_eval_row(ANSWERS[:1], doc=doc, doc_id=3))
    (prediction,) = load_predictions(path)
    assert (prediction.id, prediction.program.call) == ("doc_3", "f(text='a')")
    assert prediction.expected == "'ab'"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"doc": {"question": "1 + 1?", "answer": "2"}}, "no 'code' with 'input' or 'call'"),
        ({"resps": [[["-1.5", "False"]], [["-2.5", "False"]]]}, "one list of texts"),
        (
            {"arguments": {"gen_args_0": {"arg_0": f"{PROMPT}assert f(??) == 'ab'\n[/PYTHON]"}}},
            "asks for the input of a program",
        ),
        (
            # Messages of a chat, as one JSON text.
            {"arguments": {"gen_args_0": {"arg_0": ['[{"content": "assert f(??) == 3"}]']}}},
            "asks for the input of a program",
        ),
    ],
)
def test_other_tasks_are_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = write_rows(tmp_path / "samples.jsonl", lm_eval_row(ANSWERS, **changes))
    with pytest.raises(InputError, match=message):
        load_predictions(path)
    errors: list[Exception] = []
    assert load_predictions(path, on_invalid=errors.append) == []
    assert len(errors) == 1


def test_rows_of_prediction_files_are_not_lm_eval_rows(tmp_path: Path) -> None:
    row = {"id": "a", "code": CODE, "call": "f('a')", "output": "[ANSWER]", "codec": "chat"}
    (prediction,) = load_predictions(write_rows(tmp_path / "predictions.jsonl", row))
    # Incomplete markers are completed for other tools only.
    assert (prediction.id, prediction.answer, prediction.generation) == ("a", None, None)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("[ANSWER]\nassert f(1) == [2, 3]\n", "[2, 3]"),
        ("I try [ANSWER]1\n[ANSWER] 2", "2"),
        ("assert f('a == b') == 'c'", "'c'"),
        ("f(1) == {'a': 1}", "{'a': 1}"),
        ("```python\n[1, 2]\n```", "[1, 2]"),
        ("-1.5", "-1.5"),
        ("set()", "set()"),
        ("", None),
        ("2 is what it returns", None),
        ("[ANSWER]\nassert f(1) == [2, 3", None),
        ("f(1)", None),
        ("wrong", None),
        ("1\n2", None),
        ("[/ANSWER] 3 [ANSWER] 4", None),
        ("f(1) < 3", None),
    ],
)
def test_bare_answers(text: str, answer: str | None) -> None:
    assert find_bare_answer(text) == answer
