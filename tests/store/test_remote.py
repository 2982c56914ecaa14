"""A run in a remote store, on a real S3 API: moto's server, on this machine."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from moto.server import ThreadedMotoServer

from tests.pipeline.rows import ids, row, trace, write
from tests.runs.samples import fill, knowing_engine, questions
from worldline.errors import InputError
from worldline.pipeline import DEFAULT_LIMITS
from worldline.recorders import PythonRecorder
from worldline.runs import (
    is_run,
    query_runs,
    read_judged,
    read_manifest,
    read_predictions,
)
from worldline.runs import run as run_module
from worldline.store import compact_store, part_files, place_of, read_traces
from worldline.trace import Program


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a folder in an empty bucket; `{}` stands for its name."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    where = (
        f"?endpoint_override={host}:{port}&scheme=http&region=us-east-1&allow_bucket_creation=true"
    )
    place_of(f"s3://runs{where}").filesystem.create_dir("runs")
    yield f"s3://runs/{{}}{where}"
    server.stop()


def test_a_remote_run_is_made_gone_on_with_queried_and_begun_anew(
    bucket: str, recorder: PythonRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "PART_ROWS", 2)
    address = bucket.format("sums")
    asked = questions(5)
    make = knowing_engine(recorder, asked)
    assert not is_run(address)
    fill(address, asked[:3], make, recorder)
    assert is_run(address)
    assert len(part_files(place_of(address))) == 2
    assert len(fill(address, asked, make, recorder)) == 2
    assert fill(address, asked, make, recorder) == []
    assert read_manifest(address).benchmark == "sums"
    assert sorted(p.id for p in read_predictions(address)) == [f"s{n}" for n in range(5)]
    assert {row.verdict for row in read_judged(address)} == {"right"}
    sql = "select run, verdict, sum(number) from samples group by all"
    assert query_runs([address], sql).rows == (("sums", "right", 10),)
    with run_module.Run(address, is_restarted=True):
        pass
    assert not is_run(address)
    assert part_files(place_of(address)) == []


def test_what_was_open_when_killed_is_found_again(bucket: str, recorder: PythonRecorder) -> None:
    address = bucket.format("sums")
    asked = questions(3)
    make = knowing_engine(recorder, asked)
    killed = run_module.Run(address)
    from tests.runs.samples import is_expected, manifest_of
    from worldline.runs import ask_into

    rows = ask_into(killed, asked, make, recorder, manifest_of(), is_right=is_expected)
    first = next(rows)
    rows.close()
    # As if killed here: nothing is sealed.
    killed._journal.close()
    killed._lock.let_go()
    assert part_files(place_of(address)) == []
    assert read_judged(address) == [first]
    assert len(fill(address, asked, make, recorder)) == 2
    assert len(read_judged(address)) == 3


def test_a_store_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    assert "AWS_PROFILE" not in os.environ
    with pytest.raises(InputError, match=r"manifest\.json in s3://none/run"):
        is_run("s3://none/run?endpoint_override=127.0.0.1:9&scheme=http&region=us-east-1")


def test_a_remote_store_of_traces_is_made_gone_on_with_read_and_compacted(
    bucket: str, recorder: PythonRecorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worldline.generate.excluded.BENCHMARKS", {})
    address = bucket.format("traces")
    rows = [row(n) for n in range(12)]
    write(tmp_path / "a.jsonl", rows)
    words = (tmp_path / "a.jsonl", "-o", address, "--shard", 5)
    first = trace(*words, "--rank", 1, "--world-size", 2)
    assert first.exit_code == 0, first.output
    assert len(ids(address)) == 5
    assert "12 programs in 3 shards; 5 were done already" in trace(*words).output
    traces = [recorder.record(Program(r["code"], r["call"]), limits=DEFAULT_LIMITS) for r in rows]
    assert [trace for _, trace in read_traces(address)] == traces
    assert "other settings" in trace(*words, "--once").output
    compact_store(address, bucket.format("compacted"))
    assert list(read_traces(bucket.format("compacted"))) == list(read_traces(address))
    # Programs in a remote store, too.
    place_of(bucket.format("in")).write("a.jsonl", (tmp_path / "a.jsonl").read_bytes())
    again = trace(bucket.format("in"), "-o", tmp_path / "s", "--shard", 5)
    assert ids(tmp_path / "s") == [r["id"] for r in rows], again.output
