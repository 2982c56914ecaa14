# call: use([1, 2, 3])
def use(items):
    x = 1
    del x
    del items[0]
    first, second = items
    del first, second
    for i in items:
        pass
    del i
    x = 2
    return x
