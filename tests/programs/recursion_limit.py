# call: use()
import sys


def dive(n):
    try:
        return dive(n + 1)
    except RecursionError as error:
        return n, str(error)


def use():
    sys.setrecursionlimit(8)
    return dive(0), sys.getrecursionlimit()
