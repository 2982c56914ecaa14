# call: use([1, 2])
def twice(n):
    return n * 2


def use(items):
    return [twice(x) for x in items if x > 1]
