# call: use()
class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n


def use():
    seen = []
    for n in Countdown(1):
        seen.append(n)
    return seen
