"""The page and `worldline show` tell one story in the same words."""

from dataclasses import replace

from tests.predictions import predict, replaced, text_of
from tests.report.printing import printed
from worldline.recorders import PythonRecorder
from worldline.report import side_by_side
from worldline.runs import examine
from worldline.trace import Program
from worldline.viewer import sample_document
from worldline.viewer.examined import ExaminedRun

# The terminal gives each of the two values of a story a third.
WIDTH = 240
RAISES = "def f(n):\n    x = n\n    if n:\n        raise KeyError(n)\n    return x\n"


def test_the_story_and_the_facts_are_those_of_the_terminal(
    demo_run: str, recorder: PythonRecorder
) -> None:
    examined = ExaminedRun(demo_run, recorder)
    for name in examined.names:
        sample = examined.sample(name)
        shown = printed(side_by_side(sample, width=WIDTH), width=WIDTH)
        document = examined.document_of(sample, name)
        assert document["story"] in shown
        for word, told in document["facts"]:
            assert f"{word:<10} {told}" in shown


def test_a_step_that_leaves_says_how(recorder: PythonRecorder) -> None:
    program = Program(RAISES, "f(1)")
    text = text_of(recorder.record(program))
    sample = examine(replace(predict(program, text), id="raises"), recorder)
    shown = printed(side_by_side(sample, width=WIDTH, before=99), width=WIDTH)
    document = sample_document(sample, verdict="right")
    tells = [step.get("tells") for step in document["real"]["steps"]]
    assert tells == [step.get("tells") for step in document["imagined"]["steps"]]
    # Of f and of main.
    assert [told for told in tells if told] == 2 * ["raises KeyError(1)", "left by the exception"]
    for told in set(filter(None, tells)):
        assert shown.count(told) == 2 * tells.count(told)


def test_what_stays_wrong_unsaid_is_named(recorder: PythonRecorder) -> None:
    program = Program("def f(n):\n    x = n\n    y = 2\n    return x\n", "f(1)")
    edit = replaced('"x": "1"', '"x": "7"')
    sample = examine(predict(program, edit(text_of(recorder.record(program)))), recorder)
    document = sample_document(sample, verdict="wrong")
    parting = document["divergence"]["step"]
    assert document["still"] == {str(parting + 1): "x"}
    (row,) = [
        line
        for line in printed(side_by_side(sample, width=WIDTH), width=WIDTH).splitlines()
        if "still" in line
    ]
    assert row.split()[:2] == [str(parting + 1), "≠"]
    assert row.rstrip().endswith("still x=7")
