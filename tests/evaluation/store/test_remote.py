"""Runs and traces in a remote store, on moto's S3 server on this machine."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from moto.server import ThreadedMotoServer

from tests.data.tracing.rows import ids, row, trace, write
from tests.evaluation.runs.samples import fill, is_expected, knowing_engine, questions
from tests.support.paths import PROJECT_ROOT
from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.data.tracing import DEFAULT_LIMITS
from worldline.evaluation.runs import (
    COLUMNS,
    evaluate_into_run,
    find_runs,
    import_predictions,
    is_run,
    query_runs,
    read_manifest,
    read_predictions,
    read_scored_samples,
)
from worldline.evaluation.runs import run_writer as run_module
from worldline.evaluation.store import compact_store, open_location, part_files, read_traces
from worldline.languages.python.recorder import PythonRecorder

# A run in format 1; see tests/evaluation/runs/test_legacy.py.
OLD = PROJECT_ROOT / "tests" / "evaluation" / "runs" / "data" / "run_v1"


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Address of a folder in an empty bucket; `{}` stands for its name."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    query = (
        f"?endpoint_override={host}:{port}&scheme=http&region=us-east-1&allow_bucket_creation=true"
    )
    open_location(f"s3://runs{query}").filesystem.create_dir("runs")
    yield f"s3://runs/{{}}{query}"
    server.stop()


def test_remote_run_is_created_resumed_queried_and_restarted(
    bucket: str, recorder: PythonRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "PART_ROWS", 2)
    address = bucket.format("sums")
    asked = questions(5)
    make = knowing_engine(recorder, asked)
    assert not is_run(address)
    fill(address, asked[:3], make, recorder)
    assert is_run(address)
    assert len(part_files(open_location(address))) == 2
    assert len(fill(address, asked, make, recorder)) == 2
    assert fill(address, asked, make, recorder) == []
    assert read_manifest(address).benchmark == "sums"
    assert sorted(p.id for p in read_predictions(address)) == [f"s{n}" for n in range(5)]
    assert {row.verdict for row in read_scored_samples(address)} == {"correct"}
    sql = "select run, verdict, sum(number) from samples group by all"
    assert query_runs([address], sql).rows == (("sums", "correct", 10),)
    with run_module.RunWriter(address, restart=True):
        pass
    assert not is_run(address)
    assert part_files(open_location(address)) == []


def test_remote_run_of_an_earlier_version_is_resumed_and_queried(
    bucket: str, recorder: PythonRecorder
) -> None:
    address = bucket.format("old")
    location = open_location(address)
    for path in OLD.rglob("*.parquet"):
        location.write(f"parts/{path.name}", path.read_bytes())
    location.write("manifest.json", (OLD / "manifest.json").read_bytes())
    predictions = [replace(p, id=f"new {p.id}") for p in read_predictions(OLD)]
    with run_module.RunWriter(address) as run:
        manifest = replace(read_manifest(address), sessions=())
        list(import_predictions(run, predictions, recorder, manifest, is_correct=is_expected))
    assert len(part_files(location)) == 2
    sql = """select outcome, count(*), count(output), count(distinct completed_at) > 1
        from samples where outcome = 'reference_mismatch' group by all"""
    assert query_runs([address], sql).rows == (("reference_mismatch", 2, 2, True),)
    names = query_runs([address], "select * from samples").columns
    assert set(names) == {"run", *(column.name for column in COLUMNS)}


def test_open_rows_of_a_killed_remote_run_are_read_and_resumed(
    bucket: str, recorder: PythonRecorder
) -> None:
    address = bucket.format("sums")
    asked = questions(3)
    make = knowing_engine(recorder, asked)
    killed = run_module.RunWriter(address)
    from tests.evaluation.runs.samples import manifest_of

    rows = evaluate_into_run(killed, asked, make, recorder, manifest_of(), is_correct=is_expected)
    first = next(rows)
    rows.close()
    # As if killed: the open rows are not written to a part.
    killed._journal.close()
    killed._lock.release()
    assert part_files(open_location(address)) == []
    assert read_scored_samples(address) == [first]
    assert len(fill(address, asked, make, recorder)) == 2
    assert len(read_scored_samples(address)) == 3


def test_error_names_a_remote_store_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    assert "AWS_PROFILE" not in os.environ
    with pytest.raises(InputError, match=r"manifest\.json in s3://none/run"):
        is_run("s3://none/run?endpoint_override=127.0.0.1:9&scheme=http&region=us-east-1")


def test_remote_store_of_traces_is_created_resumed_read_and_compacted(
    bucket: str, recorder: PythonRecorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worldline.data.generation.decontamination.BENCHMARKS", {})
    address = bucket.format("traces")
    rows = [row(n) for n in range(12)]
    write(tmp_path / "a.jsonl", rows)
    words = (tmp_path / "a.jsonl", "-o", address, "--shard", 5)
    first = trace(*words, "--rank", 1, "--world-size", 2)
    assert first.exit_code == 0, first.output
    assert len(ids(address)) == 5
    assert "12 programs in 3 shards; 5 were done before" in trace(*words).output
    traces = [recorder.record(Program(r["code"], r["call"]), limits=DEFAULT_LIMITS) for r in rows]
    assert [trace for _, trace in read_traces(address)] == traces
    assert "different settings" in trace(*words, "--once").output
    compact_store(address, bucket.format("compacted"))
    assert list(read_traces(bucket.format("compacted"))) == list(read_traces(address))
    # The programs can be in a remote store, too.
    open_location(bucket.format("in")).write("a.jsonl", (tmp_path / "a.jsonl").read_bytes())
    again = trace(bucket.format("in"), "-o", tmp_path / "s", "--shard", 5)
    assert ids(tmp_path / "s") == [r["id"] for r in rows], again.output


def test_runs_of_a_remote_folder_are_listed(bucket: str) -> None:
    for run in ("sft/checkpoint-100", "base", "base/interventions/patch", ".hidden/run"):
        open_location(bucket.format(f"project/{run}")).write("manifest.json", b"{}")
    open_location(bucket.format("projects/other")).write("manifest.json", b"{}")
    assert find_runs(bucket.format("project")) == ["base", "sft/checkpoint-100"]
    assert find_runs(bucket.format("project/base")) == [""]
    assert find_runs(bucket.format("nothing")) == []
