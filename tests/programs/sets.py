# call: use()
def use():
    s = {3, 1, 2}
    s.add(9)
    s |= {"a"}
    f = frozenset(s & {1, 2})
    e = set()
    return s - f, f, e, frozenset()
