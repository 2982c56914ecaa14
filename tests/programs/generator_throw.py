# call: use()
def resilient():
    while True:
        try:
            yield 1
        except ValueError as error:
            yield str(error)


def use():
    g = resilient()
    first = next(g)
    second = g.throw(ValueError("in"))
    third = next(g)
    try:
        g.throw(KeyError("out"))
    except KeyError:
        return first, second, third
