"""Capabilities of an engine as text and as JSON."""

from collections.abc import Iterable, Sequence
from typing import Any

from rich.text import Text

from worldline.models.codecs import STEP_CODECS
from worldline.models.engines import CAPABILITIES, Capability, Throughput, suggest_concurrency
from worldline.models.prediction import EngineReport

DESCRIPTIONS: dict[Capability, str] = {
    "tokenize": "tokenizes text",
    "ids_in": "accepts prompts as token ids",
    "ids_out": "returns the token ids of completions",
    "special_tokens": "returns special tokens in the text",
    "stop_ids": "stops at given token ids",
    "stop_strings": "stops at given strings",
    "allowed_ids": "restricts completions to given token ids",
    "grammar": "restricts completions to a grammar",
    "json_schema": "restricts completions to a JSON schema",
    "logprobs": "returns log-probabilities of completions",
    "prompt_scores": "returns log-probabilities of prompts",
    "seed": "samples deterministically with a seed",
    "cache_report": "reports hits of the prefix cache",
    "chat": "answers chat messages",
    "chat_template": "renders chat messages as a prompt",
}


def engine_lines(report: EngineReport, throughput: Sequence[Throughput] = ()) -> list[Text]:
    """Return what an engine can be used for, what it lacks, and why.

    Args:
        report: The result of testing the engine.
        throughput: Its measured throughput, if any.
    """
    length = report.capabilities.context_length
    context = f"context length {length:,} tokens" if length else "context length unknown"
    lines = [Text(report.model, "bold"), Text(f"  {context}"), Text(f"  {_verdict(report)}")]
    if report.capabilities.dialect:
        lines.append(Text(f"  {report.capabilities.dialect} dialect"))
    if report.capabilities.dropped:
        dropped = ", ".join(report.capabilities.dropped)
        lines.append(Text(f"  refuses {dropped}: requests are sent without, and its own apply"))
    lines.append(Text("\nCapabilities", "bold"))
    missing = report.capabilities.missing
    lines += _status_lines((DESCRIPTIONS[name], missing.get(name, "")) for name in CAPABILITIES)
    lines.append(Text("\nCodecs (--codec)", "bold"))
    lines += _status_lines(
        (name, reason.replace(f"the {name} format", "it")) for name, reason in report.codecs.items()
    )
    lines.append(Text("\nPrediction modes (--mode)", "bold"))
    lines += _status_lines(
        (mode, reason.replace(f"the mode {mode}", "it")) for mode, reason in report.modes.items()
    )
    if throughput:
        lines.append(Text("\nConcurrency, tokens per second", "bold"))
        lines += [
            Text(f"  {each.concurrency:>4} {each.tokens_per_second:>9,.0f}") for each in throughput
        ]
        lines.append(Text(f"  suggested: --concurrency {suggest_concurrency(list(throughput))}"))
    return lines


def _verdict(report: EngineReport) -> str:
    """What the engine can be used for, in one sentence."""
    if any(not report.codecs[name] for name in STEP_CODECS if name in report.codecs):
        return "predicts step by step"
    if not report.codecs.get("chat", "unknown"):
        return "a plain chat server: use --codec chat; to predict step by step, serve with vLLM"
    return "cannot be used for predictions; the reasons are below"


def _status_lines(items: Iterable[tuple[str, str]]) -> list[Text]:
    """Lines with yes or no. Items that are missing for the same reason share a line."""
    names_by_reason: dict[str, list[str]] = {}
    lines = []
    for name, reason in items:
        if not reason:
            lines.append(Text.assemble(("  yes  ", "green"), name))
        names_by_reason.setdefault(reason, []).append(name)
    for reason, names in names_by_reason.items():
        if reason:
            lines.append(
                Text.assemble(("  no   ", "red"), ", ".join(names), (f": {reason}", "dim"))
            )
    return lines


def engine_to_json(report: EngineReport, throughput: Sequence[Throughput] = ()) -> dict[str, Any]:
    """Return the report as JSON data. An empty text means yes; any other is the reason for no."""
    return {
        "model": report.model,
        "context_length": report.capabilities.context_length,
        "dialect": report.capabilities.dialect,
        "dropped": list(report.capabilities.dropped),
        "capabilities": {name: report.capabilities.missing.get(name, "") for name in CAPABILITIES},
        "codecs": dict(report.codecs),
        "modes": dict(report.modes),
        "tokens_per_second": {
            str(each.concurrency): round(each.tokens_per_second, 1) for each in throughput
        },
        "suggested_concurrency": suggest_concurrency(list(throughput)) if throughput else None,
    }
