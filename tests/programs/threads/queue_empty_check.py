"""`empty()` before `get()`: another thread takes the last item in between."""
# wrong: deadlock
# right: 1
import queue
import threading


def run(*targets):
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def buggy():
    items = queue.Queue()
    items.put("only")
    taken = []

    def take():
        if not items.empty():
            taken.append(items.get())

    run(take, take)
    return len(taken)


def corrected():
    items = queue.Queue()
    items.put("only")
    taken = []

    def take():
        try:
            taken.append(items.get_nowait())
        except queue.Empty:
            pass

    run(take, take)
    return len(taken)
