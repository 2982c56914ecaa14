"""Deadlock by the order of locks: each thread has the lock that the other one needs."""
# wrong: deadlock
# right: ['a', 'b']
import threading


def run(*targets):
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def buggy():
    first, second, done = threading.Lock(), threading.Lock(), []

    def work_a():
        with first:
            with second:
                done.append("a")

    def work_b():
        with second:
            with first:
                done.append("b")

    run(work_a, work_b)
    return sorted(done)


def corrected():
    first, second, done = threading.Lock(), threading.Lock(), []

    def work_a():
        with first:
            with second:
                done.append("a")

    def work_b():
        with first:
            with second:
                done.append("b")

    run(work_a, work_b)
    return sorted(done)
