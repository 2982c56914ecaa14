"""Rewards: shares of correct steps, computed by hand, and the conventions of TRL and verifiers."""

import asyncio
import inspect
from types import SimpleNamespace
from typing import Any

import pytest

import worldline as wl
from worldline.core.trace import Limits
from worldline.languages.python.recorder import PythonRecorder
from worldline.rewards import (
    ExecutionCache,
    StepReward,
    measure_step_reward,
    step_reward,
    trl_reward_function,
    verifiers_reward_function,
)

SOURCE = "def f(a, b):\n    c = a + b\n    return c\n"
CALL = "f(1, 3)"
PROGRAM = wl.Program(SOURCE, CALL)
# Seven steps, written by hand in CWM's format.
STEPS = (
    "<|call_sep|>{}<|action_sep|>def main(): # << START_OF_TRACE\n<|frame_sep|>",
    "<|line_sep|>{}<|action_sep|>    return f(1, 3)\n<|frame_sep|>",
    '<|call_sep|>{"a": "1", "b": "3"}<|action_sep|>def f(a, b):\n<|frame_sep|>',
    '<|line_sep|>{"a": "..", "b": ".."}<|action_sep|>    c = a + b\n<|frame_sep|>',
    '<|line_sep|>{"a": "..", "b": "..", "c": "4"}<|action_sep|>    return c\n<|frame_sep|>',
    '<|return_sep|><|action_sep|>    return c\n<|arg_sep|>"4"<|frame_sep|>',
    '<|return_sep|><|action_sep|>    return f(1, 3)\n<|arg_sep|>"4"<|frame_sep|>',
)
COMPLETE = "".join(STEPS)
WRONG_STATE = COMPLETE.replace('"c": "4"', '"c": "5"').replace('|>"4"', '|>"5"')
# The state of the fifth step is wrong, the returned value is correct.
SUPERFICIAL = COMPLETE.replace('"c": "4"', '"c": "5"')
RIGHT_ANSWER = "c is 4.\n[ANSWER]\nassert f(1, 3) == 4\n[/ANSWER]"
ENDLESS = "def f():\n    while True:\n        pass\n"


@pytest.mark.parametrize(
    ("completion", "reward"),
    [
        (COMPLETE, 7 / 7 + 1),
        (WRONG_STATE, 4 / 7),
        (SUPERFICIAL, 4 / 7 + 1),
        ("".join(STEPS[:3]), 3 / 7),
        ("".join(STEPS[:6]), 6 / 7),
        (STEPS[0], 1 / 7),
        (COMPLETE + RIGHT_ANSWER, 2.0),
        (COMPLETE + "[ANSWER]\nassert f(1, 3) == 5\n[/ANSWER]", 1.0),
        ("what is this?", 0.0),
        ("", 0.0),
        (" \n", 0.0),
    ],
)
def test_rewards_of_traces_in_cwms_format(completion: str, reward: float) -> None:
    assert step_reward(SOURCE, completion, call=CALL) == pytest.approx(reward)


@pytest.mark.parametrize(
    ("completion", "reward"),
    [
        (RIGHT_ANSWER, 1.0),
        ("[ANSWER] 4.0 [/ANSWER]", 1.0),
        ("[ANSWER] 5 [/ANSWER]", 0.0),
        # An expression that computes the value is not an answer.
        ("[ANSWER] f(1, 3) [/ANSWER]", 0.0),
        ("[ANSWER]\nassert f(1, 3) == 4", 0.0),
        ("", 0.0),
    ],
)
def test_rewards_of_answers_of_chat_models(completion: str, reward: float) -> None:
    assert step_reward(SOURCE, completion, call=CALL, codec="chat") == reward


def test_a_truncated_completion_is_never_worth_more() -> None:
    completion = COMPLETE + RIGHT_ANSWER
    rewards = [
        step_reward(PROGRAM, completion[:length]) or 0.0 for length in range(0, len(COMPLETE), 7)
    ]
    assert rewards == sorted(rewards)
    assert rewards[0] == 0.0
    assert rewards[-1] <= 6 / 7 + 1e-9


def test_the_facts_behind_a_reward() -> None:
    expected = StepReward(4 / 7 + 0.5 + 0.25, 4, 7, is_answer_correct=True, is_well_formed=True)
    reward = measure_step_reward(PROGRAM, SUPERFICIAL, answer_weight=0.5, format_weight=0.25)
    assert reward == expected
    assert expected.step_share == 4 / 7
    cut = measure_step_reward(PROGRAM, STEPS[0], format_weight=0.25)
    assert cut == StepReward(1 / 7, 1, 7, is_answer_correct=False, is_well_formed=False)


def test_a_program_that_raises_is_predicted_by_its_exception(recorder: PythonRecorder) -> None:
    program = wl.Program("def f(x):\n    return x[1]\n", "f([])")
    trace = recorder.record(program)
    completion = "".join(wl.get_codec("cwm").encode(trace))
    reward = measure_step_reward(program, completion)
    assert reward is not None
    assert (reward.value, reward.is_answer_correct) == (2.0, True)
    wrong = measure_step_reward(program, "[ANSWER] None [/ANSWER]", codec="chat")
    assert wrong is not None
    assert wrong.value == 0.0


@pytest.mark.parametrize(
    ("source", "call"),
    [
        ("def f(:\n", "f()"),
        (ENDLESS, "f()"),
        ("import os\ndef f():\n    os.kill(os.getpid(), 9)\n", "f()"),
        ("def f(:\n    return 1", "f()"),
    ],
)
def test_a_program_that_cannot_be_executed_has_no_reward(source: str, call: str) -> None:
    limits = Limits(steps=1000, seconds=2)
    for completion in ("[ANSWER] 1 [/ANSWER]", "", COMPLETE):
        assert step_reward(source, completion, call=call, codec="chat", limits=limits) is None


def test_a_program_is_executed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    executed: list[wl.Program] = []
    record = PythonRecorder.record

    def counted(self: PythonRecorder, program: wl.Program, **options: Any) -> wl.Trace:
        executed.append(program)
        return record(self, program, **options)

    monkeypatch.setattr(PythonRecorder, "record", counted)
    executions = ExecutionCache(entries=2)
    programs = [wl.Program(SOURCE, f"f({n}, 3)") for n in range(3)]
    for program in (programs[0], programs[0], programs[1], programs[0], programs[2], programs[0]):
        assert executions.execute(program) is not None
    assert executed == programs
    # The second one was used least recently.
    executions.execute(programs[1])
    assert executed == [*programs, programs[1]]
    executions.close()


def test_trl_passes_plain_and_conversational_completions() -> None:
    reward = trl_reward_function()
    rows = {"code": [SOURCE] * 3, "call": [CALL] * 3, "trainer_state": None}
    assert reward(prompts=["p"] * 3, completions=[COMPLETE, STEPS[0], ""], **rows) == [
        pytest.approx(2.0),
        pytest.approx(1 / 7),
        0.0,
    ]
    messages = [
        [{"role": "assistant", "content": COMPLETE}],
        [{"role": "assistant", "content": [{"type": "text", "text": COMPLETE}]}],
        [{"role": "user", "content": COMPLETE}],
    ]
    assert reward(prompts=[[]] * 3, completions=messages, **rows) == [2.0, 2.0, 0.0]
    # `GRPOTrainer` names its metrics by the function.
    assert getattr(reward, "__name__", "") == "worldline_step_reward"


def test_trl_removes_the_special_tokens() -> None:
    lost = COMPLETE
    for token in ("call_sep", "line_sep", "return_sep", "action_sep", "arg_sep", "frame_sep"):
        lost = lost.replace(f"<|{token}|>", "")
    (reward,) = trl_reward_function()(completions=[lost], code=[SOURCE], call=[CALL])
    assert reward == pytest.approx(2.0)


def test_trl_completions_are_decoded_with_special_tokens_if_wanted() -> None:
    texts = {1: COMPLETE, 2: STEPS[0]}
    reward = trl_reward_function(decode=lambda ids: texts[ids[0]])
    rows = {"code": [SOURCE] * 2, "call": [CALL] * 2}
    assert reward(completions=["", ""], completion_ids=[[1], [2]], **rows) == [
        2.0,
        pytest.approx(1 / 7),
    ]


def test_trl_columns_can_have_other_names() -> None:
    reward = trl_reward_function(codec="chat", columns={"code": "program", "input": "arguments"})
    rows = {"program": [SOURCE], "arguments": ["1, 3"]}
    assert reward(completions=[RIGHT_ANSWER], **rows) == [1.0]
    with pytest.raises(wl.InputError, match="need the columns 'program' and 'call'"):
        reward(completions=[RIGHT_ANSWER], code=[SOURCE])


def test_trl_skips_programs_that_cannot_be_executed() -> None:
    reward = trl_reward_function(codec="chat", limits=Limits(steps=1000, seconds=2))
    metrics: dict[str, float] = {}
    rewards = reward(
        completions=[RIGHT_ANSWER] * 4,
        code=[SOURCE, ENDLESS, "def f(:", SOURCE],
        call=[CALL, "f()", "f()", "f(1, 3"],
        log_metric=metrics.__setitem__,
    )
    assert rewards == [1.0, None, None, None]
    assert metrics == {"step_share": 0.0, "answer_accuracy": 1.0}


def test_an_unknown_codec_is_refused_at_once() -> None:
    with pytest.raises(wl.CodecError, match="no codec 'unknown'"):
        trl_reward_function(codec="unknown")


def test_verifiers_tasks_have_the_program_in_their_data() -> None:
    reward = verifiers_reward_function()
    # verifiers 0.4 passes `task` and `trace` by the names of the signature.
    assert {"task", "trace"} <= set(inspect.signature(reward).parameters)
    task = SimpleNamespace(model_dump=lambda: {"code": SOURCE, "call": CALL, "prompt": "p"})
    trace = SimpleNamespace(last_reply=RIGHT_ANSWER)
    assert asyncio.run(_awaited(reward(task=task, trace=trace))) == 1.0


def test_verifiers_rubrics_have_the_program_in_info() -> None:
    reward = verifiers_reward_function(codec="cwm")
    names = set(inspect.signature(reward).parameters)
    assert {"completion", "info", "state"} <= names
    # A plural would be taken for the rewards of a group.
    assert not names & {"completions", "states", "infos", "tasks"}
    completion = [{"role": "assistant", "content": STEPS[0]}]
    for info in ({"code": SOURCE, "call": CALL}, '{"code": "def f(a, b):\\n    c = a + b\\n'
                 '    return c\\n", "call": "f(1, 3)"}'):  # fmt: skip
        value = asyncio.run(_awaited(reward(completion=completion, info=info, task="default")))
        assert value == pytest.approx(1 / 7)


def test_verifiers_gets_an_error_instead_of_a_wrong_reward() -> None:
    reward = verifiers_reward_function(limits=Limits(steps=1000, seconds=2))
    info = {"code": ENDLESS, "call": "f()"}
    with pytest.raises(wl.ProgramError, match="cannot be executed"):
        asyncio.run(_awaited(reward(completion=RIGHT_ANSWER, info=info)))


async def _awaited(value: Any) -> Any:
    return await value


def test_rewards_are_an_attribute_of_the_package() -> None:
    assert wl.rewards.step_reward is step_reward
