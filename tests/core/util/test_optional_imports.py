"""Error messages for optional libraries that are not installed."""

import sys
from collections.abc import Callable

import pytest

from worldline.analysis.stats.lazy_imports import lazy_import
from worldline.core.errors import EngineError, InputError, TokenizerError, WorldlineError
from worldline.core.util.optional_imports import optional_import
from worldline.data.tracing.runners.local_runner import require_pebble
from worldline.data.tracing.runners.ray_runner import require_ray
from worldline.data.training.torch_import import require_torch
from worldline.evaluation.store.columns import require_arrow
from worldline.evaluation.store.sql_query import require_duckdb
from worldline.models.tokenizers.tokenizers_library import require_tokenizers


@pytest.mark.parametrize(
    ("library", "load", "error", "text"),
    [
        ("scipy", lambda: lazy_import("scipy.stats"), InputError,
         "intervals and tests need scipy: pip install 'worldline[runs]'"),
        ("pyarrow", require_arrow, InputError,
         "runs are stored with pyarrow; install it with: pip install 'worldline[runs]'"),
        ("duckdb", require_duckdb, InputError,
         "queries need duckdb; install it with: pip install 'worldline[runs]'"),
        ("pebble", require_pebble, InputError,
         "many programs are run by Pebble's processes; install it with: "
         "pip install 'worldline[trace]'"),
        ("ray", require_ray, InputError,
         "--runner ray needs Ray; install it with: pip install 'worldline[ray]'"),
        ("torch", require_torch, InputError,
         "training needs torch and transformers: pip install 'worldline[train]'"),
        ("tokenizers", lambda: require_tokenizers("a.json"), TokenizerError,
         "a.json needs tokenizers; install it with: pip install 'worldline[hf]'"),
    ],
)  # fmt: skip
def test_the_error_for_a_missing_library_names_its_extra(
    library: str,
    load: Callable[[], object],
    error: type[WorldlineError],
    text: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(WorldlineError) as raised:
        load()
    assert type(raised.value) is error
    assert str(raised.value) == text
    assert raised.value.__suppress_context__


def test_other_errors_are_not_changed() -> None:
    with pytest.raises(KeyError), optional_import("x", extra="y", error=EngineError):
        raise KeyError
