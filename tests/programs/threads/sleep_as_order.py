"""`time.sleep` instead of waiting: the other thread may be slower."""
# wrong: None
# right: 'value'
import threading
import time


def run(*targets):
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def buggy():
    box = [None]

    def put():
        box[0] = "value"

    def take():
        time.sleep(1)
        seen.append(box[0])

    seen = []
    run(take, put)
    return seen[0]


def corrected():
    box, is_full = [None], threading.Event()

    def put():
        box[0] = "value"
        is_full.set()

    def take():
        is_full.wait()
        seen.append(box[0])

    seen = []
    run(take, put)
    return seen[0]
