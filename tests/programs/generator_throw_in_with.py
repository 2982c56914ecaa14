# call: f()
class C:
    def __enter__(self):
        return self
    def __exit__(self, *a):
        return False
def g():
    with C():
        yield None
def f():
    a = g()
    next(a)
    try:
        a.throw(ValueError('v'))
    except ValueError:
        return 'left'
