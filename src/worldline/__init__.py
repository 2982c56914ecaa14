"""Worldline: a debugger for code world models.

from worldline import Program, PythonRecorder, diagnose_recorded
"""

from importlib.metadata import version

from worldline.align import Alignment, Divergence, align
from worldline.codecs import codec_named
from worldline.diagnose import Diagnosis, diagnose
from worldline.errors import WorldlineError
from worldline.predict import Prediction, read_recorded
from worldline.recorders import PythonRecorder
from worldline.runs import Sample, diagnose_recorded
from worldline.tokens import load_tokenizer
from worldline.trace import Limits, Program, Step, Trace

__version__ = version("worldline")

__all__ = [
    "Alignment",
    "Diagnosis",
    "Divergence",
    "Limits",
    "Prediction",
    "Program",
    "PythonRecorder",
    "Sample",
    "Step",
    "Trace",
    "WorldlineError",
    "__version__",
    "align",
    "codec_named",
    "diagnose",
    "diagnose_recorded",
    "load_tokenizer",
    "read_recorded",
]
