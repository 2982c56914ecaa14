# call: outer(2, 3)
def inner(a):
    b = a * 10
    return b


def middle(x, y):
    first = inner(x)
    return first + inner(y)


def outer(p, q):
    total = middle(p, q)
    return total
