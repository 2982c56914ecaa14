# call: assign([1, 2, 3, 4])
def assign(items):
    first, *rest = items
    a = b = []
    a += rest
    x, y = first, 2
    x, y = y, x
    b[0], b[-1] = b[-1], b[0]
    b[1:2] = [7, 7]
    z: int = x
    return a, x, y, z
