# run: module
class Meta(type):
    def __new__(meta, name, bases, space):
        space["tag"] = name.lower()
        return super().__new__(meta, name, bases, space)

    def __call__(cls, *args):
        made = super().__call__(*args)
        return made

    def __repr__(cls):
        return "~" + cls.__name__


class Thing(metaclass=Meta):
    def __init__(self, n):
        self.n = n


thing = Thing(4)
tag = Thing.tag
