"""Modes of prediction, with scripted models: perfect, wrong in one place, or random."""

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

import pytest

from tests.support.cfg_oracle import steps_in_graph
from tests.support.predictions import predict as prediction_of
from tests.support.predictions import replaced, text_of
from tests.support.scripted_models import STEPS, ask, continue_actual_trace, engine_of, prompt_of
from worldline.analysis.diagnosis import diagnose_prediction
from worldline.core.errors import EngineError
from worldline.core.trace import Program, Trace
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import STEP_CODECS, SpecialToken, StepCodec, get_codec
from worldline.models.engines import (
    CAPABILITIES,
    Capabilities,
    Reply,
    Request,
    ScriptedEngine,
    Usage,
)
from worldline.models.prediction import (
    Mode,
    Prediction,
    PredictionSettings,
    Question,
    predict_questions,
)

LOOP = Program(
    "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n", "f(3)"
)
RAISES = Program(
    "def g(x):\n    return 1 // x\n\ndef f(x):\n    try:\n        return g(x)\n"
    "    except ZeroDivisionError as e:\n        return 'no'\n",
    "f(0)",
)
# The mode `on-demand` has tests of its own: test_on_demand.py and test_steps_on_demand.py.
MODES: tuple[Mode, ...] = tuple(mode for mode in get_args(Mode) if mode != "on-demand")
GENERATING_MODES = [mode for mode in MODES if mode != "score"]
LARGE_LIMIT = PredictionSettings(max_tokens=100_000)


def make_settings(mode: Mode, **fields: Any) -> PredictionSettings:
    return PredictionSettings(mode=mode, **{"max_tokens": 100_000, **fields})


def sample_programs(cruxeval: list[dict[str, Any]], every: int) -> list[Program]:
    return [Program(row["code"], f"f({row['input']})") for row in cruxeval[::every]]


@pytest.mark.parametrize("codec", STEP_CODECS.values(), ids=STEP_CODECS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", [LOOP, RAISES], ids=["loop", "raises"])
def test_a_perfect_model_is_correct_in_every_mode(
    mode: Mode, program: Program, codec: StepCodec, recorder: PythonRecorder
) -> None:
    actual = recorder.record(program)
    engine = engine_of(continue_actual_trace(actual, codec=codec))
    prediction = ask(engine, recorder, program, make_settings(mode, codec=codec.name))
    assert prediction.text == text_of(actual, codec)
    assert prediction.finish == "stop"
    assert diagnose_prediction(actual, prediction).facts.outcome == "correct"


@pytest.mark.parametrize("codec", STEP_CODECS.values(), ids=STEP_CODECS)
@pytest.mark.parametrize("mode", MODES)
def test_a_perfect_model_gives_the_actual_trace_of_cruxeval_in_every_mode(
    mode: Mode, codec: StepCodec, cruxeval: list[dict[str, Any]], recorder: PythonRecorder
) -> None:
    chosen = sample_programs(cruxeval, 200 if mode == "score" or codec.name != "cwm" else 25)
    traces = {program.text: recorder.record(program) for program in chosen}
    # The scripted engine computes a score token by token, which is slow.
    traces = {
        text: trace
        for text, trace in traces.items()
        if len(trace.steps) < (30 if mode == "score" else 10_000)
    }
    for text, trace in traces.items():
        engine = engine_of(continue_actual_trace(trace, codec=codec))
        prediction = ask(engine, recorder, trace.program, make_settings(mode, codec=codec.name))
        assert prediction.text == text_of(trace, codec), text


def test_a_codec_without_steps_supports_only_the_mode_free(recorder: PythonRecorder) -> None:
    folded, actual = get_codec("folded"), recorder.record(LOOP)
    engine = engine_of(continue_actual_trace(actual, codec=folded))
    prediction = ask(engine, recorder, LOOP, make_settings("free", codec="folded"))
    assert prediction.text == text_of(actual, folded)
    assert diagnose_prediction(actual, prediction).facts.outcome == "correct"
    for settings in (
        make_settings("guided", codec="folded"),
        make_settings("free", codec="folded", from_step=2),
    ):
        with pytest.raises(EngineError, match="cannot be continued step by step"):
            ask(engine, recorder, LOOP, settings)


def test_guided_chooses_between_line_numbers_with_a_common_prefix(recorder: PythonRecorder) -> None:
    """With one token per character, line 1 is a prefix of lines 10 and 12."""
    source = (
        "def f(x):\n    y = 0\n"
        + "".join(f"    if x == {n}:\n        y = {n}\n" for n in range(6))
        + "    return y\n"
    )
    for call in ("f(4)", "f(5)", "f(9)"):
        actual = recorder.record(Program(source, call))
        numbers = get_codec("numbers")
        engine = engine_of(continue_actual_trace(actual, codec=numbers))
        prediction = ask(engine, recorder, actual.program, make_settings("guided", codec="numbers"))
        assert prediction.text == text_of(actual, numbers)


@pytest.mark.parametrize("mode", GENERATING_MODES)
def test_each_prompt_extends_the_previous_one(mode: Mode, recorder: PythonRecorder) -> None:
    engine = engine_of(continue_actual_trace(recorder.record(LOOP)))
    ask(engine, recorder, LOOP, make_settings(mode))
    prompts = [request.prompt for request in engine.requests]
    for shorter, longer in itertools.pairwise(prompts):
        assert longer[: len(shorter)] == shorter


@pytest.mark.parametrize("mode", GENERATING_MODES)
def test_completion_ids_give_the_text(mode: Mode, recorder: PythonRecorder) -> None:
    actual = recorder.record(Program("def f(s):\n    t = s + 'é😀'\n    return t\n", "f('ü')"))
    engine = engine_of(continue_actual_trace(actual))
    prediction = ask(engine, recorder, actual.program, make_settings(mode))
    assert prediction.generation is not None
    assert (
        detokenize(engine, prediction.generation.completion_ids)
        == prediction.text
        == text_of(actual)
    )


def detokenize(engine: ScriptedEngine, ids: tuple[int, ...]) -> str:
    return asyncio.run(engine.detokenize(ids))


def forced_texts(prediction: Prediction) -> list[str]:
    assert prediction.generation is not None
    return [prediction.text[start:end] for start, end in prediction.generation.forced_spans]


def texts_of_role(trace: Trace, role: str) -> list[str]:
    """Texts of one role; neighbouring parts are merged."""
    parts = [part for step in STEPS.encode_steps(trace) for part in step]
    groups = itertools.groupby(parts, key=lambda part: part.role)
    return ["".join("".join(p.segments) for p in group) for name, group in groups if name == role]


def test_force_actions_forces_actions_and_generates_states(recorder: PythonRecorder) -> None:
    actual = recorder.record(LOOP)
    engine = engine_of(continue_actual_trace(actual))
    prediction = ask(engine, recorder, LOOP, make_settings("force-actions"))
    assert forced_texts(prediction) == texts_of_role(actual, "action")
    # One request for each state.
    assert len(engine.requests) == len(texts_of_role(actual, "state"))


def test_force_state_forces_states_and_generates_actions(recorder: PythonRecorder) -> None:
    actual = recorder.record(LOOP)
    engine = engine_of(continue_actual_trace(actual))
    prediction = ask(engine, recorder, LOOP, make_settings("force-state"))
    assert forced_texts(prediction) == texts_of_role(actual, "state")
    assert len(engine.requests) == len(texts_of_role(actual, "action"))


def test_force_actions_keeps_wrong_states_and_actual_lines(
    recorder: PythonRecorder,
) -> None:
    actual = recorder.record(LOOP)

    def always_seven(text: str) -> str:
        is_value = text.endswith("<|arg_sep|>")
        return '"7"<|frame_sep|>' if is_value else '{"n": "7", "s": "7"}<|action_sep|>'

    prediction = ask(engine_of(always_seven), recorder, LOOP, make_settings("force-actions"))
    assert [step.line for step in prediction.decoded.steps] == [step.line for step in actual.steps]
    assert [step.event for step in prediction.decoded.steps] == [
        step.event for step in actual.steps
    ]
    facts = diagnose_prediction(actual, prediction).facts
    assert facts.outcome == "diverged"
    assert facts.divergence is not None
    assert facts.divergence.where == "state"
    assert prediction.decoded.steps[-1].value == "7"


def test_force_actions_stops_at_a_malformed_state(
    recorder: PythonRecorder,
) -> None:
    engine = engine_of(lambda text: "{}<|frame_sep|>")
    prediction = ask(engine, recorder, LOOP, make_settings("force-actions"))
    assert len(engine.requests) == 1
    assert prediction.text == "<|call_sep|>{}<|frame_sep|>"
    assert diagnose_prediction(recorder.record(LOOP), prediction).facts.outcome == "malformed"


def test_force_state_stops_at_the_first_wrong_line(
    recorder: PythonRecorder,
) -> None:
    actual = recorder.record(LOOP)
    wrong = replaced("<|action_sep|>        s += i\n", "<|action_sep|>    return s\n")
    engine = engine_of(continue_actual_trace(actual, edit=wrong))
    prediction = ask(engine, recorder, LOOP, make_settings("force-state"))
    facts = diagnose_prediction(actual, prediction).facts
    assert facts.divergence is not None
    assert (facts.divergence.where, facts.divergence.step) == ("action", 5)
    assert facts.action is not None
    assert facts.action.kind == "loop_left_early"
    assert prediction.decoded.steps[-1].line == 5
    assert prediction.finish == "stop"


def test_force_state_stops_at_the_first_wrong_event(recorder: PythonRecorder) -> None:
    actual = recorder.record(LOOP)
    wrong = replaced("<|line_sep|>", "<|exception_sep|>")
    prediction = ask(
        engine_of(continue_actual_trace(actual, edit=wrong)),
        recorder,
        LOOP,
        make_settings("force-state"),
    )
    facts = diagnose_prediction(actual, prediction).facts
    assert facts.divergence is not None
    assert facts.divergence.predicted_event == "exception"
    assert facts.divergence.where == "action"


def test_guided_sends_a_request_only_for_a_choice(recorder: PythonRecorder) -> None:
    program = Program("def f(x):\n    y = x\n    return y\n", "f(1)")
    actual = recorder.record(program)
    engine = engine_of(continue_actual_trace(actual))
    prediction = ask(engine, recorder, program, make_settings("guided"))
    assert prediction.text == text_of(actual)
    choices = [request for request in engine.requests if request.allowed_ids]
    # `return f(1)` may call, or raise before the call. All other steps are certain.
    assert [len(request.allowed_ids) for request in choices] == [2]


PROGRAMS_WITH_EQUAL_LINES = {
    "branches": Program(
        "def f(x):\n    if x:\n        y = 1\n        z = 2\n    else:\n        y = 1\n"
        "        z = 3\n    return y + z\n",
        "f(0)",
    ),
    "methods": Program(
        "class A:\n    def __init__(self, x):\n        self.x = x\n\n"
        "class B:\n    def __init__(self, x):\n        self.y = x + 1\n\n"
        "def f(x):\n    return B(x).y\n",
        "f(1)",
    ),
    "generators": Program(
        "def g():\n    yield 1\n    a = 2\n\ndef h():\n    yield 1\n    b = 3\n\n"
        "def f():\n    return list(zip(g(), h())) + list(h())\n",
        "f()",
    ),
}


@pytest.mark.parametrize(
    "program", PROGRAMS_WITH_EQUAL_LINES.values(), ids=PROGRAMS_WITH_EQUAL_LINES.keys()
)
def test_guided_follows_every_path_through_lines_with_the_same_text(
    program: Program, recorder: PythonRecorder
) -> None:
    actual = recorder.record(program)
    prediction = ask(
        engine_of(continue_actual_trace(actual)), recorder, program, make_settings("guided")
    )
    assert (prediction.text, prediction.finish) == (text_of(actual), "stop")


def answer_with_empty_states(text: str) -> str:
    """Answer of a model that knows only the format of a state."""
    is_value = text.endswith("<|arg_sep|>")
    return '"None"<|frame_sep|>' if is_value else "{}<|action_sep|>"


class RandomEngine(ScriptedEngine):
    """Engine that chooses at random among the allowed ids."""

    def __init__(self, seed: int) -> None:
        super().__init__(
            answer_with_empty_states,
            special_tokens=tuple(STEPS.special_tokens),
            end_token=STEPS.end_token,
        )
        self.random = random.Random(seed)

    async def generate(self, request: Request) -> Reply:
        if not request.allowed_ids:
            return await super().generate(request)
        chosen = self.random.choice(request.allowed_ids)
        return Reply(await self.detokenize([chosen]), "truncated", (chosen,))


def test_the_graph_oracle_accepts_actual_traces_and_rejects_wrong_ones(
    cruxeval: list[dict[str, Any]], recorder: PythonRecorder
) -> None:
    for program in sample_programs(cruxeval, 8):
        actual = recorder.record(program)
        assert steps_in_graph(prediction_of(program, text_of(actual))) == len(actual.steps)
    right = text_of(recorder.record(LOOP))
    for old, new in (
        ("<|action_sep|>        s += i\n", "<|action_sep|>    s = 0\n"),
        ("<|action_sep|>    s = 0\n", "<|action_sep|>    return s\n"),
        ('<|call_sep|>{"n"', '<|line_sep|>{"n"'),
        ("<|return_sep|><|action_sep|>    return s\n", "<|return_sep|><|action_sep|>    s = 0\n"),
    ):
        with pytest.raises(AssertionError, match="is not in the graph"):
            steps_in_graph(prediction_of(LOOP, replaced(old, new)(right)))


def test_guided_never_leaves_the_graph_with_random_choices(
    cruxeval: list[dict[str, Any]], recorder: PythonRecorder
) -> None:
    steps: Counter[str] = Counter()
    for seed, program in enumerate(sample_programs(cruxeval, 4)):
        prediction = ask(
            RandomEngine(seed), recorder, program, make_settings("guided", max_tokens=2000)
        )
        steps_in_graph(prediction)
        steps.update(step.event for step in prediction.decoded.steps)
        assert prediction.generation is not None
        assert len(prediction.generation.completion_ids) <= 2000
        assert prediction.finish in ("stop", "truncated")
    assert min(steps[event] for event in ("call", "line", "return", "exception")) > 100


@pytest.mark.parametrize("mode", MODES)
def test_no_mode_exceeds_max_tokens(mode: Mode, recorder: PythonRecorder) -> None:
    actual = recorder.record(LOOP)
    complete = text_of(actual)
    for max_tokens in (1, 2, 5, 60, 100, 101, 102, 250):
        engine = engine_of(continue_actual_trace(actual))
        prediction = ask(engine, recorder, LOOP, make_settings(mode, max_tokens=max_tokens))
        assert prediction.generation is not None
        assert len(prediction.generation.completion_ids) <= max_tokens
        assert prediction.finish == "truncated"
        assert complete.startswith(prediction.text)
        assert diagnose_prediction(actual, prediction).facts.outcome in (
            "truncated",
            "empty_output",
        )


@pytest.mark.parametrize("mode", MODES)
def test_a_prompt_that_fills_the_context_is_truncated(mode: Mode, recorder: PythonRecorder) -> None:
    engine = engine_of(lambda text: "x", context_length=50)
    prediction = ask(engine, recorder, LOOP, make_settings(mode))
    assert (prediction.finish, prediction.text, engine.requests) == ("truncated", "", [])


@pytest.mark.parametrize("mode", ["free", "force-actions", "force-state", "guided"])
def test_from_step_forces_the_first_steps(mode: Mode, recorder: PythonRecorder) -> None:
    actual = recorder.record(LOOP)
    engine = engine_of(continue_actual_trace(actual))
    prediction = ask(engine, recorder, LOOP, make_settings(mode, from_step=6))
    assert prediction.text == text_of(actual)
    first = forced_texts(prediction)[0]
    steps = ["".join("".join(p.segments) for p in step) for step in STEPS.encode_steps(actual)]
    assert first.startswith("".join(steps[:6]))
    ids = tuple(part for part in engine.requests[0].prompt if isinstance(part, int))
    assert detokenize(engine, ids).startswith(prompt_of(LOOP) + "".join(steps[:6]))


def test_scores_show_the_one_wrong_value_of_a_model(recorder: PythonRecorder) -> None:
    actual = recorder.record(LOOP)
    # In the second iteration of the loop s is 1; the model predicts 9.
    right = text_of(actual)
    position = right.index('"s": "1"') + len('"s": "')

    def answer(text: str) -> str:
        written = text.removeprefix(prompt_of(LOOP))
        return "9" if len(written) == position else right[len(written) :]

    prediction = ask(engine_of(answer), recorder, LOOP, make_settings("score"))
    assert prediction.generation is not None
    scores = prediction.generation.scores
    assert len(scores) == len(actual.steps) + 1
    wrong = [n for n, score in enumerate(scores) if not score.is_state_greedy]
    assert wrong == [next(n for n, step in enumerate(actual.steps) if step.changed.get("s") == "1")]
    assert all(score.is_action_greedy for score in scores)
    assert scores[wrong[0]].state_surprise == 10
    assert sum(score.state_surprise + score.action_surprise for score in scores) == 10
    # Greedy decoding, up to the first token that is not in the actual trace.
    assert prediction.text == right[:position] + "9"
    facts = diagnose_prediction(actual, prediction).facts
    assert facts.divergence is not None
    assert (facts.divergence.step, facts.divergence.variable) == (wrong[0], "s")


def test_scores_count_every_token_once(recorder: PythonRecorder) -> None:
    actual = recorder.record(LOOP)
    prediction = ask(
        engine_of(continue_actual_trace(actual)), recorder, LOOP, make_settings("score")
    )
    assert prediction.generation is not None
    segments = STEPS.encode(actual)
    tokens = sum(1 if isinstance(s, SpecialToken) else len(s) for s in segments)
    assert sum(s.action_tokens + s.state_tokens for s in prediction.generation.scores) == tokens


def test_repeats_have_different_ids_and_seeds(recorder: PythonRecorder) -> None:
    engine = engine_of(continue_actual_trace(recorder.record(LOOP)))
    question = Question("loop", LOOP)
    settings = make_settings("free", temperature=0.5, seed=10)
    predictions = list(
        predict_questions(
            [(question, 0), (question, 2)], lambda: engine, recorder, settings=settings
        )
    )
    assert {p.id: p.generation.seed for p in predictions if p.generation} == {
        "loop": 10,
        "loop#2": 12,
    }
    assert len({request.seed for request in engine.requests}) == 2


def test_each_request_of_a_sampled_prediction_has_its_own_seed(
    recorder: PythonRecorder,
) -> None:
    engine = engine_of(continue_actual_trace(recorder.record(LOOP)))
    ask(engine, recorder, LOOP, make_settings("guided", temperature=1.0, seed=3))
    seeds = [request.seed for request in engine.requests]
    assert len(set(seeds)) == len(seeds) > 5


class RetryingEngine(ScriptedEngine):
    """Engine that reports a retry for every reply."""

    async def generate(self, request: Request) -> Reply:
        reply = await super().generate(request)
        return replace(reply, usage=reply.usage + Usage(requests=1, retries=1))


def test_a_retry_does_not_change_the_seeds(recorder: PythonRecorder) -> None:
    answer = continue_actual_trace(recorder.record(LOOP))
    seeds = []
    for kind in (ScriptedEngine, RetryingEngine):
        engine = kind(answer, special_tokens=tuple(STEPS.special_tokens), end_token=STEPS.end_token)
        ask(engine, recorder, LOOP, make_settings("force-actions", temperature=1.0, seed=3))
        seeds.append([request.seed for request in engine.requests])
    assert seeds[0] == seeds[1]


class GrammarEngine(ScriptedEngine):
    """Engine with grammars, which ends its text with `<|eot_id|>`, as chat models do."""

    def __init__(self, answer: Callable[[str], str]) -> None:
        super().__init__(
            answer, special_tokens=(*STEPS.special_tokens, "<|eot_id|>"), end_token="<|eot_id|>"
        )

    async def capabilities(self) -> Capabilities:
        return replace(await super().capabilities(), supported=frozenset(CAPABILITIES))

    async def generate(self, request: Request) -> Reply:
        return await super().generate(replace(request, grammar=None))


def test_a_state_in_a_grammar_gets_the_end_token_of_the_format(recorder: PythonRecorder) -> None:
    def ends(text: str) -> str:
        return '"None"<|eot_id|>' if text.endswith("<|arg_sep|>") else "{}<|eot_id|>"

    program = Program("def f():\n    pass\n", "f()")
    engine = GrammarEngine(ends)
    prediction = ask(engine, recorder, program, make_settings("guided"))
    assert prediction.generation is not None
    assert "<|eot_id|>" not in prediction.text
    assert detokenize(engine, prediction.generation.completion_ids) == prediction.text
    assert prediction.decoded.stop == "complete"


def test_the_event_loop_of_the_caller_is_unchanged(recorder: PythonRecorder) -> None:
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        ask(engine_of(continue_actual_trace(recorder.record(LOOP))), recorder, LOOP, LARGE_LIMIT)
        assert asyncio.get_event_loop() is loop
    finally:
        asyncio.set_event_loop(None)
        loop.close()
