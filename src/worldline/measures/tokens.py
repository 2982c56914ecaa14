"""Traces and a vocabulary go in; what they cost in each format, and what of it, comes out."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from worldline.codecs import CODECS, STEP_CODECS, Codec, Special, StepCodec, state_entries
from worldline.measures.lengths import BUDGETS, Lengths, lengths_of
from worldline.tokens import Tokenizer
from worldline.trace import Event, Trace

# Pieces whose size is remembered, and up to which length: lines and small states.
_REMEMBERED = 200_000
_LONG = 200


@dataclass(frozen=True, slots=True)
class FormatTokens:
    """What traces cost in a format. `lengths` are of a trace alone; `fitting` says of budgets how
    many traces have room in them together with their prompts, `within` how many have in the budget
    of a run, which is for the trace alone. Actions and states are known of formats that go step by
    step."""

    codec: str
    prompt: int
    trace: int
    lengths: Lengths
    fitting: Mapping[int, int]
    actions: int | None
    states: int | None
    within: int | None = None


@dataclass(frozen=True, slots=True)
class StepTokens:
    """What one step costs."""

    id: str
    step: int
    event: Event
    line: int
    source: str
    tokens: int


@dataclass(frozen=True, slots=True)
class VariableTokens:
    """What a variable costs, over all steps that write it; with no name, what is returned or
    raised."""

    name: str
    tokens: int
    times: int


@dataclass(frozen=True, slots=True)
class TokenCosts:
    """What traces cost in all formats, and, in the format `codec`, the steps and variables that
    cost the most. `left_out`: programs without a call, which no format has a prompt for."""

    tokenizer: str
    codec: str
    traces: int
    steps: int
    left_out: int
    formats: tuple[FormatTokens, ...]
    costly_steps: tuple[StepTokens, ...]
    costly_variables: tuple[VariableTokens, ...]


@dataclass(slots=True)
class _Counts:
    prompt: int = 0
    traces: Counter[int] = field(default_factory=Counter)
    totals: Counter[int] = field(default_factory=Counter)
    actions: int = 0
    states: int = 0


class _Sizes:
    """How many tokens a piece takes; the same lines come again and again."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._known: dict[str, int] = {}

    def of(self, piece: str) -> int:
        if isinstance(piece, Special):
            return 1
        size = self._known.get(piece)
        if size is None:
            size = len(self._tokenizer.encode(piece))
            if len(piece) < _LONG and len(self._known) < _REMEMBERED:
                self._known[piece] = size
        return size

    def all(self, pieces: Iterable[str]) -> int:
        return sum(map(self.of, pieces))


def measure_tokens(
    traces: Iterable[tuple[str, Trace]],
    tokenizer: Tokenizer,
    *,
    codec: str = "cwm",
    most: int = 10,
    budget: int | None = None,
) -> TokenCosts:
    """Count the tokens of traces, each with its name, in every format that shows steps; and find
    the steps and variables that cost the most in one of them."""
    chosen, sizes = STEP_CODECS[codec], _Sizes(tokenizer)
    codecs = [found for found in CODECS.values() if not found.is_chat]
    counts = {found.name: _Counts() for found in codecs}
    costly: list[StepTokens] = []
    variables: Counter[str] = Counter()
    times: Counter[str] = Counter()
    steps = left_out = 0
    for name, trace in traces:
        if trace.program.entry is None:
            left_out += 1
            continue
        steps += len(trace.steps)
        for found in codecs:
            _count(counts[found.name], found, trace, sizes)
        costly += _step_tokens(name, trace, chosen, sizes)
        costly = sorted(costly, key=lambda step: -step.tokens)[:most]
        _count_variables(trace, chosen, sizes, variables, times)
    return TokenCosts(
        tokenizer=tokenizer.name,
        codec=codec,
        traces=next(iter(counts.values())).totals.total(),
        steps=steps,
        left_out=left_out,
        formats=tuple(_format(name, found, budget) for name, found in counts.items()),
        costly_steps=tuple(costly),
        costly_variables=tuple(
            VariableTokens(name, tokens, times[name])
            for name, tokens in variables.most_common(most)
        ),
    )


def _count(counts: _Counts, codec: Codec, trace: Trace, sizes: _Sizes) -> None:
    prompt = sizes.all(codec.prompt(trace.program))
    step_codec = STEP_CODECS.get(codec.name)
    if step_codec is None:
        size = sizes.all(codec.encode(trace))
    else:
        roles = Counter[str]()
        for part in (part for parts in step_codec.parts(trace) for part in parts):
            roles[part.role] += sizes.all(part.pieces)
        counts.actions += roles["action"]
        counts.states += roles["state"]
        size = roles.total()
    counts.prompt += prompt
    counts.traces[size] += 1
    counts.totals[prompt + size] += 1


def _format(name: str, counts: _Counts, room: int | None) -> FormatTokens:
    goes_by_steps = name in STEP_CODECS
    return FormatTokens(
        codec=name,
        prompt=counts.prompt,
        trace=sum(size * times for size, times in counts.traces.items()),
        lengths=lengths_of(counts.traces),
        fitting={
            budget: sum(times for size, times in counts.totals.items() if size <= budget)
            for budget in BUDGETS
        },
        actions=counts.actions if goes_by_steps else None,
        states=counts.states if goes_by_steps else None,
        within=None
        if room is None
        else sum(times for size, times in counts.traces.items() if size <= room),
    )


def _step_tokens(name: str, trace: Trace, codec: StepCodec, sizes: _Sizes) -> Sequence[StepTokens]:
    # The end of a trace is behind its last step.
    pairs = zip(trace.steps, codec.parts(trace), strict=False)
    return [
        StepTokens(
            name,
            number,
            step.event,
            step.line,
            trace.source_line(step).strip(),
            sum(sizes.all(part.pieces) for part in parts),
        )
        for number, (step, parts) in enumerate(pairs)
    ]


def _count_variables(
    trace: Trace, codec: StepCodec, sizes: _Sizes, tokens: Counter[str], times: Counter[str]
) -> None:
    for step, parts in zip(trace.steps, codec.parts(trace), strict=False):
        for part in parts:
            if part.role != "state" or len(part.pieces) < 2:
                continue
            text = part.pieces[0]
            entries = state_entries(text) if step.has_locals else [("", text)]
            for name, written in entries:
                tokens[name] += sizes.of(written)
                times[name] += 1
