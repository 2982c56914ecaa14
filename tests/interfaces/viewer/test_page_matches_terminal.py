"""The page and `worldline show` use the same words."""

from dataclasses import replace

from tests.interfaces.report.printing import printed
from tests.support.predictions import predict, replaced, text_of
from worldline.core.trace import Program
from worldline.evaluation.runs import execute_and_diagnose
from worldline.interfaces.report import side_by_side
from worldline.interfaces.viewer import build_sample_document
from worldline.interfaces.viewer.diagnosed_run import DiagnosedRun
from worldline.languages.python.recorder import PythonRecorder

# Columns of the terminal; each of the two values in the summary gets a third of them.
WIDTH = 240
RAISES = "def f(n):\n    x = n\n    if n:\n        raise KeyError(n)\n    return x\n"


def test_summary_and_facts_are_those_of_the_terminal(
    demo_run: str, recorder: PythonRecorder
) -> None:
    run = DiagnosedRun(demo_run, recorder)
    for name in run.names:
        sample = run.diagnose(name)
        shown = printed(side_by_side(sample, width=WIDTH), width=WIDTH)
        document = run.document_of(sample, name)
        assert document["summary"] in shown
        for fact, text in document["facts"]:
            assert f"{fact:<10} {text}" in shown


def test_a_step_that_leaves_a_scope_is_described(recorder: PythonRecorder) -> None:
    program = Program(RAISES, "f(1)")
    text = text_of(recorder.record(program))
    sample = execute_and_diagnose(replace(predict(program, text), id="raises"), recorder)
    shown = printed(side_by_side(sample, width=WIDTH, before=99), width=WIDTH)
    document = build_sample_document(sample, verdict="correct")
    descriptions = [step.get("description") for step in document["actual"]["steps"]]
    assert descriptions == [step.get("description") for step in document["predicted"]["steps"]]
    # Of f and of main.
    expected = 2 * ["raises KeyError(1)", "left by the exception"]
    assert [text for text in descriptions if text] == expected
    for text in set(filter(None, descriptions)):
        assert shown.count(text) == 2 * descriptions.count(text)


def test_a_variable_that_keeps_a_wrong_value_is_named(recorder: PythonRecorder) -> None:
    program = Program("def f(n):\n    x = n\n    y = 2\n    return x\n", "f(1)")
    edit = replaced('"x": "1"', '"x": "7"')
    sample = execute_and_diagnose(
        predict(program, edit(text_of(recorder.record(program)))), recorder
    )
    document = build_sample_document(sample, verdict="incorrect")
    step = document["divergence"]["step"]
    assert document["stale_variables"] == {str(step + 1): "x"}
    (row,) = [
        line
        for line in printed(side_by_side(sample, width=WIDTH), width=WIDTH).splitlines()
        if "still" in line
    ]
    assert row.split()[:2] == [str(step + 1), "≠"]
    assert row.rstrip().endswith("still x=7")
