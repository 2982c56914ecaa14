"""A recorder of Rust programs, shared by the tests of a module."""

from collections.abc import Iterator

import pytest

from worldline.core.errors import RecorderError
from worldline.languages.rust.rust_recorder import RustRecorder


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RustRecorder]:
    rust = RustRecorder()
    try:
        rust._find_gdb()
        rust._find_compiler()
    except RecorderError as error:
        # Debian 12 has an older version, so that CI may have none.
        pytest.skip(str(error))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORLDLINE_CACHE", str(tmp_path_factory.mktemp("cache")))
        with rust:
            yield rust
