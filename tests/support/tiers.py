"""Which tests `scripts/test fast`, `scripts/test` and `scripts/test all` run.

`scripts/test --durations=0` shows where the time goes.
"""

# Folder of the tests on real servers of models.
LIVE = "tests/live/"
# Tests that look for leaks and races for long: only in `scripts/test all`.
ENDURANCE = (
    "tests/data/tracing/test_ray.py",
    "tests/evaluation/runs/test_run_kills.py",
    "tests/languages/recorder/test_address_sanitizer.py",
    "tests/languages/sandbox/test_levels.py",
)
# Files and folders that take more than a few seconds: not in `scripts/test fast`.
SLOW = (
    *ENDURANCE,
    "tests/analysis/alignment/test_alignment_by_codec.py",
    "tests/analysis/alignment/test_answer_equality.py",
    "tests/analysis/diagnosis/test_diagnosis_regressions.py",
    "tests/analysis/diagnosis/test_difficulty.py",
    "tests/analysis/explanations/test_catalogue.py",
    "tests/analysis/explanations/test_search.py",
    "tests/analysis/interventions/test_row_patch.py",
    "tests/analysis/stats/test_interval_coverage.py",
    "tests/analysis/stats/test_paired_differences.py",
    "tests/analysis/trust/test_step_checks.py",
    "tests/data/export/test_examples.py",
    "tests/data/export/test_export.py",
    "tests/data/export/test_trl.py",
    "tests/data/generation/test_generator.py",
    "tests/data/generation/test_levels.py",
    "tests/data/generation/test_program_file.py",
    "tests/data/generation/test_reproducibility.py",
    "tests/data/tracing/test_compaction.py",
    "tests/data/tracing/test_infra_errors.py",
    "tests/data/tracing/test_trace_command.py",
    "tests/data/training/test_train.py",
    "tests/docs/test_console_blocks.py",
    "tests/docs/test_site.py",
    "tests/end_to_end/test_attacks.py",
    "tests/end_to_end/test_cpp_commands.py",
    "tests/end_to_end/test_cruxeval.py",
    "tests/end_to_end/test_cwm32b.py",
    "tests/end_to_end/test_java_commands.py",
    "tests/end_to_end/test_operation_rates.py",
    "tests/evaluation/benchmarks/test_composition.py",
    "tests/evaluation/benchmarks/test_reproducibility.py",
    "tests/evaluation/metrics/test_comparison_coverage.py",
    "tests/evaluation/metrics/test_on_demand_results.py",
    "tests/evaluation/metrics/test_run_comparison.py",
    "tests/evaluation/rank/",
    "tests/evaluation/runs/test_run.py",
    "tests/evaluation/store/test_remote.py",
    "tests/evaluation/store/test_trace_rows.py",
    "tests/interfaces/api/test_api.py",
    "tests/interfaces/api/test_examples.py",
    "tests/interfaces/cli/test_bench.py",
    "tests/interfaces/cli/test_commands.py",
    "tests/interfaces/cli/test_cost_options.py",
    "tests/interfaces/cli/test_generate.py",
    "tests/interfaces/cli/test_options.py",
    "tests/interfaces/cli/test_predict.py",
    "tests/interfaces/cli/test_view.py",
    "tests/interfaces/mcp/test_hostile_calls.py",
    "tests/interfaces/mcp/test_tools.py",
    "tests/interfaces/mcp/test_transports.py",
    "tests/interfaces/viewer/",
    "tests/languages/batch_runner/",
    "tests/languages/cfg/test_cfg_against_traces.py",
    "tests/languages/cfg/test_simulator.py",
    "tests/languages/cfg/test_simulator_adversarial.py",
    "tests/languages/cpp/",
    "tests/languages/java/",
    "tests/languages/javascript/",
    "tests/languages/recorder/test_c_tracer.py",
    "tests/languages/recorder/test_c_tracer_regressions.py",
    "tests/languages/recorder/test_conformance.py",
    "tests/languages/recorder/test_hostile_programs.py",
    "tests/languages/recorder/test_threads_of_programs.py",
    "tests/languages/recorder/test_wheel.py",
    "tests/languages/rewrite/test_expression_order.py",
    "tests/languages/rewrite/test_expression_programs.py",
    "tests/languages/rewrite/test_string_functions.py",
    "tests/languages/rewrite/test_string_programs.py",
    "tests/languages/sandbox/test_attacks.py",
    "tests/languages/sandbox/test_containers.py",
    "tests/languages/sandbox/test_sandbox.py",
    "tests/models/codecs/test_properties.py",
    "tests/models/codecs/test_row_codecs.py",
    "tests/models/engines/test_openai_engine.py",
    "tests/models/engines/test_transformers_engine.py",
    "tests/models/hybrid/",
    "tests/models/prediction/test_prediction_modes.py",
    "tests/models/prediction/test_row_modes.py",
    "tests/models/prediction/test_server_faults.py",
    "tests/models/tokenizers/test_tokenizer.py",
    "tests/test_configurations.py",
    "tests/test_extras.py",
    "tests/test_other_platforms.py",
    "tests/test_python_314.py",
)


def tier_of(nodeid: str) -> str:
    """Name of the marker of a test: "live", "endurance", "slow", or "" for the fast ones."""
    file = nodeid.partition("::")[0]
    for name, paths in (("live", (LIVE,)), ("endurance", ENDURANCE), ("slow", SLOW)):
        if file.startswith(paths):
            return name
    return ""
