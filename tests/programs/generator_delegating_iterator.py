# call: list(outer())
class Count:
    def __init__(self):
        self.n = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.n += 1
        if self.n > 1:
            raise StopIteration(7)
        return self.n


def outer():
    x = yield (yield from Count())
    yield x
