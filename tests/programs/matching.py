# call: use()
class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


def kind(value):
    match value:
        case 0 | 1:
            return "bit"
        case [first, *rest] if first > 5:
            return rest
        case {"name": name, **others}:
            return name, others
        case Point(x=0, y=y):
            return y
        case str() as text:
            return text.upper()
        case _:
            return None


def use():
    return kind(1), kind([9, 8]), kind({"name": "n", "a": 1}), kind(Point(0, 4)), kind("s"), kind([1])
