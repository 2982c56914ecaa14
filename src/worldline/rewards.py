"""Rewards for training: a model's predicted execution, step by step, against the actual one.

Examples:
    >>> from worldline.rewards import step_reward
    >>> step_reward("def f(x): return x + 1", "[ANSWER] 2 [/ANSWER]", call="f(1)", codec="chat")
    1.0
"""

from worldline.interfaces.api.execution_cache import ExecutionCache
from worldline.interfaces.api.reward_functions import (
    trl_reward_function,
    verifiers_reward_function,
)
from worldline.interfaces.api.step_rewards import StepReward, measure_step_reward, step_reward

__all__ = [
    "ExecutionCache",
    "StepReward",
    "measure_step_reward",
    "step_reward",
    "trl_reward_function",
    "verifiers_reward_function",
]
