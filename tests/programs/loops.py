# call: scan([3, 0, 4, 9])
def scan(items):
    kept = []
    for item in items:
        if item == 0:
            continue
        if item > 8:
            break
        kept.append(item)
    else:
        kept.append(-1)
    n = 2
    while n:
        n -= 1
    else:
        kept.append(n)
    return kept
