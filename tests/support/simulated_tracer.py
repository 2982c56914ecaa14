"""Simulated model that traces programs row by row, with known rates of errors.

It knows the actual rows. Errors happen at fixed rows of each program, whatever was executed before,
so that policies are compared on the same errors. A wrong value makes later values wrong that are
computed from it, until an executed row shows the right one. After a wrong branch or a skipped row
the model is lost until a row is executed.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random

from scripts.operation_rates import wrong_value
from worldline.core.trace import Program, Trace
from worldline.models.codecs import ChatTraceCodec, Row
from worldline.models.codecs.row_notation import source_line
from worldline.models.engines import Reply, Request, ScriptedEngine

_WORD = re.compile(r"[A-Za-z_]\w*")
# Stands for the value that the last function returned.
_RETURNED = "return"
_NOTES = {"True": "False", "False": "True"}


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """How often the model errs, and how improbable its own rows are to it.

    Attributes:
        value: Rate of wrong values, per row that has one.
        branch: Rate of wrong branches, per row of a condition.
        skip: Rate of skipped rows.
        nll_right: Mean NLL of a row without a new error, in nats.
        nll_wrong: Mean NLL of a row with a new error.
        seed: Decides where the errors are.
    """

    value: float = 0.04
    branch: float = 0.04
    skip: float = 0.01
    nll_right: float = 0.15
    nll_wrong: float = 1.5
    seed: int = 0


@dataclass(frozen=True, slots=True)
class _Known:
    """The actual rows of one program: their texts, and the rows; None for the answer."""

    program: Program
    texts: list[str]
    rows: list[Row | None]


class SimulatedTracer(ScriptedEngine):
    """Engine of the simulated model. Each byte is one token."""

    name = "simulated"

    def __init__(self, traces: Iterable[Trace], codec: ChatTraceCodec, rates: ErrorRates) -> None:
        super().__init__(lambda text: self._next_row(text)[0])
        self._codec, self._rates = codec, rates
        self._known: dict[str, _Known] = {}
        for trace in traces:
            texts = [row.action + row.state for row in codec.encode_rows(trace)]
            rows = [codec.parse_row(text, trace.program) for text in texts]
            prompt = "\n".join(codec.prompt(trace.program)) + "\n"
            self._known[prompt] = _Known(trace.program, texts, rows)

    async def tokenize(self, text: str, *, parse_special_tokens: bool = False) -> tuple[int, ...]:
        """The bytes of a text."""
        return tuple(text.encode())

    async def detokenize(self, ids: Sequence[int]) -> str:
        """The text of bytes."""
        return bytes(ids).decode("utf-8", "replace")

    async def generate(self, request: Request) -> Reply:
        """One row or, without a stop, all of them; the first token has its whole NLL."""
        is_ids = isinstance(request.prompt[0], int)
        text = bytes(request.prompt).decode() if is_ids else await self._text(request.prompt)  # type: ignore[arg-type]
        if not text.endswith("\n"):
            text += "\n"
        row, nll = self._next_row(text)
        reply = row
        while not request.stop and row:
            row, _ = self._next_row(text + reply)
            reply += row
        ids = (await self.tokenize(reply))[: request.max_tokens]
        finish = "stop" if len(ids) < request.max_tokens else "truncated"
        logprobs = (-nll, *(0.0 for _ in ids[1:])) if request.logprobs else ()
        return Reply(reply, finish, ids, logprobs)  # type: ignore[arg-type]

    def _next_row(self, text: str) -> tuple[str, float]:
        """The next row after a prompt and some rows, and its NLL; empty after the answer."""
        start = text.index("\n", text.rindex("\nCall: ") + 1) + 1
        known, written = self._known[text[:start]], text[start:].splitlines(keepends=True)
        if written and written[-1].startswith(self._codec.answer_prefix):
            return "", 0.0
        number = min(len(written), len(known.texts) - 1)
        wrong, is_lost = self._read(known, written)
        random = Random(f"{self._rates.seed}/{known.program.hash}/{number}")
        draw, size = random.random(), random.expovariate(1)
        if is_lost:
            return self._skipped(known, number), size * self._rates.nll_right
        row = known.rows[number]
        rates = self._rates
        if draw < rates.skip and number + 2 < len(known.texts):
            return self._skipped(known, number), size * rates.nll_wrong
        corrupted = self._corrupt(known, number)
        # A row without a value cannot be wrong.
        is_new = draw < rates.skip + (rates.branch if _note(row) else rates.value)
        is_new = is_new and corrupted != known.texts[number]
        is_wrong = is_new or self._reads(known, number, wrong)
        nll = size * (rates.nll_wrong if is_new else rates.nll_right)
        return (corrupted if is_wrong else known.texts[number]), nll

    def _read(self, known: _Known, written: list[str]) -> tuple[set[str], bool]:
        """Which variables are wrong after the written rows, and whether the model is lost."""
        wrong: set[str] = set()
        is_lost = False
        for text, actual_text, actual in zip(written, known.texts, known.rows, strict=False):
            row = self._codec.parse_row(text, known.program)
            if text == actual_text:
                is_lost = False
            elif (
                row is None
                or actual is None
                or row.line != actual.line
                or _note(row) != _note(actual)
            ):
                is_lost = True
            values = _values(row)
            for name, value in _values(actual).items():
                (wrong.discard if values.get(name) == value else wrong.add)(name)
        return wrong, is_lost

    def _reads(self, known: _Known, number: int, wrong: set[str]) -> bool:
        """Whether a row is computed from something wrong."""
        row = known.rows[number]
        if row is None:
            return _RETURNED in wrong
        before = known.rows[number - 1] if number else None
        # Arguments are computed on the line of the call.
        line = before.line if before is not None and row.has("enter") else row.line
        source = source_line(known.program.lines, line).text
        names = set(_WORD.findall(source.partition(" = ")[2] or source))
        is_back = before is not None and before.has("return") and not row.has("enter")
        return bool(names & (wrong - {_RETURNED})) or (is_back and _RETURNED in wrong)

    def _skipped(self, known: _Known, number: int) -> str:
        """The row after the one that is due; the answer of a lost model is wrong."""
        number = min(number + 1, len(known.texts) - 1)
        return known.texts[number] if known.rows[number] else self._corrupt(known, number)

    def _corrupt(self, known: _Known, number: int) -> str:
        """A row with another branch or another value; rows without any are as they are."""
        row = known.rows[number]
        if row is None:
            prefix = self._codec.answer_prefix
            value = known.texts[number].removeprefix(prefix).strip()
            return f"{prefix} {wrong_value(value)}\n"
        items = list(row.items)
        for index, item in enumerate(items):
            if item.kind == "note" and item.value in _NOTES:
                items[index] = replace(item, value=_NOTES[item.value])
            elif item.kind in ("set", "return"):
                items[index] = replace(item, value=wrong_value(item.value))
            else:
                continue
            break
        source = source_line(known.program.lines, row.line)
        return "".join(self._codec.notation.write(replace(row, items=tuple(items)), source)) + "\n"


def _note(row: Row | None) -> str | None:
    notes = [item.value for item in row.items if item.kind == "note"] if row else []
    return notes[0] if notes else None


def _values(row: Row | None) -> dict[str, str]:
    """Values of a row by variable."""
    kinds = {"set", "return"}
    return {
        item.name if item.kind == "set" else _RETURNED: item.value
        for item in (row.items if row else ())
        if item.kind in kinds
    }
