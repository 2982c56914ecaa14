"""A recorder of C++ programs, shared by the tests of a module."""

import os
from collections.abc import Iterator

import pytest

from worldline.core.errors import RecorderError
from worldline.languages.cpp.cpp_compiler import find_compiler
from worldline.languages.cpp.gdb_recorder import GdbRecorder
from worldline.languages.native.gdb_runtime import find_gdb


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GdbRecorder]:
    try:
        find_compiler()
        find_gdb()
    except RecorderError as error:
        skip = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        skip(str(error))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORLDLINE_CACHE", str(tmp_path_factory.mktemp("cache")))
        with GdbRecorder() as gdb:
            yield gdb
