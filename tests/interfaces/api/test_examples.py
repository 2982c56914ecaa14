"""Examples in docstrings are executed."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import worldline

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(worldline.__path__, "worldline.")
    if ".child" not in module.name and "__main__" not in module.name
)
# `...` in an expected output stands for any text.
OPTIONS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def has_examples(name: str) -> bool:
    spec = importlib.util.find_spec(name)
    return spec is not None and bool(spec.origin) and ">>> " in Path(str(spec.origin)).read_text()


@pytest.mark.parametrize("name", ["worldline", *filter(has_examples, MODULES)])
def test_examples_of_docstrings(name: str, tmp_path: Path) -> None:
    module = importlib.import_module(name)
    result = doctest.testmod(module, extraglobs={"folder": str(tmp_path)}, optionflags=OPTIONS)
    assert result.attempted > 0
    assert result.failed == 0
