"""Chat models: asked for the result alone, and judged by it alone."""

import pytest

from tests.oracle import engine_of
from worldline.codecs import ChatCodec, read_after
from worldline.diagnose import Diagnosis, diagnose
from worldline.engines import messages_of
from worldline.errors import CodecError, EngineError
from worldline.predict import Question, Settings, predict
from worldline.recorders import PythonRecorder
from worldline.trace import Program

PROGRAM = Program("def f(x):\n    return [x, x + 1]\n", "f(3)")
RAISES = Program("def f(x):\n    return 1 // x\n", "f(0)")
CHAT = Settings(codec="chat", budget=100)


def diagnosed(
    recorder: PythonRecorder,
    said: str,
    *,
    program: Program = PROGRAM,
    expected: str | None = None,
    budget: int = 100,
) -> Diagnosis:
    engine = engine_of(lambda text: said)
    settings = Settings(codec="chat", budget=budget)
    question = Question("asked", program, expected)
    (found,) = predict([question], lambda: engine, recorder, settings=settings)
    return diagnose(recorder.record(program), found)


def answered(value: str) -> str:
    return f"I think so.\n[ANSWER]\nassert f(3) == {value}\n[/ANSWER]"


def test_the_prompt_has_instructions_an_example_and_the_program(recorder: PythonRecorder) -> None:
    engine = engine_of(lambda text: "")
    (_,) = predict([Question("asked", PROGRAM)], lambda: engine, recorder, settings=CHAT)
    first, answer, question = messages_of(engine.requests[0].prompt)
    assert [said.role for said in (first, answer, question)] == ["user", "assistant", "user"]
    assert "[ANSWER]" in first.content.partition("[PROGRAM]")[0]
    source = PROGRAM.source.strip()
    assert question.content == f"[PROGRAM]\n{source}\n[/PROGRAM]\n[CALL]\nf(3)\n[/CALL]"


def test_the_worked_example_is_right(recorder: PythonRecorder) -> None:
    example, answer, _ = ChatCodec().prompt(PROGRAM)
    source = example.partition("[PROGRAM]\n")[2].partition("[/PROGRAM]")[0]
    call = example.partition("[CALL]\n")[2].partition("\n[/CALL]")[0]
    truth = recorder.record(Program(source, call))
    assert read_after(answer).answer == truth.result


def test_a_perfect_answer_is_read_back(recorder: PythonRecorder) -> None:
    truth = recorder.record(PROGRAM)
    (text,) = ChatCodec().encode(truth)
    assert read_after(ChatCodec().decode(text, PROGRAM).after).answer == truth.result


def test_the_last_answer_counts(recorder: PythonRecorder) -> None:
    said = "I write it between [ANSWER] and [/ANSWER].\n" + answered("[3, 4]") + "\n[ANSWER] hm"
    assert diagnosed(recorder, said, budget=300).facts.outcome == "correct"


def test_a_program_without_a_call_cannot_be_asked_about() -> None:
    with pytest.raises(CodecError, match="give --call"):
        ChatCodec().prompt(Program("x = 1\n"))


def test_a_right_answer_is_correct(recorder: PythonRecorder) -> None:
    facts = diagnosed(recorder, answered("[3, 4]")).facts
    assert (facts.outcome, facts.is_answer_right, facts.is_result_right) == ("correct", True, True)


def test_a_wrong_answer_diverges_at_the_end_and_names_no_cause(recorder: PythonRecorder) -> None:
    found = diagnosed(recorder, answered("[3, 5]"))
    assert (found.facts.outcome, found.where, found.kind) == ("diverged", "return", "list")
    assert found.facts.value is not None
    assert (found.facts.value.leaf, found.facts.value.leaf_kind) == ("[1]", "int")
    assert found.cause is None
    assert found.facts.horizon is None
    assert found.facts.divergence is not None
    assert found.facts.divergence.step == 5


def test_an_answer_to_a_program_that_raises_is_wrong(recorder: PythonRecorder) -> None:
    found = diagnosed(recorder, "[ANSWER]\n0\n[/ANSWER]", program=RAISES)
    assert (found.facts.outcome, found.where) == ("diverged", "exception")
    assert found.facts.divergence is not None
    assert "ZeroDivisionError" in found.facts.divergence.true


def test_no_answer_is_malformed_and_a_cut_one_truncated(recorder: PythonRecorder) -> None:
    assert diagnosed(recorder, "It is four.").facts.outcome == "malformed"
    assert diagnosed(recorder, answered("[3, 4]"), budget=20).facts.outcome == "truncated"
    assert diagnosed(recorder, "").facts.outcome == "no_output"


def test_a_wrong_reference_is_told_apart(recorder: PythonRecorder) -> None:
    facts = diagnosed(recorder, answered("[3, 4]"), expected="[9]").facts
    assert facts.outcome == "reference_wrong"
    assert diagnosed(recorder, answered("[9]"), expected="[9]").facts.outcome == "diverged"


def test_only_free_can_be_asked_by_a_message(recorder: PythonRecorder) -> None:
    settings = Settings(codec="chat", mode="guided")
    engine = engine_of(lambda text: "")
    with pytest.raises(EngineError, match="only be asked with --mode free"):
        list(predict([Question("a", PROGRAM)], lambda: engine, recorder, settings=settings))
