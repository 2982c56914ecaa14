# call: use(0)
def use(n):
    assert n == 0
    try:
        assert n > 0, f"n is {n}"
    except AssertionError as error:
        return str(error)
