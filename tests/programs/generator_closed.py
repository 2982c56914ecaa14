# call: use()
def numbers():
    try:
        yield 1
    except GeneratorExit:
        return


def use():
    started = numbers()
    next(started)
    started.close()
    fresh = numbers()
    fresh.close()
    return list(started), list(fresh)
