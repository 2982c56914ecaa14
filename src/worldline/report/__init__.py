"""What people read: tables, lines and pages made from diagnoses and traces."""

from worldline.report.accuracy import accuracy_lines, accuracy_to_json, breakdown_table, pass_line
from worldline.report.compare import (
    comparison_headline,
    comparison_notes,
    comparison_story,
    comparison_to_json,
    settings_lines,
    where_note,
)
from worldline.report.composition import composition_tables
from worldline.report.engines import engine_lines, engine_to_json
from worldline.report.facts import told_facts, told_story
from worldline.report.horizon import horizon_tables
from worldline.report.interventions import (
    attempt_lines,
    fix_lines,
    intervention_tables,
    interventions_to_json,
    told_attempts,
)
from worldline.report.lanes import is_same_step, step_tells, still_wrong
from worldline.report.recording import ending_text, trace_lines
from worldline.report.runs import run_lines
from worldline.report.scores import own_choice_text, score_lines, scored_lines
from worldline.report.sidebyside import side_by_side
from worldline.report.summary import (
    KINDS,
    WHERES,
    Summary,
    summarize,
    summarize_run,
    summary_to_json,
)
from worldline.report.terminal import sample_lines, summary_tables
from worldline.report.tokens import token_tables, tokens_to_json

__all__ = [
    "KINDS",
    "WHERES",
    "Summary",
    "accuracy_lines",
    "accuracy_to_json",
    "attempt_lines",
    "breakdown_table",
    "comparison_headline",
    "comparison_notes",
    "comparison_story",
    "comparison_to_json",
    "composition_tables",
    "ending_text",
    "engine_lines",
    "engine_to_json",
    "fix_lines",
    "horizon_tables",
    "intervention_tables",
    "interventions_to_json",
    "is_same_step",
    "own_choice_text",
    "pass_line",
    "run_lines",
    "sample_lines",
    "score_lines",
    "scored_lines",
    "settings_lines",
    "side_by_side",
    "step_tells",
    "still_wrong",
    "summarize",
    "summarize_run",
    "summary_tables",
    "summary_to_json",
    "token_tables",
    "tokens_to_json",
    "told_attempts",
    "told_facts",
    "told_story",
    "trace_lines",
    "where_note",
]
