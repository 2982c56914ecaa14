# call: f()
def t():
    return 0
def g():
    try:
        raise KeyError(1)
    finally:
        for x in (1, 2):
            yield x
            x = t()
def f():
    a = g()
    next(a)
    try:
        a.throw(ValueError('v'))
    except ValueError:
        return 'left'
