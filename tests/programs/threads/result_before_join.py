"""The result is read before the thread has ended."""
# wrong: None
# right: 42
import threading


def run(*targets):
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def buggy():
    result = None

    def compute():
        nonlocal result
        result = 42

    thread = threading.Thread(target=compute)
    thread.start()
    seen = result
    thread.join()
    return seen


def corrected():
    result = None

    def compute():
        nonlocal result
        result = 42

    thread = threading.Thread(target=compute)
    thread.start()
    thread.join()
    seen = result
    return seen
