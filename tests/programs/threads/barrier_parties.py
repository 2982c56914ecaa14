"""Barrier for one thread more than there are on one of the paths."""
# wrong: deadlock
# right: 'together'
import threading


def run(*targets):
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def buggy():
    barrier = threading.Barrier(2)
    helped = False

    def help_out():
        nonlocal helped
        helped = True
        barrier.wait()

    def work():
        if helped:
            return
        barrier.wait()

    run(help_out, work)
    return "together"


def corrected():
    barrier = threading.Barrier(2)
    helped = False

    def help_out():
        nonlocal helped
        helped = True
        barrier.wait()

    def work():
        barrier.wait()

    run(help_out, work)
    return "together"
