# call: use()
class Animal:
    kind = "animal"

    def __init__(self, name):
        self.name = name

    def speak(self):
        return self.name

    @classmethod
    def make(cls, name):
        return cls(name)

    @staticmethod
    def legs():
        return 4


class Dog(Animal):
    def __init__(self, name):
        super().__init__(name.upper())

    def speak(self):
        return super().speak() + "!"


def use():
    dog = Dog.make("rex")
    return dog.speak(), dog.legs(), Animal.kind
