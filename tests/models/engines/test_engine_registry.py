"""Registry of engines by name."""

import asyncio
from pathlib import Path

import pytest

from worldline.core.errors import EngineError, InputError
from worldline.models.engines import ENGINES, OpenAIEngine, engine_factory, load_engine
from worldline.models.engines.recorded_engine import RecordedEngine


def test_an_address_opens_a_server_engine() -> None:
    url = "http://127.0.0.1:9/v1,https://127.0.0.1:9/v1"
    engine = load_engine(url, model="m")
    assert isinstance(engine, OpenAIEngine)
    assert engine.name == "m"
    asyncio.run(engine.close())
    assert engine_factory(url).is_server
    assert engine_factory(url).concurrency is None


def test_a_prediction_file_opens_a_recorded_engine(tmp_path: Path) -> None:
    file = tmp_path / "a:b.jsonl"
    file.write_text('{"id": "1", "code": "def f(): pass", "call": "f()", "output": "x"}\n')
    assert isinstance(load_engine(f"recorded:{file}"), RecordedEngine)
    with pytest.raises(InputError, match="cannot read nowhere"):
        load_engine("recorded:nowhere.jsonl")


def test_a_model_in_this_process_has_concurrency_one() -> None:
    assert engine_factory("transformers:folder").concurrency == 1
    assert not engine_factory("transformers:folder").is_server


@pytest.mark.parametrize("name", ["", "gpt", "gpt:4", "ftp://host/v1", "transformers"])
def test_an_unknown_name_is_an_error_that_lists_the_schemes(name: str) -> None:
    message = (
        f"no engine {name!r}; give the address of a server (http://127.0.0.1:8000/v1), "
        "llamacpp:MODEL, transformers:FOLDER or recorded:FILE"
    )
    with pytest.raises(EngineError) as caught:
        load_engine(name)
    assert str(caught.value) == message
    with pytest.raises(EngineError):
        engine_factory(name)


def test_built_in_schemes() -> None:
    assert {"http", "https", "transformers", "recorded"} <= set(ENGINES)
