"""Engines, codecs and benchmarks that other packages add with entry points."""

import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import Any

import pytest

from worldline.core import plugins
from worldline.core.errors import CodecError, EngineError, InputError, WorldlineError
from worldline.core.plugins import Registry
from worldline.evaluation.benchmarks import Benchmark, load_benchmark
from worldline.evaluation.benchmarks.benchmark_registry import BENCHMARKS, describe_benchmarks
from worldline.models.codecs import CODECS, STEP_CODECS, CwmCodec, get_codec
from worldline.models.engines import (
    ENGINES,
    EngineFactory,
    EngineOptions,
    ScriptedEngine,
    load_engine,
)

InstallPlugin = Callable[..., None]


@pytest.fixture
def install_plugin(monkeypatch: pytest.MonkeyPatch) -> InstallPlugin:
    """Add items to a registry's group as an installed package does, for one test."""

    def install(registry: Registry[Any], **items: Any) -> None:
        package = ModuleType("plugin_package")
        for name, item in items.items():
            if item is not None:
                setattr(package, name, item)
        monkeypatch.setitem(sys.modules, "plugin_package", package)
        entries = [EntryPoint(n, f"plugin_package:{n}", registry.group) for n in items]
        monkeypatch.setattr(
            plugins, "entry_points", lambda *, group: entries if group == registry.group else []
        )
        # As in a process that has not used the registry yet; undone after the test.
        monkeypatch.setattr(registry, "_items", dict(registry._items))
        monkeypatch.setitem(registry.__dict__, "_entry_points", {})
        del registry.__dict__["_entry_points"]

    return install


class NamedEngine(ScriptedEngine):
    def __init__(self, name: str, options: EngineOptions) -> None:
        super().__init__(lambda _: "")
        self.name = f"{name} {options.model} {options.retry_timeout}"


def test_an_engine_of_another_package_is_loaded(install_plugin: InstallPlugin) -> None:
    install_plugin(ENGINES, grown=EngineFactory(NamedEngine, "grown:THING"))
    engine = load_engine("grown:x", model="m", retry_timeout=3.0)
    assert engine.name == "grown:x m 3.0"
    with pytest.raises(EngineError, match=r"recorded:FILE or grown:THING\Z"):
        load_engine("groan:x")


def test_a_codec_of_another_package_is_found(install_plugin: InstallPlugin) -> None:
    class Grown(CwmCodec):
        name = "grown"

    codec = Grown()
    install_plugin(CODECS, grown=codec)
    assert "grown" in CODECS
    assert "grown" not in STEP_CODECS
    assert list(CODECS)[-1] == "grown"
    assert len(CODECS) == len(list(CODECS))
    assert get_codec("grown") is codec
    with pytest.raises(CodecError, match=r"no codec 'groan'.*grown"):
        get_codec("groan")


def test_a_benchmark_of_another_package_is_loaded_with_its_options(
    install_plugin: InstallPlugin,
) -> None:
    def grown(*, size: int = 3) -> Benchmark:
        """Programs that grow."""
        return Benchmark("grown", (), {"size": size})

    install_plugin(BENCHMARKS, grown=grown)
    assert load_benchmark("grown", options={"size": "5"}).options == {"size": 5}
    assert describe_benchmarks()[-1].summary == "Programs that grow."


@pytest.mark.parametrize(
    ("registry", "error"), [(ENGINES, EngineError), (CODECS, CodecError), (BENCHMARKS, InputError)]
)
def test_a_broken_plugin_is_reported_with_its_package(
    install_plugin: InstallPlugin, registry: Registry[Any], error: type[WorldlineError]
) -> None:
    install_plugin(registry, broken=None)
    # The name is listed, and the other items still work.
    assert "broken" in list(registry)
    assert registry[next(iter(registry))]
    with pytest.raises(error, match=r"'broken' of worldline.*from plugin_package:broken.*update"):
        registry["broken"]


def test_a_plugin_cannot_replace_a_built_in_item(install_plugin: InstallPlugin) -> None:
    before = CODECS["cwm"]
    install_plugin(CODECS, cwm=object())
    assert CODECS["cwm"] is before
    assert list(CODECS).count("cwm") == 1


def test_an_unknown_name_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        CODECS["none of these"]
    assert CODECS.get("none of these") is None
