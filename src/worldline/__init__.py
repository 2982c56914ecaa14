"""Worldline: a debugger for code world models.

from worldline import Program, PythonRecorder, diagnose_recorded
"""

from importlib.metadata import version

from worldline.align import Alignment, Divergence, align
from worldline.benchmarks import Benchmark, load_benchmark
from worldline.codecs import Codec, Decoded, codec_named
from worldline.diagnose import Cause, Diagnosis, Facts, Sample, diagnose, diagnosis_to_json
from worldline.errors import (
    CodecError,
    EngineError,
    InputError,
    ProgramError,
    RecorderError,
    SandboxError,
    TokenizerError,
    WorldlineError,
)
from worldline.measures import accuracy, breakdown, compare_runs
from worldline.predict import Prediction, make_prediction, read_recorded
from worldline.recorders import PythonRecorder, Recorder
from worldline.runs import (
    Judged,
    Run,
    diagnose_recorded,
    examine,
    query_runs,
    read_judged,
    read_run,
    sample_to_json,
)
from worldline.tokens import Tokenizer, load_tokenizer
from worldline.trace import Limits, Program, Step, Trace, trace_from_json, trace_to_json

__version__ = version("worldline")

__all__ = [
    "Alignment",
    "Benchmark",
    "Cause",
    "Codec",
    "CodecError",
    "Decoded",
    "Diagnosis",
    "Divergence",
    "EngineError",
    "Facts",
    "InputError",
    "Judged",
    "Limits",
    "Prediction",
    "Program",
    "ProgramError",
    "PythonRecorder",
    "Recorder",
    "RecorderError",
    "Run",
    "Sample",
    "SandboxError",
    "Step",
    "Tokenizer",
    "TokenizerError",
    "Trace",
    "WorldlineError",
    "__version__",
    "accuracy",
    "align",
    "breakdown",
    "codec_named",
    "compare_runs",
    "diagnose",
    "diagnose_recorded",
    "diagnosis_to_json",
    "examine",
    "load_benchmark",
    "load_tokenizer",
    "make_prediction",
    "query_runs",
    "read_judged",
    "read_recorded",
    "read_run",
    "sample_to_json",
    "trace_from_json",
    "trace_to_json",
]
