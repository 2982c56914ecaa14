# call: use()
import sys
import weakref


class Plain:
    pass


def use():
    p = Plain()
    bound = p.__init__
    methods = [use, use.__code__, len, [].append, Plain, sys]
    others = [iter([1]), zip(), object(), weakref.ref(p), memoryview(b"")]
    closed = (lambda: p).__closure__
    return methods
