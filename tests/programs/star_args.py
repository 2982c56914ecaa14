# call: use()
def collect(a, /, b, *args, c, d=4, **kwargs):
    return a, b, args, c, d, kwargs


def use():
    rest = [3, 4]
    more = {"e": 5}
    return collect(1, 2, *rest, c=0, **more), collect(*rest, **{"c": 1})
