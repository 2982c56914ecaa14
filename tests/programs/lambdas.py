# call: use()
def use():
    double = lambda x: x * 2
    pick = lambda a, b=3, *rest, key=None, **more: (a, b, rest, key, more)
    return double(4), pick(1, 2, 9, key=5, z=6), (lambda: (lambda: 7)())()
