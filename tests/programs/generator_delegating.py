# call: use()
def inner():
    got = yield 1
    return got


def outer():
    result = yield from inner()
    yield from [result, 3]


def use():
    g = outer()
    next(g)
    return [g.send("x"), *g]
