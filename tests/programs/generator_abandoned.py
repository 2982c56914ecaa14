# call: use()
def guarded():
    try:
        yield 1
        yield 2
    finally:
        print("closed")


def plain():
    yield 1
    yield 2


def use():
    a = guarded()
    next(a)
    del a
    b = plain()
    next(b)
    del b
    return "end"
