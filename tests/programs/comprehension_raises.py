# call: use([1, 0])
def use(items):
    try:
        return [1 / x for x in items]
    except ZeroDivisionError:
        return None
