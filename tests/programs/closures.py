# call: count()
def counter(start):
    total = start

    def add(n):
        nonlocal total
        total += n
        return total

    return add


def count():
    add = counter(10)
    add(1)
    return add(5)
