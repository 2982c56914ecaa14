# call: share([1])
def grow(items):
    items.append(2)


def share(first):
    second = first
    inner = [second]
    grow(first)
    second += [3]
    inner[0][0] = 9
    second = second + [4]
    return first
