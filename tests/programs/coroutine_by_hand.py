# call: drive()
class Pause:
    def __await__(self):
        got = yield "paused"
        return got


async def work():
    return await Pause()


def drive():
    c = work()
    first = c.send(None)
    try:
        c.send(42)
    except StopIteration as stop:
        return first, stop.value
