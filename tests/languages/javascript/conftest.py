"""A recorder of JavaScript programs, shared by the tests of a module."""

import os
from collections.abc import Iterator

import pytest

from worldline.core.errors import RecorderError
from worldline.languages.javascript.node_recorder import NodeRecorder
from worldline.languages.javascript.node_runtime import find_node


@pytest.fixture(scope="module")
def recorder() -> Iterator[NodeRecorder]:
    try:
        find_node()
    except RecorderError as error:
        skip = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        skip(str(error))
    with NodeRecorder() as node:
        yield node
