# call: use([3, 1])
def use(items):
    if (n := len(items)) > 1:
        n += 1
    while (top := items.pop()) < 3:
        n += top
    kept = [last := x for x in (7, 8)]
    return n, top, kept, last
