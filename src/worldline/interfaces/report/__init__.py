"""Reports for terminals: tables and lines of diagnoses, traces and runs."""

from worldline.interfaces.report.accuracy_text import (
    accuracy_lines,
    accuracy_to_json,
    breakdown_table,
    pass_line,
)
from worldline.interfaces.report.calibration_text import calibration_lines, calibration_to_json
from worldline.interfaces.report.comparison_text import (
    comparison_headline,
    comparison_story,
    comparison_to_json,
    groups_note,
    settings_lines,
)
from worldline.interfaces.report.composition_text import composition_tables
from worldline.interfaces.report.diagnosis_summary import (
    KINDS,
    WHERES,
    Summary,
    summarize,
    summarize_run,
    summary_to_json,
)
from worldline.interfaces.report.distribution_text import (
    belief_lines,
    distribution_lines,
    score_lines,
    stated_score_lines,
)
from worldline.interfaces.report.engine_text import engine_lines, engine_to_json
from worldline.interfaces.report.explanation_text import explanation_lines
from worldline.interfaces.report.gate_text import (
    comparison_markdown,
    gate_line,
    gate_to_json,
    gate_to_junit,
)
from worldline.interfaces.report.intervention_text import (
    attempt_lines,
    attempt_results,
    fix_lines,
    intervention_tables,
    interventions_to_json,
)
from worldline.interfaces.report.leaderboard_text import (
    leaderboard_notes,
    leaderboard_report,
    leaderboard_to_json,
)
from worldline.interfaces.report.number_format import natural_key
from worldline.interfaces.report.operation_text import operation_report, operations_to_json
from worldline.interfaces.report.outcome_tables import sample_lines, summary_tables
from worldline.interfaces.report.rank_text import rank_report, rank_to_json
from worldline.interfaces.report.run_header import run_lines
from worldline.interfaces.report.run_headline import headline
from worldline.interfaces.report.run_text import (
    RunResults,
    read_calibration,
    read_results,
    run_report,
    run_report_to_json,
)
from worldline.interfaces.report.sample_facts_text import fact_texts, story_text
from worldline.interfaces.report.sample_result import sample_text
from worldline.interfaces.report.schedule_text import schedule_lines
from worldline.interfaces.report.step_score_text import (
    one_step_accuracy_lines,
    own_choice_text,
    step_score_lines,
)
from worldline.interfaces.report.step_view import (
    StepPair,
    first_wrong_local,
    is_same_step,
    step_pairs,
    step_result_text,
)
from worldline.interfaces.report.survival_text import survival_tables
from worldline.interfaces.report.terminal import make_console, print_line, render_text
from worldline.interfaces.report.token_cost_text import token_tables, tokens_to_json
from worldline.interfaces.report.trace_listing import (
    assumption_lines,
    assumption_summary,
    choice_lines,
    ending_text,
    trace_lines,
)
from worldline.interfaces.report.trust_text import (
    trust_model_lines,
    trust_report,
    trust_results_to_json,
    trust_table,
    trust_to_json,
)
from worldline.interfaces.report.two_columns import side_by_side

__all__ = [
    "KINDS",
    "WHERES",
    "RunResults",
    "StepPair",
    "Summary",
    "accuracy_lines",
    "accuracy_to_json",
    "assumption_lines",
    "assumption_summary",
    "attempt_lines",
    "attempt_results",
    "belief_lines",
    "breakdown_table",
    "calibration_lines",
    "calibration_to_json",
    "choice_lines",
    "comparison_headline",
    "comparison_markdown",
    "comparison_story",
    "comparison_to_json",
    "composition_tables",
    "distribution_lines",
    "ending_text",
    "engine_lines",
    "engine_to_json",
    "explanation_lines",
    "fact_texts",
    "first_wrong_local",
    "fix_lines",
    "gate_line",
    "gate_to_json",
    "gate_to_junit",
    "groups_note",
    "headline",
    "intervention_tables",
    "interventions_to_json",
    "is_same_step",
    "leaderboard_notes",
    "leaderboard_report",
    "leaderboard_to_json",
    "make_console",
    "natural_key",
    "one_step_accuracy_lines",
    "operation_report",
    "operations_to_json",
    "own_choice_text",
    "pass_line",
    "print_line",
    "rank_report",
    "rank_to_json",
    "read_calibration",
    "read_results",
    "render_text",
    "run_lines",
    "run_report",
    "run_report_to_json",
    "sample_lines",
    "sample_text",
    "schedule_lines",
    "score_lines",
    "settings_lines",
    "side_by_side",
    "stated_score_lines",
    "step_pairs",
    "step_result_text",
    "step_score_lines",
    "story_text",
    "summarize",
    "summarize_run",
    "summary_tables",
    "summary_to_json",
    "survival_tables",
    "token_tables",
    "tokens_to_json",
    "trace_lines",
    "trust_model_lines",
    "trust_report",
    "trust_results_to_json",
    "trust_table",
    "trust_to_json",
]
