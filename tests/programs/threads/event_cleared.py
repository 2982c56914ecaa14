"""An event that is set before it is cleared: the waiting thread waits forever."""
# wrong: deadlock
# right: 'go'
import threading


def run(*targets):
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def buggy():
    event = threading.Event()

    def begin():
        event.clear()
        event.wait()

    run(event.set, begin)
    return "go"


def corrected():
    event = threading.Event()

    def begin():
        event.wait()

    run(event.set, begin)
    return "go"
