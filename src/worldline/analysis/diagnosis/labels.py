"""Labels: the words shown to people for identifiers that code, columns and JSON use."""

from collections.abc import Mapping

LABELS: Mapping[str, str] = {
    # Verdicts and outcomes.
    "correct": "Correct",
    "incorrect": "Incorrect",
    "no_answer": "No answer",
    "truncated": "Truncated",
    "infra_error": "Infrastructure error",
    "diverged": "Diverged",
    "answer_mismatch": "Answer mismatch",
    "reference_mismatch": "Reference mismatch",
    "malformed": "Malformed",
    "empty_output": "Empty output",
    # Where a prediction diverges.
    "argument": "Argument",
    "state": "State",
    "action": "Action",
    "return": "Return value",
    "exception": "Exception",
    "end": "End",
    # How the executed line changed the value.
    "written": "Written by the line",
    "carried_over": "Carried over",
    "initial": "Initial value",
    # Action errors.
    "branch_misjudged": "Branch misjudged",
    "loop_left_early": "Loop left early",
    "loop_overrun": "Loop overrun",
    "line_hallucinated": "Line hallucinated",
    "line_invented": "Line invented",
    "call_skipped": "Call skipped",
    "call_invented": "Call invented",
    "wrong_call": "Wrong call",
    "returned_early": "Returned early",
    "return_missed": "Return missed",
    "exception_missed": "Exception missed",
    "exception_invented": "Exception invented",
    "stopped_early": "Stopped early",
    "continued_past_end": "Continued past the end",
    "unknown": "Unknown",
    # Causes.
    "answer_extraction": "Answer extraction",
    "wrong_reference": "Wrong reference",
    "runaway_repetition": "Runaway repetition",
    "steps_skipped": "Steps skipped",
    "steps_inserted": "Steps inserted",
    "steps_repeated": "Steps repeated",
    "self_contradiction": "Self-contradiction",
    "hallucinated_line": "Hallucinated line",
    "loop_miscounted": "Loop miscounted",
    "call_error": "Call error",
    "exception_error": "Exception error",
    "wrong_end": "Wrong end",
    "copy_error": "Copy error",
    "wrong_loop_item": "Wrong loop item",
    "mutation_while_iterating": "Mutation while iterating",
    "hidden_values": "Hidden values",
    "not_computable": "Not computable",
    "aliasing": "Aliasing",
    "hidden_state": "Hidden state",
    "negative_index": "Negative index",
    "character_slip": "Character slip",
    "string_semantics": "String semantics",
    # Of earlier versions.
    "string_handling": "String handling",
    "arithmetic": "Arithmetic",
    "comparison": "Comparison",
    "container_handling": "Container handling",
    "unexplained": "Unexplained",
    # Interventions, and what else confirms a cause.
    "resample": "Resample",
    "patch": "Patch",
    "guided": "Guided",
    "force-state": "Forced states",
    "force-actions": "Forced actions",
    "expressions-line": "One operation per line, diverging line",
    "expressions": "One operation per line, whole program",
    "strings-line": "Character by character, diverging line",
    "strings": "Character by character, whole program",
    "more-tokens": "More tokens",
    "execution": "Execution",
    # How re-convergence is named in tables.
    "reconverged": "Re-converged",
}


def label(identifier: str) -> str:
    """Return the words for an identifier; one that has none is returned as it is.

    "mutation_while_iterating" -> "Mutation while iterating"; "str" -> "str"
    """
    return LABELS.get(identifier, identifier)
