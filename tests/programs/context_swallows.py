# call: use()
class Swallow:
    def __enter__(self):
        return "s"

    def __exit__(self, kind, error, traceback):
        return kind is ValueError


def use():
    with Swallow() as s:
        raise ValueError("lost")
    x = 1
    with Swallow():
        raise KeyError("found")
    return x
