# call: use()
def numbers():
    yield 1
    1 / 0


def use():
    for n in numbers():
        kept = n
