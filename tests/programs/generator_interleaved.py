# call: use()
def count(name, n):
    while True:
        yield name, n
        n += 1


def use():
    a = count("a", 1)
    b = count("b", 5)
    return next(a), next(b), next(a), next(b)
