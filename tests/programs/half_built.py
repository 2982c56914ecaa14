# call: build()
class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y
        self.x += 1

    def __repr__(self):
        return f"Point({self.x}, {self.y})"


def build():
    p = Point(1, 2)
    return p
