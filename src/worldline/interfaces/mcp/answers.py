"""Structured answers of the tools; their docstrings are the descriptions that clients see."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Verdict = Literal["right", "wrong", "unknown"]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)


class Line(_Model):
    """One executed line and its effect."""

    step: int
    """Number of the step in the trace, from 0."""
    line: int
    """Line number in the code."""
    source: str
    """The source line."""
    event: Literal["call", "line"] = "line"
    """`call` for the beginning of a function, with its arguments."""
    function: str = ""
    """The function that the line is in."""
    depth: int = 0
    """Number of calls around it."""
    before: dict[str, str] = {}
    """Variables that the line uses, with their values before it; only in the history of a line."""
    changed: dict[str, str] = {}
    """Variables that are new or different after the line."""
    gone: list[str] = []
    """Variables that no longer exist after the line."""
    returned: str | None = None
    """The value that the line returned."""
    raised: str | None = None
    """The exception that was raised here, or passed through."""


class Answer(_Model):
    """Fields of all answers."""

    status: Literal["done", "running"] = "done"
    """`running`: not finished yet; call `get_result` with the id."""
    id: str = ""
    """Identifies the call, for `get_result`, `cancel_call` and the resources."""
    summary: str = ""
    """The answer in words."""


class TraceAnswer(Answer):
    """An execution, and the steps of it that matter."""

    ending: str | None = None
    """How it ended: finished, raised, exited, not_loaded, time_limit, killed, …"""
    result: str | None = None
    """The value that the call returned."""
    exception: str | None = None
    """The exception that ended it."""
    printed: str = ""
    """The beginning of what it printed."""
    steps: int | None = None
    """Number of recorded steps."""
    lines: list[Line] = []
    """The executed lines that matter, in order."""
    left_out: int = 0
    """Number of such lines that are not shown, between the first and the last ones."""
    exception_path: list[Line] = []
    """The lines that the exception passed through, from where it was raised."""
    notes: list[str] = []
    """What was not recorded."""
    resources: list[str] = []
    """Addresses of the rest: all steps, a variable's history, a line's history, the output."""


class Divergence(_Model):
    """The first place where a claim and the execution differ."""

    claim: int | None = None
    """Number of the claimed step, from 0; null if it is the claimed result."""
    line: int | None = None
    """The line that actually ran."""
    variable: str | None = None
    """The variable that differs."""
    claimed: str = ""
    """What was claimed."""
    actual: str = ""
    """What the execution did."""


class CheckAnswer(Answer):
    """Whether a claim about an execution is right."""

    verdict: Verdict | None = None
    """`unknown` if the execution did not get as far as the claim."""
    divergence: Divergence | None = None
    """The first divergence, if the claim is wrong."""
    checked_steps: int = 0
    """Number of claimed steps that are right."""
    result: str | None = None
    """The value that the call returned."""
    exception: str | None = None
    """The exception that ended the call."""
    lines: list[Line] = []
    """The executed lines up to the divergence, or the last ones."""
    resources: list[str] = []
    """Addresses of all steps."""


class Outcome(_Model):
    """How the execution of one version ended."""

    ending: str
    """How it ended; `predicted` for a prediction."""
    result: str | None = None
    """The value that the call returned."""
    exception: str | None = None
    """The exception that ended it."""
    printed: str = ""
    """The beginning of what it printed."""
    steps: int
    """Number of steps."""
    resources: list[str] = []
    """Addresses of all steps."""


class ChangeAnswer(Answer):
    """How the executions of two versions of a program differ."""

    source: Literal["actual", "predicted"] = "actual"
    """Whether the versions were executed, or a model predicted their executions."""
    is_same: bool | None = None
    """Whether result, exception and output are the same; null if one of them is not known."""
    before: Outcome | None = None
    """The execution of the old version."""
    after: Outcome | None = None
    """The execution of the new version."""
    difference: str = ""
    """The first step at which the executions differ, in words."""
    before_lines: list[Line] = []
    """The executed lines of the old version up to there."""
    after_lines: list[Line] = []
    """The executed lines of the new version up to there."""


class WeakStep(_Model):
    """The step of a prediction that is the least certain, and why."""

    step: int
    """Number of the predicted step, from 0."""
    line: int
    """Line number; 0 if the program has no such line."""
    source: str
    """The source line as the model wrote it."""
    reason: Literal["impossible", "contradicted", "least_likely_token"]
    """`impossible`: no path of the control-flow graph has this step. `contradicted`: the predicted
    state before it gives another value or another branch. `least_likely_token`: it contains the
    least likely token of the output."""
    log_probability: float | None = None
    """Log-probability of that token. It is the model's own, and not calibrated."""


class PredictionAnswer(Answer):
    """What a model predicts that an execution returns. Nothing was executed."""

    value: str | None = None
    """The predicted value; null if the model gave none."""
    finish: str | None = None
    """How the output ended: stop, truncated or infra_error."""
    steps: int | None = None
    """Number of predicted steps; 0 if the model was asked for the result only."""
    weakest_step: WeakStep | None = None
    """The least certain step, if it is known."""
    trust: str = ""
    """What is known about whether the value is right."""
    probability: float | None = None
    """Calibrated probability that the value is right; null without a trust model."""
    lines: list[Line] = []
    """The predicted lines that matter, in order."""
    left_out: int = 0
    """Number of such lines that are not shown."""
    model: str = ""
    """The model."""
    completion_tokens: int = 0
    """Tokens that the model generated."""


class AdviceAnswer(Answer):
    """Whether to run a call, or to trust a model's prediction of it. Nothing was executed."""

    advice: Literal["run", "trust"] | None = None
    """`trust`: the probability reaches the calibrated threshold. `run`: everything else."""
    value: str | None = None
    """The predicted value; null if the model gave none."""
    probability: float | None = None
    """Calibrated probability that the value is right; null if it is not known."""
    threshold: float | None = None
    """The lowest probability that is trusted; null if nothing can be trusted."""
    reasons: list[str] = []
    """What lowers the probability most."""
    weakest_step: WeakStep | None = None
    """The least certain step, if it can be said."""
    model: str = ""
    """The model."""
