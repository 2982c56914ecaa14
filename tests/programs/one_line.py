# call: use(2)
def add(n): n += 1; return n


def use(n):
    a = 1; b = 2; a += b
    if a: c = add(a); d = c
    for i in range(2): a += i
    while n: n -= 1
    return a, b, c, d
