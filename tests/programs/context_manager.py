# call: use()
class Room:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("in")
        return self

    def __exit__(self, kind, error, traceback):
        self.log.append("out")


def use():
    log = []
    with Room(log) as room:
        log.append("work")
    return log
