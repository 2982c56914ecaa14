"""Export: every complete trace once, in order, the same with any number of processes."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.data.export.small_exports import LOOP, exported, rows_of, stored
from worldline.core.errors import CodecError, InputError, TokenizerError
from worldline.core.trace import Limits, Program
from worldline.data.export import EXAMPLE_COLUMNS, ExportSettings, export_traces
from worldline.evaluation.store import (
    TRACE_COLUMNS,
    StoredTrace,
    open_location,
    trace_to_row,
    write_part,
    write_traces,
)
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import STEP_CODECS, StepCodec
from worldline.models.tokenizers import train_tokenizer

pytest.importorskip("tokenizers")
CWM = STEP_CODECS["cwm"]
SPECIALS = [
    str(special) for special in sorted(CWM.special_tokens, key=CWM.special_tokens.__getitem__)
]


@pytest.fixture
def parts(tmp_path: Path, recorder: PythonRecorder) -> Path:
    """Traces in three parts; nothing in the second one can be exported."""
    traces = stored(recorder)
    endless = recorder.record(
        Program("def f():\n    while True:\n        pass\n", "f()"), limits=Limits(steps=20)
    )
    module = recorder.record(Program("x = 1\n"))
    odd = [StoredTrace("endless", endless), StoredTrace("module", module)]
    location = open_location(tmp_path / "parts")
    for name, part in (("0", traces[:4]), ("4", odd), ("6", traces[4:])):
        write_part(location, TRACE_COLUMNS, [trace_to_row(item) for item in part], name=name)
    return tmp_path / "parts"


@pytest.mark.parametrize("codec", STEP_CODECS.values(), ids=STEP_CODECS)
def test_rows_are_the_complete_traces_in_order(
    codec: StepCodec, tmp_path: Path, parts: Path, recorder: PythonRecorder
) -> None:
    summary = export_traces(parts, tmp_path / "e", ExportSettings(codec.name, "bytes"))
    rows = rows_of(tmp_path / "e")
    assert [row["id"] for row in rows] == [f"p{n}" for n in range(7)]
    assert list(rows[0]) == [column.name for column in EXAMPLE_COLUMNS]
    for row, item in zip(rows, stored(recorder), strict=True):
        assert row["completion"] == "".join(codec.encode(item.trace))
        assert row["program_hash"] == item.trace.program.hash
        assert json.loads(row["facets"]) == item.facets
        assert row["prompt_tokens"] + row["completion_tokens"] == len(row["input_ids"])
        # One token per byte, and one per special token.
        segments = (*codec.prompt(item.trace.program), *codec.encode(item.trace))
        assert len(row["input_ids"]) == sum(
            1 if segment in codec.special_tokens else len(segment.encode()) for segment in segments
        )
    assert summary.left_out == {
        "incomplete: step limit": 1,
        f"the {codec.name} format cannot express it": 1,
    }
    assert (summary.traces, summary.examples) == (9, 7)
    assert summary.files == tuple(f"data/train-0000{n}-of-00002.parquet" for n in range(2))


def test_the_summary_adds_up(tmp_path: Path, parts: Path) -> None:
    summary = export_traces(parts, tmp_path / "e", ExportSettings(tokenizer="bpe:300"))
    rows = rows_of(tmp_path / "e")
    assert summary.tokens == sum(len(row["input_ids"]) for row in rows)
    assert summary.prompt_tokens == sum(row["prompt_tokens"] for row in rows)
    assert summary.action_tokens == sum(sum(row["action_mask"]) for row in rows)
    assert summary.state_tokens == sum(sum(row["state_mask"]) for row in rows)
    assert summary.steps == sum(row["steps"] for row in rows)
    assert summary.lengths.longest == max(len(row["input_ids"]) for row in rows)
    assert [packing.budget for packing in summary.packing] == [2048, 8192, 32768]
    stored_summary = json.loads((tmp_path / "e" / "export.json").read_text(encoding="utf-8"))
    assert stored_summary["left_out"] == summary.left_out
    assert stored_summary["examples"] == len(rows)


def test_data_card_describes_the_export(tmp_path: Path, parts: Path) -> None:
    settings = ExportSettings(tokenizer="bpe:300", loss="states", max_tokens=600)
    summary = export_traces(parts, tmp_path / "e", settings)
    card = (tmp_path / "e" / "README.md").read_text(encoding="utf-8")
    assert card.startswith("---\npretty_name:")
    assert "path: data/train-*.parquet" in card
    for text in (
        f"{summary.examples:,} examples of 9 traces",
        "`bpe:300`, trained on these traces",
        "loss on states only",
        "- 1: incomplete: step limit",
        "longer than 600 tokens",
        *(f"| `{column.name}` |" for column in EXAMPLE_COLUMNS),
    ):
        assert text in card


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_export_is_identical_with_one_or_two_processes(tmp_path: Path, parts: Path) -> None:
    settings = ExportSettings(tokenizer="bpe:300")
    export_traces(parts, tmp_path / "one", settings)
    export_traces(parts, tmp_path / "two", settings, workers=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_examples_longer_than_max_tokens_are_left_out(tmp_path: Path, parts: Path) -> None:
    every = export_traces(parts, tmp_path / "all", ExportSettings(tokenizer="bytes"))
    lengths = Counter(len(row["input_ids"]) for row in rows_of(tmp_path / "all"))
    limit = sorted(lengths)[2]
    settings = ExportSettings(tokenizer="bytes", max_tokens=limit)
    few = export_traces(parts, tmp_path / "few", settings)
    longer = sum(count for length, count in lengths.items() if length > limit)
    assert few.left_out[f"longer than {limit:,} tokens"] == longer > 0
    assert few.examples == every.examples - longer


def test_export_is_replaced_only_with_restart(tmp_path: Path, parts: Path) -> None:
    settings = ExportSettings(tokenizer="bytes")
    export_traces(parts, tmp_path / "e", settings)
    before = contents(tmp_path / "e")
    with pytest.raises(
        InputError, match=r"already exists; choose a different folder with -o, or replace"
    ):
        export_traces(parts, tmp_path / "e", settings)
    assert contents(tmp_path / "e") == before
    export_traces(parts, tmp_path / "e", ExportSettings(tokenizer="bpe:300"), restart=True)
    assert contents(tmp_path / "e") != before
    (tmp_path / "mine").mkdir()
    with pytest.raises(InputError, match="is not an export"):
        export_traces(parts, tmp_path / "mine", settings, restart=True)
    (tmp_path / "e" / "checkpoint").mkdir()
    with pytest.raises(InputError, match="contains 'checkpoint', and is not replaced"):
        export_traces(parts, tmp_path / "e", settings, restart=True)
    assert (tmp_path / "e" / "checkpoint").exists()


@pytest.mark.parametrize("text", ["", "[]", '{"codec": "cwm"}', "no JSON"])
def test_a_folder_with_another_export_json_is_not_replaced(
    tmp_path: Path, parts: Path, text: str
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "export.json").write_text(text, encoding="utf-8")
    before = contents(tmp_path / "mine")
    with pytest.raises(InputError, match="is not an export, and is not replaced"):
        export_traces(parts, tmp_path / "mine", ExportSettings(tokenizer="bytes"), restart=True)
    assert contents(tmp_path / "mine") == before


@pytest.mark.parametrize("error", [OSError("no room"), KeyboardInterrupt()])
def test_old_export_stays_if_replacing_it_fails(
    tmp_path: Path, parts: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    export_traces(parts, tmp_path / "e", ExportSettings(tokenizer="bytes"))
    before = contents(tmp_path / "e")
    rename = Path.rename

    def failing(path: Path, target: Path) -> Path:
        if target == tmp_path / "e" and not path.name.endswith("-old"):
            raise error
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises((InputError, KeyboardInterrupt)):
        export_traces(parts, tmp_path / "e", ExportSettings(tokenizer="bpe:300"), restart=True)
    assert contents(tmp_path / "e") == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["e", "parts"]


def test_failed_export_leaves_no_files(
    tmp_path: Path, parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise InputError("no room")

    monkeypatch.setattr("worldline.data.export.exporter.card_text", fail)
    with pytest.raises(InputError, match="no room"):
        export_traces(parts, tmp_path / "e", ExportSettings(tokenizer="bytes"))
    assert [path.name for path in tmp_path.iterdir()] == ["parts"]


def test_given_tokenizer_is_copied_and_used(
    tmp_path: Path, parts: Path, recorder: PythonRecorder
) -> None:
    path = train_tokenizer([LOOP] * 9, tmp_path / "v", size=300, special_tokens=SPECIALS)
    export_traces(parts, tmp_path / "e", ExportSettings(tokenizer=str(path)))
    assert contents(tmp_path / "e" / "tokenizer") == contents(tmp_path / "v")
    (tmp_path / "v" / "tokenizer_config.json").unlink()
    shutil.rmtree(tmp_path / "e")
    export_traces(parts, tmp_path / "e", ExportSettings(tokenizer=str(path)))
    assert contents(tmp_path / "e" / "tokenizer") == contents(tmp_path / "v")


@pytest.mark.parametrize("name", ["morse", "bpe:", "bpe:many", "bpe:100"])
def test_unknown_tokenizer_is_refused(tmp_path: Path, parts: Path, name: str) -> None:
    with pytest.raises(TokenizerError, match=r"give llama3, the path|has no room for 256 bytes"):
        export_traces(parts, tmp_path / "e", ExportSettings(tokenizer=name))
    assert not (tmp_path / "e").exists()


def test_codec_without_steps_is_refused(tmp_path: Path, parts: Path) -> None:
    with pytest.raises(CodecError, match="no codec 'chat' that writes steps; available: cwm"):
        export_traces(parts, tmp_path / "e", ExportSettings(codec="chat"))


def test_error_says_why_nothing_can_be_exported(tmp_path: Path, recorder: PythonRecorder) -> None:
    trace = recorder.record(Program("def f(:\n", "f()"))
    write_traces(tmp_path / "t", [StoredTrace("a", trace)])
    with pytest.raises(InputError, match="can be exported: 1 incomplete: not loaded"):
        export_traces(tmp_path / "t", tmp_path / "e", ExportSettings(tokenizer="bytes"))


def test_hugging_face_loads_the_export(
    tmp_path: Path, recorder: PythonRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    rows = exported(tmp_path, stored(recorder), tokenizer="bytes")
    cache = str(tmp_path / "cache")
    files = str(tmp_path / "export" / "data" / "train-*.parquet")
    loaded = datasets.load_dataset("parquet", data_files=files, cache_dir=cache, split="train")
    assert loaded.to_list() == rows
    whole = datasets.load_dataset(str(tmp_path / "export"), cache_dir=cache)
    assert list(whole) == ["train"]
    assert whole["train"].to_list() == rows
    streamed = datasets.load_dataset(str(tmp_path / "export"), streaming=True, split="train")
    assert list(streamed) == rows
