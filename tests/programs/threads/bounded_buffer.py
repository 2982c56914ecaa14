"""Bounded buffer with `if` instead of `while`: a woken consumer finds it empty."""
# wrong: 1 (thread 2 raised IndexError
# right: 2
import threading


def use(waits_again):
    condition = threading.Condition()
    buffer, taken = [], []

    def consume():
        with condition:
            if waits_again:
                while not buffer:
                    condition.wait()
            elif not buffer:
                condition.wait()
            taken.append(buffer.pop())

    consumers = [threading.Thread(target=consume), threading.Thread(target=consume)]
    consumers[0].start()
    consumers[1].start()
    for item in ("x", "y"):
        with condition:
            buffer.append(item)
            condition.notify_all()
    consumers[0].join()
    consumers[1].join()
    return len(taken)


def buggy():
    return use(False)


def corrected():
    return use(True)
