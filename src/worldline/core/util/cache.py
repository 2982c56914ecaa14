"""Cache with a limit on its entries and on the size of their keys."""

from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class BoundedCache(Generic[Key, Value]):
    """Cache of the first `entries` values whose keys are smaller than `key_size`; evicts none.

    For keys of which the small ones recur, such as the lines of a program. Unlike
    `functools.lru_cache`, it stores no large keys, and the value may be awaited.
    """

    def __init__(self, *, entries: int, key_size: int) -> None:
        self._entries, self._key_size = entries, key_size
        self._values: dict[Key, Value] = {}

    def get(self, key: Key) -> Value | None:
        """The cached value of a key, or None."""
        return self._values.get(key)

    def add(self, key: Key, value: Value, *, size: int) -> None:
        """Store a value if neither limit is reached; `size` is the key's, in characters say."""
        if size < self._key_size and len(self._values) < self._entries:
            self._values[key] = value
