# call: f()
def g():
    while True:
        try:
            yield None
        except ValueError:
            pass
def f():
    a = g()
    next(a)
    b = a.throw(ValueError('v'))
    c = next(a)
    return b, c
