"""The JSON documents have exactly the keys that viewer/src/api declares."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tests.support.paths import PROJECT_ROOT
from worldline.analysis.stats import OddsRatio
from worldline.evaluation.metrics import OperationModel, measure_operations
from worldline.interfaces.viewer import build_report_document
from worldline.interfaces.viewer.diagnosed_run import DiagnosedRun
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.tokenizers import BytesTokenizer

_INTERFACE = re.compile(r"^export interface (\w+)(?: extends (\w+))? \{\n(.*?)^\}", re.M | re.S)
_FIELD = re.compile(r"^  (\w+)(\??): (.+);$", re.M)
_INLINE = re.compile(r"\{ (.*) \}")
_INLINE_FIELD = re.compile(r"(\w+): [^;]+")


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an interface: its type as text, and whether it may be missing."""

    type: str
    is_optional: bool


def read_interfaces() -> dict[str, dict[str, Field]]:
    folder = PROJECT_ROOT / "viewer" / "src" / "api"
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.ts")))
    interfaces: dict[str, dict[str, Field]] = {}
    for name, base, body in _INTERFACE.findall(text):
        fields = {field: Field(kind, bool(mark)) for field, mark, kind in _FIELD.findall(body)}
        interfaces[name] = interfaces.get(base, {}) | fields
    return interfaces


INTERFACES = read_interfaces()


def mismatches(value: Any, kind: str, path: str) -> Iterator[str]:
    """Paths at which the keys of a document differ from those of its TypeScript type."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from mismatches(item, kind, f"{path}[]")
    elif isinstance(value, Mapping):
        inline = _INLINE.search(kind)
        names = [name for name in re.findall(r"\w+", kind) if name in INTERFACES]
        if inline:
            fields = {name: Field("", False) for name in _INLINE_FIELD.findall(inline[1])}
        elif names:
            fields = INTERFACES[names[0]]
        else:
            assert "Record<" in kind, f"{path}: {kind} is not declared"
            return
        required = {name for name, field in fields.items() if not field.is_optional}
        if not required <= value.keys() <= fields.keys():
            yield f"{path}: {sorted(value)} instead of {sorted(fields)}"
        for name in value.keys() & fields.keys():
            yield from mismatches(value[name], fields[name].type, f"{path}.{name}")


def test_keys_of_the_report_are_declared(intervened_run: str, recorder: PythonRecorder) -> None:
    run = DiagnosedRun(intervened_run, recorder, tokenizer=BytesTokenizer())
    samples = [run.diagnose(name) for name in run.names]
    costs, operations = run.token_costs(samples), measure_operations(samples)
    # A model that few samples do not have.
    ratio = OddsRatio("int +", 0.5, 0.2, 0.9)
    model = OperationModel(90, 9, 30, "all other operations", (ratio,), (ratio,))
    operations = replace(operations, model=model)
    report, _ = build_report_document(
        [run, run], {intervened_run: costs}, {intervened_run: operations}
    )
    assert report["runs"][0]["operations"]["operations"]
    assert list(mismatches(report, "ReportDocument", "report")) == []


def test_keys_of_samples_are_declared(
    demo_run: str, intervened_run: str, scored_run: str, recorder: PythonRecorder
) -> None:
    for location in (demo_run, intervened_run, scored_run):
        run = DiagnosedRun(location, recorder, tokenizer=BytesTokenizer())
        for name in run.names:
            assert list(mismatches(run.document(name), "SampleDocument", name)) == []


def test_a_renamed_key_is_reported() -> None:
    share = {"correct": 1, "total": 2, "low": None, "high": None}
    (message,) = mismatches(share, "Share", "share")
    assert "'total'" in message
