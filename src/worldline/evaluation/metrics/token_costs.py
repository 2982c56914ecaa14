"""Token costs of traces: by codec, step and variable, and percentiles of their lengths."""

import bisect
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from worldline.core.errors import CodecError
from worldline.core.trace import DEFAULT_LANGUAGE, Event, Trace
from worldline.core.util.cache import BoundedCache
from worldline.core.util.text import pluralize, truncate_text
from worldline.models.codecs import (
    CODECS,
    ROW_CODECS,
    STEP_CODECS,
    Codec,
    SpecialToken,
    StepCodec,
    state_entries,
)
from worldline.models.tokenizers import Tokenizer

# Context lengths in tokens, for which it is reported how many traces fit.
CONTEXT_LENGTHS = (2048, 8192, 32768)
# Number and maximum length of the segments whose token counts are cached: lines and small states.
_CACHED_SEGMENTS, _CACHED_LENGTH = 200_000, 200


@dataclass(frozen=True, slots=True)
class LengthPercentiles:
    """Percentiles of lengths, in tokens."""

    median: int
    p90: int
    p99: int
    longest: int


def length_percentiles(counts: Mapping[int, int]) -> LengthPercentiles:
    """Compute the percentiles of lengths.

    {100: 9, 500: 1} -> median 100, p90 100, p99 500, longest 500

    Args:
        counts: How often each length occurs.
    """
    lengths = sorted(counts)
    cumulative: list[int] = []
    total = 0
    for length in lengths:
        total += counts[length]
        cumulative.append(total)

    def percentile(percent: int) -> int:
        # The smallest length that at least this percentage does not exceed.
        return lengths[bisect.bisect_left(cumulative, -(-total * percent // 100))] if total else 0

    longest = lengths[-1] if lengths else 0
    return LengthPercentiles(percentile(50), percentile(90), percentile(99), longest)


@dataclass(frozen=True, slots=True)
class FormatTokens:
    """Token costs of traces in the format of one codec.

    Attributes:
        codec: The name of the codec.
        prompt: Tokens of all prompts.
        trace: Tokens of all traces, without prompts.
        lengths: Percentiles of the lengths of the traces, without prompts.
        fitting: For each context length, the number of traces that fit with their prompts.
        actions: Tokens of actions; None if the codec does not encode step by step.
        states: Tokens of states; None if the codec does not encode step by step.
        within: The number of traces, without prompts, within the token limit of a run.
    """

    codec: str
    prompt: int
    trace: int
    lengths: LengthPercentiles
    fitting: Mapping[int, int]
    actions: int | None
    states: int | None
    within: int | None = None

    def __repr__(self) -> str:
        return (
            f"FormatTokens({self.codec}: {pluralize(self.prompt, 'prompt token')}, "
            f"{pluralize(self.trace, 'trace token')})"
        )


@dataclass(frozen=True, slots=True)
class StepTokens:
    """Token cost of one step."""

    id: str
    step: int
    event: Event
    line: int
    source: str
    tokens: int

    def __repr__(self) -> str:
        return (
            f"StepTokens({truncate_text(repr(self.id), 30)} step {self.step}, {self.event} line "
            f"{self.line}: {pluralize(self.tokens, 'token')})"
        )


@dataclass(frozen=True, slots=True)
class VariableTokens:
    """Token cost of a variable over all steps; without a name, of returned and raised values."""

    name: str
    tokens: int
    times: int


@dataclass(frozen=True, slots=True)
class TokenCosts:
    """Token costs of traces.

    Attributes:
        tokenizer: The name of the tokenizer.
        codec: The codec for which steps and variables are listed.
        traces: The number of traces.
        steps: The number of steps.
        left_out: Programs without a call, for which there is no prompt.
        formats: The costs in the format of each codec.
        costly_steps: The steps with the most tokens.
        costly_variables: The variables with the most tokens.
    """

    tokenizer: str
    codec: str
    traces: int
    steps: int
    left_out: int
    formats: tuple[FormatTokens, ...]
    costly_steps: tuple[StepTokens, ...]
    costly_variables: tuple[VariableTokens, ...]

    def __repr__(self) -> str:
        return (
            f"TokenCosts({pluralize(self.traces, 'trace')}, {pluralize(self.steps, 'step')}, "
            f"{len(self.formats)} codecs, tokenizer {truncate_text(self.tokenizer, 30)})"
        )


@dataclass(slots=True)
class _FormatCounts:
    prompt: int = 0
    traces: Counter[int] = field(default_factory=Counter)
    totals: Counter[int] = field(default_factory=Counter)
    actions: int = 0
    states: int = 0


class _TokenCounter:
    """Counts the tokens of segments, with a cache for those that occur again and again."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._cache = BoundedCache[str, int](entries=_CACHED_SEGMENTS, key_size=_CACHED_LENGTH)

    def count(self, segment: str) -> int:
        if isinstance(segment, SpecialToken):
            return 1
        size = self._cache.get(segment)
        if size is None:
            size = len(self._tokenizer.encode(segment))
            self._cache.add(segment, size, size=len(segment))
        return size

    def count_all(self, segments: Iterable[str]) -> int:
        return sum(map(self.count, segments))


def measure_tokens(
    traces: Iterable[tuple[str, Trace]],
    tokenizer: Tokenizer,
    *,
    codec: str = "cwm",
    most: int = 10,  # words: allow
    budget: int | None = None,
) -> TokenCosts:
    """Count the tokens of traces in the format of every codec that shows steps.

    Formats that are only for Python are left out if there is a program in another language.

    Args:
        traces: The traces, each with its name.
        tokenizer: Counts the tokens.
        codec: The codec for which the most costly steps and variables are listed.
        most: The number of steps and variables to list.
        budget: The token limit of a run, to count the traces within it.
    """
    step_codec, counter = STEP_CODECS[codec], _TokenCounter(tokenizer)
    # A chat codec without rows encodes the result alone.
    codecs = [each for name, each in CODECS.items() if not each.is_chat or name in ROW_CODECS]
    counts = {each.name: _FormatCounts() for each in codecs}
    costly_steps: list[StepTokens] = []
    variable_tokens: Counter[str] = Counter()
    variable_times: Counter[str] = Counter()
    steps = left_out = 0
    for name, trace in traces:
        if trace.program.entry is None:
            left_out += 1
            continue
        steps += len(trace.steps)
        for each in [each for each in codecs if each.name in counts]:
            try:
                _count_trace(counts[each.name], each, trace, counter)
            except CodecError:
                if trace.program.language == DEFAULT_LANGUAGE:
                    raise
                # The format is only for Python.
                del counts[each.name]
        costly_steps += _step_tokens(name, trace, step_codec, counter)
        costly_steps = sorted(costly_steps, key=lambda step: -step.tokens)[:most]
        _count_variables(trace, step_codec, counter, variable_tokens, variable_times)
    return TokenCosts(
        tokenizer=tokenizer.name,
        codec=codec,
        traces=next(iter(counts.values())).totals.total(),
        steps=steps,
        left_out=left_out,
        formats=tuple(
            _format_tokens(name, format_counts, budget) for name, format_counts in counts.items()
        ),
        costly_steps=tuple(costly_steps),
        costly_variables=tuple(
            VariableTokens(name, tokens, variable_times[name])
            for name, tokens in variable_tokens.most_common(most)
        ),
    )


def _count_trace(counts: _FormatCounts, codec: Codec, trace: Trace, counter: _TokenCounter) -> None:
    prompt = counter.count_all(codec.prompt(trace.program))
    step_codec = STEP_CODECS.get(codec.name)
    if step_codec is None:
        size = counter.count_all(codec.encode(trace))
    else:
        roles = Counter[str]()
        for part in (part for parts in step_codec.encode_steps(trace) for part in parts):
            roles[part.role] += counter.count_all(part.segments)
        counts.actions += roles["action"]
        counts.states += roles["state"]
        size = roles.total()
    counts.prompt += prompt
    counts.traces[size] += 1
    counts.totals[prompt + size] += 1


def _format_tokens(name: str, counts: _FormatCounts, max_tokens: int | None) -> FormatTokens:
    is_step_codec = name in STEP_CODECS
    return FormatTokens(
        codec=name,
        prompt=counts.prompt,
        trace=sum(size * times for size, times in counts.traces.items()),
        lengths=length_percentiles(counts.traces),
        fitting={
            length: sum(times for size, times in counts.totals.items() if size <= length)
            for length in CONTEXT_LENGTHS
        },
        actions=counts.actions if is_step_codec else None,
        states=counts.states if is_step_codec else None,
        within=None
        if max_tokens is None
        else sum(times for size, times in counts.traces.items() if size <= max_tokens),
    )


def _step_tokens(
    name: str, trace: Trace, codec: StepCodec, counter: _TokenCounter
) -> Sequence[StepTokens]:
    # The codec yields the end of the trace after the last step.
    pairs = zip(trace.steps, codec.encode_steps(trace), strict=False)
    return [
        StepTokens(
            name,
            number,
            step.event,
            step.line,
            trace.source_line(step).strip(),
            sum(counter.count_all(part.segments) for part in parts),
        )
        for number, (step, parts) in enumerate(pairs)
    ]


def _count_variables(
    trace: Trace,
    codec: StepCodec,
    counter: _TokenCounter,
    tokens: Counter[str],
    times: Counter[str],
) -> None:
    for step, parts in zip(trace.steps, codec.encode_steps(trace), strict=False):
        for part in parts:
            if part.role != "state" or len(part.segments) < 2:
                continue
            text = part.segments[0]
            entries = state_entries(text) if step.has_locals else [("", text)]
            for name, entry in entries:
                tokens[name] += counter.count(entry)
                times[name] += 1
