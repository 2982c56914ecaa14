# call: use()
total = 0
names = []


def add(n):
    global total
    total += n
    names.append(n)


def use():
    add(2)
    add(3)
    return total, names
