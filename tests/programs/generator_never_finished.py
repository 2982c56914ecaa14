# call: use()
def naturals():
    n = 0
    while True:
        yield n
        n += 1


def use():
    g = naturals()
    return next(g), next(g), g
