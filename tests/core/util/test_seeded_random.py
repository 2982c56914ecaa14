"""Seeded random choices, the same on every version of Python."""

from worldline.core.util.seeded_random import SeededRandom


def test_choices_are_the_same_on_every_python() -> None:
    random = SeededRandom("permutation", 0, 8)
    assert [random.below(10) for _ in range(6)] == [9, 1, 4, 4, 5, 1]
    assert [random.between(3, 5) for _ in range(6)] == [3, 3, 3, 4, 3, 4]
    assert random.pick("abcdef") == "c"
    assert random.shuffled(range(6)) == [1, 2, 3, 5, 4, 0]
