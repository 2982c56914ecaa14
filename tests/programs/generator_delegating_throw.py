# call: use()
def inner():
    try:
        yield 1
    except ValueError:
        return "caught"


def outer():
    result = yield from inner()
    yield result


def use():
    g = outer()
    next(g)
    return g.throw(ValueError)
