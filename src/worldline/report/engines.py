"""What an engine can do goes in, lines for people and JSON come out."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from worldline.engines import ABILITIES, Ability, Throughput, suggested
from worldline.predict import EngineReport

WORDS: dict[Ability, str] = {
    "tokenize": "says which tokens a text has",
    "ids_in": "takes prompts as token ids",
    "ids_out": "returns the token ids that it wrote",
    "special_tokens": "leaves special tokens in the text",
    "stop_ids": "stops at chosen token ids",
    "allowed_ids": "chooses among given token ids",
    "grammar": "writes only what a grammar allows",
    "logprobs": "says how likely what it wrote was",
    "prompt_scores": "says how likely each token of a prompt was",
    "seed": "samples alike from the same seed",
    "cache_report": "reports what its prefix cache saved",
    "chat": "answers messages",
}


def _by_reason(codecs: Mapping[str, str]) -> dict[str, list[str]]:
    """The formats that can be spoken, and those that cannot for the same reason, together."""
    found: dict[str, list[str]] = {}
    for name, reason in codecs.items():
        found.setdefault(reason.replace(f"the {name} format", "it"), []).append(name)
    return found


def engine_lines(report: EngineReport, measured: Sequence[Throughput] = ()) -> list[Text]:
    """What an engine can do, what it cannot and why, and what that means for predictions."""
    length = report.abilities.context_length
    lines = [Text(report.model, "bold")]
    lines.append(
        Text(f"  holds {length:,} tokens" if length else "  does not say how much it holds")
    )
    lines.append(Text("\nAbilities, each tried", "bold"))
    for ability in ABILITIES:
        lines += _line(WORDS[ability], report.abilities.missing.get(ability, ""))
    lines.append(Text("\nFormats whose special tokens it has (--codec)", "bold"))
    for reason, names in _by_reason(report.codecs).items():
        lines += _line(", ".join(names), reason)
    lines.append(Text("\nModes of prediction (--mode)", "bold"))
    for mode, reason in report.modes.items():
        lines += _line(mode, reason)
    if measured:
        lines.append(Text("\nIn flight, tokens a second", "bold"))
        lines += [
            Text(f"  {each.in_flight:>4} {each.tokens_per_second:>9,.0f}") for each in measured
        ]
        lines.append(Text(f"  suggested: --in-flight {suggested(list(measured))}"))
    return lines


def _line(what: str, reason: str) -> list[Text]:
    if not reason:
        return [Text.assemble(("  yes  ", "green"), what)]
    return [Text.assemble(("  no   ", "red"), what, (f": {reason}", "dim"))]


def engine_to_json(report: EngineReport, measured: Sequence[Throughput] = ()) -> dict[str, Any]:
    """The same as JSON; an empty text means yes, any other says why not."""
    return {
        "model": report.model,
        "context_length": report.abilities.context_length,
        "abilities": {name: report.abilities.missing.get(name, "") for name in ABILITIES},
        "codecs": dict(report.codecs),
        "modes": dict(report.modes),
        "tokens_per_second": {str(m.in_flight): round(m.tokens_per_second, 1) for m in measured},
        "suggested_in_flight": suggested(list(measured)) if measured else None,
    }
