# call: use()
def use():
    data = bytearray(b"ab")
    view = memoryview(data)
    view[0] = 122
    part = slice(1, None)
    steps = range(0, 9, 3)
    return data, bytes(view[part]), steps, ...
