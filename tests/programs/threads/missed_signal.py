"""Missed signal: the condition is notified before the other thread waits for it."""
# wrong: deadlock
# right: 'ready'
import threading


def run(*targets):
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def buggy():
    condition = threading.Condition()

    def signal():
        with condition:
            condition.notify()

    def wait():
        with condition:
            condition.wait()

    run(wait, signal)
    return "ready"


def corrected():
    condition = threading.Condition()
    is_ready = False

    def signal():
        nonlocal is_ready
        with condition:
            is_ready = True
            condition.notify()

    def wait():
        with condition:
            while not is_ready:
                condition.wait()

    run(wait, signal)
    return "ready"
