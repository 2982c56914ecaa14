# call: use()
class Vector:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        return Vector(self.x + other.x)

    def __eq__(self, other):
        return self.x == other.x

    def __getitem__(self, i):
        return self.x

    def __bool__(self):
        return self.x > 0


def use():
    v = Vector(1) + Vector(2)
    return v == Vector(3), v[0], bool(v), not v
