# call: use(0)
def yes(n):
    return n > 0


def use(n):
    a = "pos" if yes(n) else "not"
    b = yes(n) or yes(n + 1) and not yes(n)
    c = 0 <= n < 5 != 6
    return a, b, c
