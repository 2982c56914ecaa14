"""Limits of the bounded cache."""

from worldline.core.util.cache import BoundedCache


def test_only_small_keys_are_stored_up_to_the_limit() -> None:
    cache = BoundedCache[str, int](entries=2, key_size=3)
    for number, key in enumerate(("a", "abc", "bc", "d")):
        cache.add(key, number, size=len(key))
    assert [cache.get(key) for key in ("a", "abc", "bc", "d")] == [0, None, 2, None]
