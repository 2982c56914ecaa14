# call: use()
from contextlib import contextmanager


@contextmanager
def tag(name):
    print("<" + name)
    try:
        yield name
    finally:
        print(name + ">")


def use():
    with tag("a"), tag("b") as b:
        return b
