"""Policies of the mode `on-demand`: the trust in a predicted row, from 0 to 1.

A row whose trust is below the threshold is executed. Of the actual execution, a policy knows what
an interpreter shows that stands at the last executed row: the lines up to there, all variables.
"""

import ast
import math
from collections.abc import Mapping
from functools import lru_cache

from worldline.analysis.alignment import compare_values
from worldline.analysis.trust.step_checks import CheckKind, StepCheck, check_steps
from worldline.analysis.trust.step_signals import GraphPath, follow_steps
from worldline.core.trace import Program, Step, parse_source
from worldline.core.util.seeded_random import SeededRandom
from worldline.models.codecs import (
    ChatTraceCodec,
    Decoded,
    ItemKind,
    Row,
    select_next_line,
)
from worldline.models.prediction import Policy, PredictedRow, RowTrust

# Trust by the checks alone.
CONTRADICTED, UNCHECKED, CONFIRMED = 0.0, 0.5, 1.0
# Checks that confirm a row if they are consistent; the others only find contradictions.
_CONFIRMING: frozenset[CheckKind] = frozenset({"value", "branch", "argument"})
# Items of a row after which the next step is not the next line of the same scope.
_LEAVING: tuple[ItemKind, ...] = ("call", "raise", "return", "leave")
_RESOLUTION = 10**6


def row_trust(policy: Policy) -> RowTrust:
    """The function of a policy, which gives each row its trust."""
    return _POLICIES[policy]


def trust_by_chance(row: PredictedRow) -> float:
    """A random number for each row, the same for every threshold and every text of the row."""
    random = SeededRandom("on-demand", row.seed, row.program.hash, row.number)
    return random.below(_RESOLUTION) / _RESOLUTION


def trust_by_branch(row: PredictedRow) -> float:
    """0 for a condition or the head of a loop, 1 for everything else.

    A row shows which way a condition goes. In a codec of steps, the step after it does.
    """
    decisive: Row | Step | None = row.row
    if not isinstance(row.codec, ChatTraceCodec):
        before = _decode(row, row.before).steps
        decisive = before[-1] if before and before[-1].event == "line" else None
    is_branch = decisive is not None and decisive.line in _branch_lines(row.program.text)
    return CONTRADICTED if is_branch else CONFIRMED


def trust_by_legality(row: PredictedRow) -> float:
    """0 for a line that the control-flow graph does not allow, and for text that is not a row."""
    if row.row is None and not row.is_answer:
        return CONTRADICTED
    decoded = _decode(row, row.before + row.text)
    path = follow_steps(row.program, decoded)
    return CONFIRMED if path is None or _is_legal(path, decoded) else CONTRADICTED


def trust_by_likelihood(row: PredictedRow) -> float:
    """The probability of the row's tokens to the model itself."""
    return 1.0 if row.nll is None else math.exp(-max(0.0, row.nll))


def trust_by_checks(row: PredictedRow) -> float:
    """0 if the row contradicts the rows before it, 1 if a check confirms it, else 0.5.

    A row contradicts if its line is not legal, or if a simple operation on the state before it
    gives another value or another branch.
    """
    if row.row is None and not row.is_answer:
        return CONTRADICTED
    decoded = _decode(row, row.before + row.text)
    path = follow_steps(row.program, decoded)
    if path is not None and not _is_legal(path, decoded):
        return CONTRADICTED
    if row.is_answer:
        return _trust_in_answer(row, decoded)
    first = sum(text.end <= len(row.before) for text in decoded.step_texts)
    checks = _new_checks(row, _with_next_line(row, decoded, path), first)
    if not all(check.is_consistent for check in checks):
        return CONTRADICTED
    # The first new step of a row is its line; the effect before it was judged with the row before.
    judged = first + 1 if isinstance(row.row, Row) else first
    is_confirmed = any(
        check.kind in _CONFIRMING and (check.step >= judged or check.kind == "argument")
        for check in checks
    )
    return CONFIRMED if is_confirmed else UNCHECKED


def trust_by_checks_and_likelihood(
    row: PredictedRow, *, checks: RowTrust = trust_by_checks
) -> float:
    """As by the checks; a row that they cannot decide has the probability of its tokens."""
    trust = checks(row)
    return trust_by_likelihood(row) if trust == UNCHECKED else trust


@lru_cache(maxsize=64)
def _branch_lines(text: str) -> frozenset[int]:
    """Lines on which a condition or a loop begins."""
    tree = parse_source(text)
    return frozenset(
        node.lineno
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, ast.If | ast.While | ast.For | ast.AsyncFor)
    )


def _trust_in_answer(row: PredictedRow, decoded: Decoded) -> float:
    """Whether the answer is what the called function returns; 0.5 if that need not be so.

    In a codec of steps, the answer is the value that the entry point returns.
    """
    returns = [step.value for step in decoded.steps if step.event == "return"]
    answer = returns[-1] if isinstance(row.row, Step) and returns else decoded.answer
    if len(returns) < 2 or answer is None or not _answers_with_return(row.program):
        return UNCHECKED
    returned = returns[-2]
    if returned is None:
        return CONTRADICTED
    return CONFIRMED if compare_values(returned, answer).is_same else CONTRADICTED


def _answers_with_return(program: Program) -> bool:
    """Whether the call is that of one plain function of the program: `f(1)`, not `len(f(1))`."""
    parts, tree = program.split_entry(), parse_source(program.text)
    if parts is None or tree is None:
        return False
    match ast.parse(parts[1].strip(), mode="eval").body:
        case ast.Call(func=ast.Name(id=name)):
            functions = [
                node
                for node in tree.body
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name
            ]
            return len(functions) == 1 and _is_plain(functions[0])
    return False


def _is_plain(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    has_yield = any(isinstance(n, ast.Yield | ast.YieldFrom) for n in ast.walk(function))
    return isinstance(function, ast.FunctionDef) and not function.decorator_list and not has_yield


def _decode(row: PredictedRow, text: str) -> Decoded:
    # Both end the last step, which may otherwise be incomplete.
    end = "\n" if isinstance(row.codec, ChatTraceCodec) else row.codec.end_token
    is_complete = not text or text.endswith(end)
    return row.codec.decode(text if is_complete else f"{text}{end}", row.program)


def _is_legal(path: GraphPath, decoded: Decoded) -> bool:
    return path.legal_steps == len(decoded.steps)


def _new_checks(row: PredictedRow, decoded: Decoded, first: int) -> list[StepCheck]:
    checks = check_steps(row.program, decoded, decoded.answer)
    return [check for check in checks if check.step >= first]


def _with_next_line(row: PredictedRow, decoded: Decoded, path: GraphPath | None) -> Decoded:
    """The steps, with the line that comes next by the row itself, so that its effect is complete.

    The effect of a row belongs to the step after it, which is not written yet.
    """
    if not isinstance(row.row, Row) or not isinstance(row.codec, ChatTraceCodec):
        # A step has the effect of the line before it.
        return decoded
    if path is None or any(row.row.has(kind) for kind in _LEAVING):
        return decoded
    lines = [option.line for option in path.options if option.event == "line"]
    notes = [item.value for item in row.row.items if item.kind == "note"]
    note = notes[0] if notes else None
    line = select_next_line(row.program.text, row.row.line, note, lines)
    if line is None:
        return decoded
    text = row.before + row.text
    text += "" if text.endswith("\n") else "\n"
    return _decode(row, text + row.codec.action(line, row.program))


_POLICIES: Mapping[Policy, RowTrust] = {
    "none": lambda row: CONFIRMED,
    "all": lambda row: CONTRADICTED,
    "random": trust_by_chance,
    "branch": trust_by_branch,
    "illegal": trust_by_legality,
    "likelihood": trust_by_likelihood,
    "checks": trust_by_checks,
    "trust": trust_by_checks_and_likelihood,
}
