# call: use()
def push(item, items=[], *, marks={}):
    items.append(item)
    marks[item] = len(items)
    return items


def use():
    push(1)
    push(2, [])
    return push(3)
