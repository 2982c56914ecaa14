"""Python as a `Language`."""

from worldline.core.language import Language
from worldline.core.trace import python_syntax
from worldline.languages.python import cfg, python_values
from worldline.languages.python.recorder import PythonRecorder

PYTHON = Language(
    name="python",
    title="Python",
    suffixes=(".py",),
    highlighting="python",
    comment="#",
    value_notation="Python's repr",
    source=python_syntax,
    values=python_values,
    recorder=PythonRecorder,
    cfg=cfg,
    features=frozenset({"cfg", "rewrite", "operations", "explanations"}),
)
