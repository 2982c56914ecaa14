# call: use()
class Positive:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner):
        return instance.__dict__[self.name]

    def __set__(self, instance, value):
        if value < 0:
            raise ValueError(self.name)
        instance.__dict__[self.name] = value


class Account:
    balance = Positive()


def use():
    a = Account()
    a.balance = 5
    try:
        a.balance = -1
    except ValueError as error:
        return a.balance, str(error)
