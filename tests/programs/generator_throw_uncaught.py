# call: use()
def numbers():
    yield 1


def use():
    g = numbers()
    next(g)
    g.throw(ValueError("thrown"))
