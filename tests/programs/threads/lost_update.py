"""Lost update: two threads read a counter before either writes it."""
# wrong: 1
# right: 2
import threading


def run(*targets):
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def buggy():
    total = 0

    def add():
        nonlocal total
        value = total
        total = value + 1

    run(add, add)
    return total


def corrected():
    total = 0
    lock = threading.Lock()

    def add():
        nonlocal total
        with lock:
            value = total
            total = value + 1

    run(add, add)
    return total
