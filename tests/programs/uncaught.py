# call: use([1, 2])
def last(items):
    return items[2]


def use(items):
    n = len(items)
    return last(items) + n
