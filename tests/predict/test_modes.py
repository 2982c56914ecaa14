"""Every mode, asked of models that know the truth, get one thing wrong, or know nothing."""

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

import pytest

from tests.oracle import STEPS, ask, engine_of, knowing, prompt_of
from tests.predictions import predict as prediction_of
from tests.predictions import replaced, text_of
from tests.second_opinion import steps_in_graph
from worldline.codecs import STEP_CODECS, Special, StepCodec, codec_named
from worldline.diagnose import diagnose
from worldline.engines import ABILITIES, Abilities, Reply, Request, ScriptedEngine, Usage
from worldline.errors import EngineError
from worldline.predict import Mode, Prediction, Question, Settings, predict
from worldline.recorders import PythonRecorder
from worldline.trace import Program, Trace

LOOP = Program(
    "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n", "f(3)"
)
RAISES = Program(
    "def g(x):\n    return 1 // x\n\ndef f(x):\n    try:\n        return g(x)\n"
    "    except ZeroDivisionError as e:\n        return 'no'\n",
    "f(0)",
)
MODES: tuple[Mode, ...] = get_args(Mode)
WRITING = [mode for mode in MODES if mode != "score"]
BIG = Settings(budget=100_000)


def settings_of(mode: Mode, **fields: Any) -> Settings:
    return Settings(mode=mode, **{"budget": 100_000, **fields})


def programs(cruxeval: list[dict[str, Any]], every: int) -> list[Program]:
    return [Program(row["code"], f"f({row['input']})") for row in cruxeval[::every]]


@pytest.mark.parametrize("codec", STEP_CODECS.values(), ids=STEP_CODECS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", [LOOP, RAISES], ids=["loop", "raises"])
def test_a_model_that_knows_the_truth_writes_it_in_every_mode(
    mode: Mode, program: Program, codec: StepCodec, recorder: PythonRecorder
) -> None:
    truth = recorder.record(program)
    engine = engine_of(knowing(truth, codec=codec))
    found = ask(engine, recorder, program, settings_of(mode, codec=codec.name))
    assert found.text == text_of(truth, codec)
    assert found.finish == "stop"
    assert diagnose(truth, found).facts.outcome == "correct"


@pytest.mark.parametrize("codec", STEP_CODECS.values(), ids=STEP_CODECS)
@pytest.mark.parametrize("mode", MODES)
def test_the_truth_of_real_programs_in_every_mode(
    mode: Mode, codec: StepCodec, cruxeval: list[dict[str, Any]], recorder: PythonRecorder
) -> None:
    chosen = programs(cruxeval, 200 if mode == "score" or codec.name != "cwm" else 25)
    traces = {program.text: recorder.record(program) for program in chosen}
    # A score asks the model anew at every token.
    traces = {
        text: trace
        for text, trace in traces.items()
        if len(trace.steps) < (30 if mode == "score" else 10_000)
    }
    for text, trace in traces.items():
        engine = engine_of(knowing(trace, codec=codec))
        found = ask(engine, recorder, trace.program, settings_of(mode, codec=codec.name))
        assert found.text == text_of(trace, codec), text


def test_a_format_that_does_not_go_by_steps_is_written_freely(recorder: PythonRecorder) -> None:
    folded, truth = codec_named("folded"), recorder.record(LOOP)
    engine = engine_of(knowing(truth, codec=folded))
    found = ask(engine, recorder, LOOP, settings_of("free", codec="folded"))
    assert found.text == text_of(truth, folded)
    assert diagnose(truth, found).facts.outcome == "correct"
    for settings in (
        settings_of("guided", codec="folded"),
        settings_of("free", codec="folded", from_step=2),
    ):
        with pytest.raises(EngineError, match="does not go step by step"):
            ask(engine, recorder, LOOP, settings)


def test_one_line_number_may_begin_another(recorder: PythonRecorder) -> None:
    """In a vocabulary of letters, line 1 begins line 10 and line 12: which is asked for."""
    source = (
        "def f(x):\n    y = 0\n"
        + "".join(f"    if x == {n}:\n        y = {n}\n" for n in range(6))
        + "    return y\n"
    )
    for call in ("f(4)", "f(5)", "f(9)"):
        truth = recorder.record(Program(source, call))
        numbers = codec_named("numbers")
        engine = engine_of(knowing(truth, codec=numbers))
        found = ask(engine, recorder, truth.program, settings_of("guided", codec="numbers"))
        assert found.text == text_of(truth, numbers)


@pytest.mark.parametrize("mode", WRITING)
def test_each_prompt_extends_the_one_before_id_for_id(mode: Mode, recorder: PythonRecorder) -> None:
    engine = engine_of(knowing(recorder.record(LOOP)))
    ask(engine, recorder, LOOP, settings_of(mode))
    prompts = [request.prompt for request in engine.requests]
    for shorter, longer in itertools.pairwise(prompts):
        assert longer[: len(shorter)] == shorter


@pytest.mark.parametrize("mode", WRITING)
def test_ids_spell_the_text(mode: Mode, recorder: PythonRecorder) -> None:
    truth = recorder.record(Program("def f(s):\n    t = s + 'é😀'\n    return t\n", "f('ü')"))
    engine = engine_of(knowing(truth))
    found = ask(engine, recorder, truth.program, settings_of(mode))
    assert found.asked is not None
    assert run(engine, found.asked.ids) == found.text == text_of(truth)


def run(engine: ScriptedEngine, ids: tuple[int, ...]) -> str:
    return asyncio.run(engine.spell(ids))


def given_text(found: Prediction) -> list[str]:
    assert found.asked is not None
    return [found.text[start:end] for start, end in found.asked.given]


def merged(trace: Trace, role: str) -> list[str]:
    """The text of neighbouring parts of one role."""
    parts = [part for step in STEPS.parts(trace) for part in step]
    groups = itertools.groupby(parts, key=lambda part: part.role)
    return ["".join("".join(p.pieces) for p in group) for name, group in groups if name == role]


def test_forced_actions_are_given_and_states_written(recorder: PythonRecorder) -> None:
    truth = recorder.record(LOOP)
    engine = engine_of(knowing(truth))
    found = ask(engine, recorder, LOOP, settings_of("force-actions"))
    assert given_text(found) == merged(truth, "action")
    # One request for each state.
    assert len(engine.requests) == len(merged(truth, "state"))


def test_forced_state_is_given_and_actions_written(recorder: PythonRecorder) -> None:
    truth = recorder.record(LOOP)
    engine = engine_of(knowing(truth))
    found = ask(engine, recorder, LOOP, settings_of("force-state"))
    assert given_text(found) == merged(truth, "state")
    assert len(engine.requests) == len(merged(truth, "action"))


def test_with_forced_actions_a_wrong_state_stays_and_the_lines_are_true(
    recorder: PythonRecorder,
) -> None:
    truth = recorder.record(LOOP)

    def always_seven(text: str) -> str:
        is_value = text.endswith("<|arg_sep|>")
        return '"7"<|frame_sep|>' if is_value else '{"n": "7", "s": "7"}<|action_sep|>'

    found = ask(engine_of(always_seven), recorder, LOOP, settings_of("force-actions"))
    assert [step.line for step in found.decoded.steps] == [step.line for step in truth.steps]
    assert [step.event for step in found.decoded.steps] == [step.event for step in truth.steps]
    facts = diagnose(truth, found).facts
    assert facts.outcome == "diverged"
    assert facts.divergence is not None
    assert facts.divergence.where == "state"
    assert found.decoded.steps[-1].value == "7"


def test_with_forced_actions_a_state_that_does_not_end_as_one_ends_the_prediction(
    recorder: PythonRecorder,
) -> None:
    engine = engine_of(lambda text: "{}<|frame_sep|>")
    found = ask(engine, recorder, LOOP, settings_of("force-actions"))
    assert len(engine.requests) == 1
    assert found.text == "<|call_sep|>{}<|frame_sep|>"
    assert diagnose(recorder.record(LOOP), found).facts.outcome == "malformed"


def test_with_forced_state_the_first_wrong_line_ends_the_prediction(
    recorder: PythonRecorder,
) -> None:
    truth = recorder.record(LOOP)
    wrong = replaced("<|action_sep|>        s += i\n", "<|action_sep|>    return s\n")
    engine = engine_of(knowing(truth, edit=wrong))
    found = ask(engine, recorder, LOOP, settings_of("force-state"))
    facts = diagnose(truth, found).facts
    assert facts.divergence is not None
    assert (facts.divergence.where, facts.divergence.step) == ("action", 5)
    assert facts.action is not None
    assert facts.action.kind == "loop_left_early"
    assert found.decoded.steps[-1].line == 5
    assert found.finish == "stop"


def test_with_forced_state_a_wrong_event_ends_the_prediction(recorder: PythonRecorder) -> None:
    truth = recorder.record(LOOP)
    wrong = replaced("<|line_sep|>", "<|exception_sep|>")
    found = ask(engine_of(knowing(truth, edit=wrong)), recorder, LOOP, settings_of("force-state"))
    facts = diagnose(truth, found).facts
    assert facts.divergence is not None
    assert facts.divergence.predicted_event == "exception"
    assert facts.divergence.where == "action"


def test_guided_asks_only_where_there_is_a_choice(recorder: PythonRecorder) -> None:
    program = Program("def f(x):\n    y = x\n    return y\n", "f(1)")
    truth = recorder.record(program)
    engine = engine_of(knowing(truth))
    found = ask(engine, recorder, program, settings_of("guided"))
    assert found.text == text_of(truth)
    choices = [request for request in engine.requests if request.allowed_ids]
    # `return f(1)` may call, or raise before it does; the rest has to happen.
    assert [len(request.allowed_ids) for request in choices] == [2]


TWINS = {
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


@pytest.mark.parametrize("program", TWINS.values(), ids=TWINS.keys())
def test_guided_can_go_every_way_where_lines_have_the_same_text(
    program: Program, recorder: PythonRecorder
) -> None:
    truth = recorder.record(program)
    found = ask(engine_of(knowing(truth)), recorder, program, settings_of("guided"))
    assert (found.text, found.finish) == (text_of(truth), "stop")


def empty_states(text: str) -> str:
    """Knows nothing, but how a state is written."""
    is_value = text.endswith("<|arg_sep|>")
    return '"None"<|frame_sep|>' if is_value else "{}<|action_sep|>"


class Fickle(ScriptedEngine):
    """Chooses at random where it may choose."""

    def __init__(self, seed: int) -> None:
        super().__init__(empty_states, specials=tuple(STEPS.specials), end=STEPS.end)
        self.random = random.Random(seed)

    async def generate(self, request: Request) -> Reply:
        if not request.allowed_ids:
            return await super().generate(request)
        chosen = self.random.choice(request.allowed_ids)
        return Reply(await self.spell([chosen]), "length", (chosen,))


def test_what_judges_guided_predictions_knows_right_from_wrong(
    cruxeval: list[dict[str, Any]], recorder: PythonRecorder
) -> None:
    for program in programs(cruxeval, 8):
        truth = recorder.record(program)
        assert steps_in_graph(prediction_of(program, text_of(truth))) == len(truth.steps)
    right = text_of(recorder.record(LOOP))
    for old, new in (
        ("<|action_sep|>        s += i\n", "<|action_sep|>    s = 0\n"),
        ("<|action_sep|>    s = 0\n", "<|action_sep|>    return s\n"),
        ('<|call_sep|>{"n"', '<|line_sep|>{"n"'),
        ("<|return_sep|><|action_sep|>    return s\n", "<|return_sep|><|action_sep|>    s = 0\n"),
    ):
        with pytest.raises(AssertionError, match="is not in the graph"):
            steps_in_graph(prediction_of(LOOP, replaced(old, new)(right)))


def test_guided_never_leaves_the_graph_whatever_is_chosen(
    cruxeval: list[dict[str, Any]], recorder: PythonRecorder
) -> None:
    steps: Counter[str] = Counter()
    for seed, program in enumerate(programs(cruxeval, 4)):
        found = ask(Fickle(seed), recorder, program, settings_of("guided", budget=2000))
        steps_in_graph(found)
        steps.update(step.event for step in found.decoded.steps)
        assert found.asked is not None
        assert len(found.asked.ids) <= 2000
        assert found.finish in ("stop", "length")
    assert min(steps[event] for event in ("call", "line", "return", "exception")) > 100


@pytest.mark.parametrize("mode", MODES)
def test_no_budget_is_overdrawn(mode: Mode, recorder: PythonRecorder) -> None:
    truth = recorder.record(LOOP)
    whole = text_of(truth)
    for budget in (1, 2, 5, 60, 100, 101, 102, 250):
        engine = engine_of(knowing(truth))
        found = ask(engine, recorder, LOOP, settings_of(mode, budget=budget))
        assert found.asked is not None
        assert len(found.asked.ids) <= budget
        assert found.finish == "length"
        assert whole.startswith(found.text)
        assert diagnose(truth, found).facts.outcome in ("truncated", "no_output")


@pytest.mark.parametrize("mode", MODES)
def test_a_prompt_that_fills_the_context_is_cut_not_failed(
    mode: Mode, recorder: PythonRecorder
) -> None:
    engine = engine_of(lambda text: "x", context_length=50)
    found = ask(engine, recorder, LOOP, settings_of(mode))
    assert (found.finish, found.text, engine.requests) == ("length", "", [])


@pytest.mark.parametrize("mode", ["free", "force-actions", "force-state", "guided"])
def test_prediction_from_a_step_on(mode: Mode, recorder: PythonRecorder) -> None:
    truth = recorder.record(LOOP)
    engine = engine_of(knowing(truth))
    found = ask(engine, recorder, LOOP, settings_of(mode, from_step=6))
    assert found.text == text_of(truth)
    first = given_text(found)[0]
    steps = ["".join("".join(p.pieces) for p in step) for step in STEPS.parts(truth)]
    assert first.startswith("".join(steps[:6]))
    ids = tuple(part for part in engine.requests[0].prompt if isinstance(part, int))
    assert run(engine, ids).startswith(prompt_of(LOOP) + "".join(steps[:6]))


def test_scores_of_a_model_that_would_write_one_value_wrong(recorder: PythonRecorder) -> None:
    truth = recorder.record(LOOP)
    # The second state of the loop: s is 1 after the second iteration, and the model says 9.
    right = text_of(truth)
    place = right.index('"s": "1"') + len('"s": "')

    def answer(text: str) -> str:
        written = text.removeprefix(prompt_of(LOOP))
        return "9" if len(written) == place else right[len(written) :]

    found = ask(engine_of(answer), recorder, LOOP, settings_of("score"))
    assert found.asked is not None
    scores = found.asked.scores
    assert len(scores) == len(truth.steps) + 1
    wrong = [n for n, score in enumerate(scores) if not score.is_state_greedy]
    assert wrong == [next(n for n, step in enumerate(truth.steps) if step.changed.get("s") == "1")]
    assert all(score.is_action_greedy for score in scores)
    assert scores[wrong[0]].state_surprise == 10
    assert sum(score.state_surprise + score.action_surprise for score in scores) == 10
    # What it would have written, up to its first own token.
    assert found.text == right[:place] + "9"
    facts = diagnose(truth, found).facts
    assert facts.divergence is not None
    assert (facts.divergence.step, facts.divergence.variable) == (wrong[0], "s")


def test_scores_count_every_token_once(recorder: PythonRecorder) -> None:
    truth = recorder.record(LOOP)
    found = ask(engine_of(knowing(truth)), recorder, LOOP, settings_of("score"))
    assert found.asked is not None
    pieces = STEPS.encode(truth)
    tokens = sum(1 if isinstance(piece, Special) else len(piece) for piece in pieces)
    assert sum(s.action_tokens + s.state_tokens for s in found.asked.scores) == tokens


def test_repeats_have_names_and_seeds_of_their_own(recorder: PythonRecorder) -> None:
    engine = engine_of(knowing(recorder.record(LOOP)))
    question = Question("loop", LOOP)
    settings = settings_of("free", temperature=0.5, seed=10)
    found = list(
        predict([(question, 0), (question, 2)], lambda: engine, recorder, settings=settings)
    )
    assert {p.id: p.asked.seed for p in found if p.asked} == {"loop": 10, "loop#2": 12}
    assert len({request.seed for request in engine.requests}) == 2


def test_each_request_of_a_sampled_prediction_has_a_seed_of_its_own(
    recorder: PythonRecorder,
) -> None:
    engine = engine_of(knowing(recorder.record(LOOP)))
    ask(engine, recorder, LOOP, settings_of("guided", temperature=1.0, seed=3))
    seeds = [request.seed for request in engine.requests]
    assert len(set(seeds)) == len(seeds) > 5


class Stumbling(ScriptedEngine):
    """Says of every reply that it took a second request."""

    async def generate(self, request: Request) -> Reply:
        reply = await super().generate(request)
        return replace(reply, usage=reply.usage + Usage(requests=1, retries=1))


def test_a_request_that_was_repeated_changes_no_seed(recorder: PythonRecorder) -> None:
    answer = knowing(recorder.record(LOOP))
    seeds = []
    for kind in (ScriptedEngine, Stumbling):
        engine = kind(answer, specials=tuple(STEPS.specials), end=STEPS.end)
        ask(engine, recorder, LOOP, settings_of("force-actions", temperature=1.0, seed=3))
        seeds.append([request.seed for request in engine.requests])
    assert seeds[0] == seeds[1]


class Grammatical(ScriptedEngine):
    """Takes grammars, and ends what it writes within one as chat models do: with `<|eot_id|>`."""

    def __init__(self, answer: Callable[[str], str]) -> None:
        super().__init__(answer, specials=(*STEPS.specials, "<|eot_id|>"), end="<|eot_id|>")

    async def abilities(self) -> Abilities:
        return replace(await super().abilities(), found=frozenset(ABILITIES))

    async def generate(self, request: Request) -> Reply:
        return await super().generate(replace(request, grammar=None))


def test_a_state_that_ends_with_another_token_gets_the_right_one(recorder: PythonRecorder) -> None:
    def ends(text: str) -> str:
        return '"None"<|eot_id|>' if text.endswith("<|arg_sep|>") else "{}<|eot_id|>"

    program = Program("def f():\n    pass\n", "f()")
    engine = Grammatical(ends)
    found = ask(engine, recorder, program, settings_of("guided"))
    assert found.asked is not None
    assert "<|eot_id|>" not in found.text
    assert run(engine, found.asked.ids) == found.text
    assert found.decoded.stop == "ended"


def test_the_loop_of_whoever_asks_is_left_alone(recorder: PythonRecorder) -> None:
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        ask(engine_of(knowing(recorder.record(LOOP))), recorder, LOOP, BIG)
        assert asyncio.get_event_loop() is loop
    finally:
        asyncio.set_event_loop(None)
        loop.close()
