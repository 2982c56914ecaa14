# call: use()
def average():
    total = count = 0
    answer = None
    while True:
        value = yield answer
        if value is None:
            return total
        total += value
        count += 1
        answer = total / count


def use():
    g = average()
    next(g)
    first = g.send(4)
    second = g.send(8)
    try:
        g.send(None)
    except StopIteration as stop:
        return first, second, stop.value
