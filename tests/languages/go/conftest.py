"""A recorder of Go programs, shared by the tests of a module."""

import os
from collections.abc import Iterator

import pytest

from worldline.core.errors import RecorderError
from worldline.languages.go.go_recorder import GoRecorder
from worldline.languages.go.go_runtime import find_go


@pytest.fixture(scope="module")
def recorder() -> Iterator[GoRecorder]:
    try:
        # The standard library is compiled only once, in the user's own cache.
        find_go()
    except RecorderError as error:
        skip = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        skip(str(error))
    with GoRecorder() as go:
        yield go
