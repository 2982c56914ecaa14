"""Worldline: a debugger for code world models.

from worldline import Program, PythonRecorder, diagnose_recorded
"""

from importlib.metadata import version

from worldline.align import Alignment, Divergence, align
from worldline.codecs import Codec, Decoded, codec_named
from worldline.diagnose import Cause, Diagnosis, Facts, diagnose, diagnosis_to_json
from worldline.errors import (
    CodecError,
    EngineError,
    InputError,
    ProgramError,
    RecorderError,
    TokenizerError,
    WorldlineError,
)
from worldline.predict import Prediction, make_prediction, read_recorded
from worldline.recorders import PythonRecorder, Recorder
from worldline.runs import Sample, diagnose_recorded, examine, sample_to_json
from worldline.tokens import Tokenizer, load_tokenizer
from worldline.trace import Limits, Program, Step, Trace, trace_from_json, trace_to_json

__version__ = version("worldline")

__all__ = [
    "Alignment",
    "Cause",
    "Codec",
    "CodecError",
    "Decoded",
    "Diagnosis",
    "Divergence",
    "EngineError",
    "Facts",
    "InputError",
    "Limits",
    "Prediction",
    "Program",
    "ProgramError",
    "PythonRecorder",
    "Recorder",
    "RecorderError",
    "Sample",
    "Step",
    "Tokenizer",
    "TokenizerError",
    "Trace",
    "WorldlineError",
    "__version__",
    "align",
    "codec_named",
    "diagnose",
    "diagnose_recorded",
    "diagnosis_to_json",
    "examine",
    "load_tokenizer",
    "make_prediction",
    "read_recorded",
    "sample_to_json",
    "trace_from_json",
    "trace_to_json",
]
