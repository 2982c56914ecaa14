"""Chat codec: only the result is predicted and diagnosed."""

import pytest

from tests.support.scripted_models import engine_of
from worldline.analysis.diagnosis import Diagnosis, diagnose_prediction
from worldline.core.errors import CodecError, EngineError
from worldline.core.trace import Program
from worldline.languages.python.recorder import PythonRecorder
from worldline.languages.python.rewrite import rewrite_expressions
from worldline.models.codecs import ANSWER_CODECS, ChatCodec, get_codec, parse_text_after_trace
from worldline.models.engines import as_messages
from worldline.models.prediction import PredictionSettings, Question, predict_questions

PROGRAM = Program("def f(x):\n    return [x, x + 1]\n", "f(3)")
RAISES = Program("def f(x):\n    return 1 // x\n", "f(0)")
CHAT = PredictionSettings(codec="chat", max_tokens=100)


def diagnose_answer(
    recorder: PythonRecorder,
    output: str,
    *,
    program: Program = PROGRAM,
    expected: str | None = None,
    max_tokens: int = 100,
) -> Diagnosis:
    engine = engine_of(lambda text: output)
    settings = PredictionSettings(codec="chat", max_tokens=max_tokens)
    question = Question("asked", program, expected)
    (prediction,) = predict_questions([question], lambda: engine, recorder, settings=settings)
    return diagnose_prediction(recorder.record(program), prediction)


def with_answer(value: str) -> str:
    return f"I think so.\n[ANSWER]\nassert f(3) == {value}\n[/ANSWER]"


def test_the_prompt_has_instructions_an_example_and_the_program(recorder: PythonRecorder) -> None:
    engine = engine_of(lambda text: "")
    (_,) = predict_questions([Question("asked", PROGRAM)], lambda: engine, recorder, settings=CHAT)
    first, answer, question = as_messages(engine.requests[0].prompt)
    assert [output.role for output in (first, answer, question)] == ["user", "assistant", "user"]
    assert "[ANSWER]" in first.content.partition("[PROGRAM]")[0]
    source = PROGRAM.source.strip()
    assert question.content == f"[PROGRAM]\n{source}\n[/PROGRAM]\n[CALL]\nf(3)\n[/CALL]"


def test_an_exact_text_has_the_prompt_of_its_source_and_call(recorder: PythonRecorder) -> None:
    exact_text = Program.from_text(PROGRAM.text)
    assert ChatCodec().prompt(exact_text) == ChatCodec().prompt(PROGRAM)
    trace = recorder.record(exact_text)
    assert ChatCodec().encode(trace) == ("[ANSWER]\nassert f(3) == [3, 4]\n[/ANSWER]",)


def test_a_rewritten_program_has_a_different_prompt() -> None:
    nested = Program("def f(x):\n    return g(x) + g(x + 1)\ndef g(x):\n    return x\n", "f(g(3))")
    rewritten = rewrite_expressions(nested.text)
    assert rewritten.changed
    *example, question = ChatCodec().prompt(Program.from_text(rewritten.text))
    *same, before = ChatCodec().prompt(nested)
    assert example == same
    # The call was rewritten, too, and is now part of the program.
    assert question == f"[PROGRAM]\n{rewritten.text.strip()}\n[/PROGRAM]\n[CALL]\nmain()\n[/CALL]"
    assert question != before


@pytest.mark.parametrize("name", ANSWER_CODECS)
def test_the_answer_in_the_example_is_correct(recorder: PythonRecorder, name: str) -> None:
    example, answer, _ = get_codec(name).prompt(PROGRAM)
    assert isinstance(example, str)
    assert isinstance(answer, str)
    source = example.partition("[PROGRAM]\n")[2].partition("[/PROGRAM]")[0]
    call = example.partition("[CALL]\n")[2].partition("\n[/CALL]")[0]
    actual = recorder.record(Program(source, call))
    assert parse_text_after_trace(answer).answer == actual.result


@pytest.mark.parametrize("name", ANSWER_CODECS)
def test_a_perfect_answer_is_parsed(recorder: PythonRecorder, name: str) -> None:
    codec = get_codec(name)
    actual = recorder.record(PROGRAM)
    (text,) = codec.encode(actual)
    assert isinstance(text, str)
    assert parse_text_after_trace(codec.decode(text, PROGRAM).after).answer == actual.result


@pytest.mark.parametrize(
    ("language", "call", "value"),
    [
        ("python", "f(3)", "['HELLO']"),
        ("javascript", "f(3)", "['HELLO']"),
        ("java", "f(3)", '["HELLO"]'),
        ("cpp", "f(3)", 'std::vector<std::string>{"Hello"}'),
        ("rust", "f(3)", '["HELLO"]'),
        ("go", "f(3)", '[]string{"HELLO"}'),
    ],
)
def test_chat_answer_asks_for_the_value_alone(language: str, call: str, value: str) -> None:
    source = {"python": "def f(x): return x"}.get(language, "source")
    first, answer, _ = get_codec("chat-answer").prompt(Program(source, call, language=language))
    assert isinstance(first, str)
    assert "line by line" not in first
    assert "assert" not in first.partition("[PROGRAM]")[0]
    assert answer == f"[ANSWER]\n{value}\n[/ANSWER]"


def test_the_last_answer_counts(recorder: PythonRecorder) -> None:
    output = (
        "I write it between [ANSWER] and [/ANSWER].\n" + with_answer("[3, 4]") + "\n[ANSWER] hm"
    )
    assert diagnose_answer(recorder, output, max_tokens=300).facts.outcome == "correct"


def test_a_program_without_a_call_is_an_error() -> None:
    with pytest.raises(CodecError, match="give --call"):
        ChatCodec().prompt(Program("x = 1\n"))


def test_a_correct_answer_has_outcome_correct(recorder: PythonRecorder) -> None:
    facts = diagnose_answer(recorder, with_answer("[3, 4]")).facts
    assert (facts.outcome, facts.is_answer_correct, facts.is_result_correct) == (
        "correct",
        True,
        True,
    )


def test_an_answer_that_python_considers_equal_is_correct(recorder: PythonRecorder) -> None:
    assert diagnose_answer(recorder, with_answer("[3.0, 4]")).facts.outcome == "correct"
    assert diagnose_answer(recorder, with_answer("(3, 4)")).facts.outcome == "diverged"
    assert (
        diagnose_answer(recorder, with_answer("[3, 4]"), expected="[3, 4.0]").facts.outcome
        == "correct"
    )


def test_a_wrong_answer_diverges_at_the_return_without_a_cause(recorder: PythonRecorder) -> None:
    diagnosis = diagnose_answer(recorder, with_answer("[3, 5]"))
    assert (diagnosis.facts.outcome, diagnosis.where, diagnosis.kind) == (
        "diverged",
        "return",
        "list",
    )
    assert diagnosis.facts.value is not None
    assert (diagnosis.facts.value.leaf, diagnosis.facts.value.leaf_kind) == ("[1]", "int")
    assert diagnosis.cause is None
    assert diagnosis.facts.position is None
    assert diagnosis.facts.divergence is not None
    assert diagnosis.facts.divergence.step == 5


def test_an_answer_for_a_program_that_raises_is_wrong(recorder: PythonRecorder) -> None:
    diagnosis = diagnose_answer(recorder, "[ANSWER]\n0\n[/ANSWER]", program=RAISES)
    assert (diagnosis.facts.outcome, diagnosis.where) == ("diverged", "exception")
    assert diagnosis.facts.divergence is not None
    assert "ZeroDivisionError" in diagnosis.facts.divergence.actual


def test_no_answer_is_malformed_and_an_incomplete_one_truncated(recorder: PythonRecorder) -> None:
    assert diagnose_answer(recorder, "It is four.").facts.outcome == "malformed"
    assert (
        diagnose_answer(recorder, with_answer("[3, 4]"), max_tokens=20).facts.outcome == "truncated"
    )
    assert diagnose_answer(recorder, "").facts.outcome == "empty_output"


def test_a_wrong_reference_is_a_reference_mismatch(recorder: PythonRecorder) -> None:
    facts = diagnose_answer(recorder, with_answer("[3, 4]"), expected="[9]").facts
    assert facts.outcome == "reference_mismatch"
    assert diagnose_answer(recorder, with_answer("[9]"), expected="[9]").facts.outcome == "diverged"


def test_only_the_mode_free_supports_chat(recorder: PythonRecorder) -> None:
    settings = PredictionSettings(codec="chat", mode="guided")
    engine = engine_of(lambda text: "")
    with pytest.raises(EngineError, match="without steps: use --mode free"):
        list(
            predict_questions([Question("a", PROGRAM)], lambda: engine, recorder, settings=settings)
        )
