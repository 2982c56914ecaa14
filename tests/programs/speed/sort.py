def less(a, b):
    return a < b


def sort(n):
    xs = [(i * 37) % n for i in range(n)]
    for i in range(n):
        for j in range(n - i - 1):
            if less(xs[j + 1], xs[j]):
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs
