"""Bank transfers: money is lost or created between reading and writing two balances."""
# wrong: 210
# right: 200
import threading


def run(*targets):
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def buggy():
    balance = {"a": 100, "b": 100}

    def transfer(source, target):
        left, more = balance[source] - 10, balance[target] + 10
        balance[source] = left
        balance[target] = more

    run(lambda: transfer("a", "b"), lambda: transfer("b", "a"))
    return sum(balance.values())


def corrected():
    balance = {"a": 100, "b": 100}
    lock = threading.Lock()

    def transfer(source, target):
        with lock:
            left, more = balance[source] - 10, balance[target] + 10
            balance[source] = left
            balance[target] = more

    run(lambda: transfer("a", "b"), lambda: transfer("b", "a"))
    return sum(balance.values())
