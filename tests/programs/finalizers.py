# call: use()
class Noisy:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name)


def use():
    a = Noisy("a")
    del a
    b = Noisy("b")
    b = None
    c = Noisy("c")
    return 1
