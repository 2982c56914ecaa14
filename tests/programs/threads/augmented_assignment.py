"""`+=` is not atomic: its right side calls a function, in which another thread runs."""
# wrong: 1
# right: 2
import threading


def run(*targets):
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def one():
    return 1


def buggy():
    total = 0

    def add():
        nonlocal total
        total += one()

    run(add, add)
    return total


def corrected():
    total = 0
    lock = threading.Lock()

    def add():
        nonlocal total
        with lock:
            total += one()

    run(add, add)
    return total
