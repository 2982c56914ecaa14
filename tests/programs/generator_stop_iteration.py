# call: use()
def bad():
    yield 1
    raise StopIteration


def use():
    try:
        return list(bad())
    except RuntimeError as error:
        return str(error)
