# run: module
"""A module that is run, not called."""
import sys

LIMIT = 2


def double(n):
    return n * LIMIT


class Box:
    side = double(3)


values = [double(n) for n in (1, 2)]
if __name__ == "__main__":
    print(values, Box.side, sys.argv)
del values
