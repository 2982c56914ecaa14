"""Check, then act: both threads see that there is a seat."""
# wrong: -1
# right: 0
import threading


def run(*targets):
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def buggy():
    seats = 1

    def book():
        nonlocal seats
        if seats > 0:
            seats -= 1

    run(book, book)
    return seats


def corrected():
    seats = 1
    lock = threading.Lock()

    def book():
        nonlocal seats
        with lock:
            if seats > 0:
                seats -= 1

    run(book, book)
    return seats
