# call: use()
import functools


def repeat(times):
    def decorate(function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            return [function(*args, **kwargs) for _ in range(times)]

        return wrapped

    return decorate


def use():
    @repeat(2)
    def greet(name, mark="!"):
        return name + mark

    return greet("hi", mark="?")
