# call: use([1, 2])
def use(items):
    x = "outer"
    doubled = [x * 2 for x in items]
    table = {n: str(n) for n in items}
    unique = {n % 2 for n in items}
    pairs = [
        (a, b)
        for a in items
        for b in items
        if a < b
    ]
    return x, doubled, table, unique, pairs
