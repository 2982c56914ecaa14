# call: use()
def numbers(n):
    for i in range(n):
        yield i
    return "done"


def use():
    total = 0
    for x in numbers(2):
        total += x
    return total
