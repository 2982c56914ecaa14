# call: use()
import sys


def dive(n):
    try:
        return dive(n + 1)
    except RecursionError:
        return n


def use():
    sys.setrecursionlimit(8)
    deepest = dive(0)
    return deepest, sys.getrecursionlimit()
