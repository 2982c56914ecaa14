# call: use()
def numbers():
    yield 1


def use():
    g = numbers()
    try:
        g.throw(ValueError)
    except ValueError:
        return list(g)
