"""A recorder of Java programs, shared by the tests of a module."""

import os
from collections.abc import Iterator

import pytest

from worldline.core.errors import RecorderError
from worldline.languages.java.jvm_recorder import JavaRecorder
from worldline.languages.java.jvm_runtime import find_java


@pytest.fixture(scope="module")
def recorder() -> Iterator[JavaRecorder]:
    try:
        find_java()
    except RecorderError as error:
        skip = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        skip(str(error))
    with JavaRecorder() as jvm:
        yield jvm
