"""Worldline: a debugger for code world models.

Everything listed in `__all__` is imported when it is first used.

Examples:
    >>> import worldline as wl
    >>> wl.record("def f(x):\\n    return x + 1\\n", "f(1)").result
    '2'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from worldline.core.display import register_html_loader

if TYPE_CHECKING:
    from worldline.analysis.alignment import Alignment, Divergence, align
    from worldline.analysis.choices import (
        Belief,
        Distribution,
        DistributionScore,
        ImpossibleObservationsError,
        Possibility,
        StatedScore,
        find_possibility,
        score_predictions,
        score_stated,
    )
    from worldline.analysis.diagnosis import Cause, Diagnosis, Facts, Sample, diagnosis_to_json
    from worldline.analysis.explanations import Explanation, ExplanationSearch
    from worldline.analysis.trust import Trust, TrustModel, trust_signals
    from worldline.core.errors import (
        CodecError,
        CostLimitError,
        EngineError,
        ExpressionError,
        InputError,
        MalformedRepliesError,
        ProgramError,
        RecorderError,
        SandboxError,
        TokenizerError,
        WorldlineError,
    )
    from worldline.core.language import Language, get_language
    from worldline.core.trace import (
        AssumedCall,
        Assumptions,
        Choice,
        Limits,
        Program,
        Step,
        Trace,
        trace_from_json,
        trace_to_json,
    )
    from worldline.data.curriculum import Curriculum
    from worldline.data.generation import generate_programs
    from worldline.data.harvest import harvest_programs
    from worldline.evaluation.benchmarks import Benchmark, load_benchmark
    from worldline.evaluation.metrics import (
        Accuracy,
        ExecutionPoint,
        GateResult,
        Leaderboard,
        OnDemandResults,
        OperationModel,
        OperationRate,
        OperationResults,
        RunComparison,
        TrustResults,
        accuracy,
        accuracy_by_group,
        compare_runs,
        measure_operations,
    )
    from worldline.evaluation.rank import (
        Candidate,
        CandidateProblem,
        RankResults,
        read_candidate_problems,
    )
    from worldline.evaluation.runs import (
        ScoredSample,
        assess_predictions,
        diagnose_file,
        execute_and_diagnose,
        load_trust_model,
        query_runs,
        read_run,
        read_scored_samples,
        sample_to_json,
        save_trust_model,
    )
    from worldline.interfaces.api.assumed_execution import replay_assumptions, run_with_assumptions
    from worldline.interfaces.api.candidate_ranking import rank_candidates
    from worldline.interfaces.api.choice_replay import replay
    from worldline.interfaces.api.comparing import check_gate, leaderboard, write_leaderboard
    from worldline.interfaces.api.costing import estimate_cost
    from worldline.interfaces.api.curriculum_choice import choose_curriculum
    from worldline.interfaces.api.diagnosing import diagnose
    from worldline.interfaces.api.engine_handle import EngineHandle, load_engine
    from worldline.interfaces.api.evaluating import compare, evaluate
    from worldline.interfaces.api.execution_curves import execution_curve, measure_on_demand
    from worldline.interfaces.api.explaining import explain
    from worldline.interfaces.api.hidden_belief import belief
    from worldline.interfaces.api.improving import Improvement, improve
    from worldline.interfaces.api.predicting import predict
    from worldline.interfaces.api.recording import record
    from worldline.interfaces.api.result_distribution import distribution
    from worldline.interfaces.api.run import Run, view_project
    from worldline.interfaces.api.schedule_outcomes import schedules
    from worldline.interfaces.api.trusting import fit_trust, measure_trust
    from worldline.interfaces.dap import serve_debug_adapter
    from worldline.languages.control_flow import CfgSimulator, build_cfg
    from worldline.languages.program_recorder import ProgramRecorder
    from worldline.languages.python.recorder import PythonRecorder, Recorder
    from worldline.languages.python.rewrite import rewrite_expressions, rewrite_strings
    from worldline.models.codecs import Codec, Decoded, get_codec
    from worldline.models.engines import Engine
    from worldline.models.hybrid import HybridExecution, HybridSettings
    from worldline.models.prediction import (
        CostEstimate,
        CostLimit,
        Prediction,
        PredictionSettings,
        Prices,
        Question,
        make_prediction,
        read_prediction_file,
        suggest_codec,
    )
    from worldline.models.tokenizers import Tokenizer, load_tokenizer

    __version__: str

_MODULES = {
    "analysis.alignment": ("Alignment", "Divergence", "align"),
    "analysis.choices": (
        "Belief",
        "Distribution",
        "DistributionScore",
        "ImpossibleObservationsError",
        "Possibility",
        "StatedScore",
        "find_possibility",
        "score_predictions",
        "score_stated",
    ),
    "analysis.diagnosis": ("Cause", "Diagnosis", "Facts", "Sample", "diagnosis_to_json"),
    "analysis.explanations": ("Explanation", "ExplanationSearch"),
    "analysis.trust": ("Trust", "TrustModel", "trust_signals"),
    "core.errors": (
        "CodecError",
        "CostLimitError",
        "EngineError",
        "ExpressionError",
        "InputError",
        "MalformedRepliesError",
        "ProgramError",
        "RecorderError",
        "SandboxError",
        "TokenizerError",
        "WorldlineError",
    ),
    "core.language": ("Language", "get_language"),
    "core.trace": (
        "AssumedCall",
        "Assumptions",
        "Choice",
        "Limits",
        "Program",
        "Step",
        "Trace",
        "trace_from_json",
        "trace_to_json",
    ),
    "data.curriculum": ("Curriculum",),
    "data.generation": ("generate_programs",),
    "data.harvest": ("harvest_programs",),
    "evaluation.benchmarks": ("Benchmark", "load_benchmark"),
    "evaluation.metrics": (
        "Accuracy",
        "ExecutionPoint",
        "GateResult",
        "Leaderboard",
        "OnDemandResults",
        "OperationModel",
        "OperationRate",
        "OperationResults",
        "RunComparison",
        "TrustResults",
        "accuracy",
        "accuracy_by_group",
        "compare_runs",
        "measure_operations",
    ),
    "evaluation.rank": (
        "Candidate",
        "CandidateProblem",
        "RankResults",
        "read_candidate_problems",
    ),
    "evaluation.runs": (
        "ScoredSample",
        "assess_predictions",
        "diagnose_file",
        "execute_and_diagnose",
        "load_trust_model",
        "query_runs",
        "read_run",
        "read_scored_samples",
        "sample_to_json",
        "save_trust_model",
    ),
    "interfaces.api.candidate_ranking": ("rank_candidates",),
    "interfaces.api.choice_replay": ("replay",),
    "interfaces.api.curriculum_choice": ("choose_curriculum",),
    "interfaces.api.comparing": ("check_gate", "leaderboard", "write_leaderboard"),
    "interfaces.api.costing": ("estimate_cost",),
    "interfaces.api.diagnosing": ("diagnose",),
    "interfaces.api.evaluating": ("compare", "evaluate"),
    "interfaces.api.engine_handle": ("EngineHandle", "load_engine"),
    "interfaces.api.execution_curves": ("execution_curve", "measure_on_demand"),
    "interfaces.api.explaining": ("explain",),
    "interfaces.api.hidden_belief": ("belief",),
    "interfaces.api.assumed_execution": ("replay_assumptions", "run_with_assumptions"),
    "interfaces.api.improving": ("Improvement", "improve"),
    "interfaces.api.predicting": ("predict",),
    "interfaces.api.recording": ("record",),
    "interfaces.api.result_distribution": ("distribution",),
    "interfaces.api.run": ("Run", "view_project"),
    "interfaces.api.schedule_outcomes": ("schedules",),
    "interfaces.api.trusting": ("fit_trust", "measure_trust"),
    "interfaces.dap": ("serve_debug_adapter",),
    "languages.control_flow": ("CfgSimulator", "build_cfg"),
    "languages.program_recorder": ("ProgramRecorder",),
    "languages.python.recorder": ("PythonRecorder", "Recorder"),
    "languages.python.rewrite": ("rewrite_expressions", "rewrite_strings"),
    "models.codecs": ("Codec", "Decoded", "get_codec"),
    "models.engines": ("Engine",),
    "models.hybrid": ("HybridExecution", "HybridSettings"),
    "models.prediction": (
        "CostEstimate",
        "CostLimit",
        "Prediction",
        "PredictionSettings",
        "Prices",
        "Question",
        "make_prediction",
        "read_prediction_file",
        "suggest_codec",
    ),
    "models.tokenizers": ("Tokenizer", "load_tokenizer"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Accuracy",
    "Alignment",
    "AssumedCall",
    "Assumptions",
    "Belief",
    "Benchmark",
    "Candidate",
    "CandidateProblem",
    "Cause",
    "CfgSimulator",
    "Choice",
    "Codec",
    "CodecError",
    "CostEstimate",
    "CostLimit",
    "CostLimitError",
    "Curriculum",
    "Decoded",
    "Diagnosis",
    "Distribution",
    "DistributionScore",
    "Divergence",
    "Engine",
    "EngineError",
    "EngineHandle",
    "ExecutionPoint",
    "Explanation",
    "ExplanationSearch",
    "ExpressionError",
    "Facts",
    "GateResult",
    "HybridExecution",
    "HybridSettings",
    "ImpossibleObservationsError",
    "Improvement",
    "InputError",
    "Language",
    "Leaderboard",
    "Limits",
    "MalformedRepliesError",
    "OnDemandResults",
    "OperationModel",
    "OperationRate",
    "OperationResults",
    "Possibility",
    "Prediction",
    "PredictionSettings",
    "Prices",
    "Program",
    "ProgramError",
    "ProgramRecorder",
    "PythonRecorder",
    "Question",
    "RankResults",
    "Recorder",
    "RecorderError",
    "Run",
    "RunComparison",
    "Sample",
    "SandboxError",
    "ScoredSample",
    "StatedScore",
    "Step",
    "Tokenizer",
    "TokenizerError",
    "Trace",
    "Trust",
    "TrustModel",
    "TrustResults",
    "WorldlineError",
    "__version__",
    "accuracy",
    "accuracy_by_group",
    "align",
    "assess_predictions",
    "belief",
    "build_cfg",
    "check_gate",
    "choose_curriculum",
    "compare",
    "compare_runs",
    "diagnose",
    "diagnose_file",
    "diagnosis_to_json",
    "distribution",
    "estimate_cost",
    "evaluate",
    "execute_and_diagnose",
    "execution_curve",
    "explain",
    "find_possibility",
    "fit_trust",
    "generate_programs",
    "get_codec",
    "get_language",
    "harvest_programs",
    "improve",
    "leaderboard",
    "load_benchmark",
    "load_engine",
    "load_tokenizer",
    "load_trust_model",
    "make_prediction",
    "measure_on_demand",
    "measure_operations",
    "measure_trust",
    "predict",
    "query_runs",
    "rank_candidates",
    "read_candidate_problems",
    "read_prediction_file",
    "read_run",
    "read_scored_samples",
    "record",
    "replay",
    "replay_assumptions",
    "rewrite_expressions",
    "rewrite_strings",
    "run_with_assumptions",
    "sample_to_json",
    "save_trust_model",
    "schedules",
    "score_predictions",
    "score_stated",
    "serve_debug_adapter",
    "suggest_codec",
    "trace_from_json",
    "trace_to_json",
    "trust_signals",
    "view_project",
    "write_leaderboard",
]


# Notebooks draw objects with this module; it is imported when the first one is drawn.
register_html_loader(lambda: import_module("worldline.interfaces.notebook"))


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("worldline")
    elif name == "rewards":
        value = import_module("worldline.rewards")
    elif name in _MODULE_OF:
        value = getattr(import_module(f"worldline.{_MODULE_OF[name]}"), name)
    else:
        raise AttributeError(f"module 'worldline' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
