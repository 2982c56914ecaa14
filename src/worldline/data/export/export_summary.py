"""Summary of an export, merged from the counts of its parts."""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.data.export.examples import Example
from worldline.data.export.packing import Packing, pack_all
from worldline.evaluation.metrics import LengthPercentiles, length_percentiles

SUMMARY_FILE = "export.json"


@dataclass(slots=True)
class ExportCounts:
    """Counts of a part of an export.

    `lengths` counts examples by their tokens, `left_out` traces by the reason of their exclusion.
    """

    lengths: Counter[int] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    steps: int = 0
    prompt_tokens: int = 0
    action_tokens: int = 0
    state_tokens: int = 0

    def add(self, example: Example) -> None:
        """Count an example."""
        actions = sum(example.action_mask)
        self.lengths[len(example.input_ids)] += 1
        self.steps += example.steps
        self.prompt_tokens += example.prompt_tokens
        self.action_tokens += actions
        self.state_tokens += example.completion_tokens - actions

    def merge(self, other: "ExportCounts") -> None:
        """Add other counts to these."""
        self.lengths += other.lengths
        self.left_out += other.left_out
        self.steps += other.steps
        self.prompt_tokens += other.prompt_tokens
        self.action_tokens += other.action_tokens
        self.state_tokens += other.state_tokens


@dataclass(frozen=True, slots=True)
class ExportSummary:
    """Contents of an export.

    `left_out` counts the excluded traces by reason; together with `examples` they are all
    `traces`. `lengths` and `packing` are of prompt and completion together.
    """

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
    lengths: LengthPercentiles
    packing: tuple[Packing, ...]
    left_out: dict[str, int]
    files: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<ExportSummary: {self.examples} examples, {self.tokens} tokens, {self.codec}>"

    @property
    def tokens(self) -> int:
        """Tokens of all prompts and completions."""
        return self.prompt_tokens + self.action_tokens + self.state_tokens


def summarise(counts: ExportCounts, files: tuple[str, ...], **settings: Any) -> ExportSummary:
    """Create the summary of an export from its counts, files and settings."""
    examples = counts.lengths.total()
    return ExportSummary(
        **settings,
        traces=examples + counts.left_out.total(),
        examples=examples,
        steps=counts.steps,
        prompt_tokens=counts.prompt_tokens,
        action_tokens=counts.action_tokens,
        state_tokens=counts.state_tokens,
        lengths=length_percentiles(counts.lengths),
        packing=pack_all(counts.lengths),
        left_out=dict(counts.left_out.most_common()),
        files=files,
    )


def summary_lines(summary: ExportSummary) -> list[str]:
    """Format a summary as lines of text."""
    lengths = summary.lengths
    lines = [
        f"{summary.examples:,} examples of {summary.traces:,} traces, {summary.steps:,} steps",
        f"{summary.tokens:,} tokens: {summary.prompt_tokens:,} prompt, "
        f"{summary.action_tokens:,} action, {summary.state_tokens:,} state",
        f"tokens an example: median {lengths.median:,}, 90% up to {lengths.p90:,}, 99% up to "
        f"{lengths.p99:,}, at most {lengths.longest:,}",
    ]
    lines += [
        f"in {packing.budget:,} tokens: {packing.fitting:,} fit; packed into {packing.bins:,} rows "
        f"that are {packing.fill:.1%} full ({packing.fill_unpacked:.1%} unpacked)"
        for packing in summary.packing
    ]
    lines += [f"left out: {count:,} {reason}" for reason, count in summary.left_out.items()]
    return lines


def export_tokens(export: Path) -> int:
    """The number of tokens of an export, prompts included.

    Raises:
        InputError: The folder is not an export.
    """
    try:
        summary = json.loads((export / SUMMARY_FILE).read_text(encoding="utf-8"))
        return sum(int(summary[f"{part}_tokens"]) for part in ("prompt", "action", "state"))
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise InputError(
            f"{export} is not an export ({error!r}); create one with worldline export TRACES -o "
            f"{export}"
        ) from None
