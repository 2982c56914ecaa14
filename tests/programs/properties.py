# call: use()
class Celsius:
    def __init__(self, degrees):
        self.degrees = degrees

    @property
    def degrees(self):
        return self._degrees

    @degrees.setter
    def degrees(self, value):
        self._degrees = max(value, -273)


def use():
    t = Celsius(-300)
    t.degrees += 3
    return t.degrees
