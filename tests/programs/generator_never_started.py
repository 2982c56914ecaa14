# call: use()
def numbers():
    yield 1


def use():
    g = numbers()
    return g
