# call: use([1, 2])
def use(items):
    squares = (x * x for x in items if x > 1)
    return sum(squares), any(x == 1 for x in items)
