"""What is known of each part of an export goes in; what is known of all of it comes out."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from worldline.measures import Lengths, lengths_of
from worldline.training.examples import Example
from worldline.training.lengths import Packing, pack_all


@dataclass(slots=True)
class Counts:
    """What is counted while examples are made; `totals` are by the tokens of an example."""

    totals: Counter[int] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    steps: int = 0
    prompt_tokens: int = 0
    action_tokens: int = 0
    state_tokens: int = 0

    def add(self, example: Example) -> None:
        """Count an example."""
        actions = sum(example.action_mask)
        self.totals[len(example.input_ids)] += 1
        self.steps += example.steps
        self.prompt_tokens += example.prompt_tokens
        self.action_tokens += actions
        self.state_tokens += example.completion_tokens - actions

    def merge(self, other: "Counts") -> None:
        """Count what another one has counted."""
        self.totals += other.totals
        self.left_out += other.left_out
        self.steps += other.steps
        self.prompt_tokens += other.prompt_tokens
        self.action_tokens += other.action_tokens
        self.state_tokens += other.state_tokens


@dataclass(frozen=True, slots=True)
class ExportSummary:
    """What an export holds, and what was left out of it, by reason: `examples` and those are all
    traces. `lengths` and `packing` are of prompt and completion together."""

    codec: str
    tokenizer: str
    loss: str
    max_tokens: int | None
    traces: int
    examples: int
    steps: int
    prompt_tokens: int
    action_tokens: int
    state_tokens: int
    lengths: Lengths
    packing: tuple[Packing, ...]
    left_out: dict[str, int]
    files: tuple[str, ...]

    @property
    def tokens(self) -> int:
        """All tokens, of prompts and completions."""
        return self.prompt_tokens + self.action_tokens + self.state_tokens


def summarise(counts: Counts, files: tuple[str, ...], **settings: Any) -> ExportSummary:
    """The summary of what was counted."""
    examples = counts.totals.total()
    return ExportSummary(
        **settings,
        traces=examples + counts.left_out.total(),
        examples=examples,
        steps=counts.steps,
        prompt_tokens=counts.prompt_tokens,
        action_tokens=counts.action_tokens,
        state_tokens=counts.state_tokens,
        lengths=lengths_of(counts.totals),
        packing=pack_all(counts.totals),
        left_out=dict(counts.left_out.most_common()),
        files=files,
    )


def summary_lines(summary: ExportSummary) -> list[str]:
    """A summary for people."""
    found = summary.lengths
    lines = [
        f"{summary.examples:,} examples of {summary.traces:,} traces, {summary.steps:,} steps",
        f"{summary.tokens:,} tokens: {summary.prompt_tokens:,} prompt, "
        f"{summary.action_tokens:,} action, {summary.state_tokens:,} state",
        f"tokens an example: median {found.median:,}, 90% up to {found.p90:,}, 99% up to "
        f"{found.p99:,}, at most {found.longest:,}",
    ]
    lines += [
        f"in {packing.budget:,} tokens: {packing.fitting:,} fit; packed into {packing.bins:,} rows "
        f"that are {packing.fill:.1%} full ({packing.fill_unpacked:.1%} unpacked)"
        for packing in summary.packing
    ]
    lines += [f"left out: {count:,} {reason}" for reason, count in summary.left_out.items()]
    return lines
