# call: use()
import functools


@functools.lru_cache
def square(n):
    return n * n


def use():
    return square(3), square(3), square(4)
