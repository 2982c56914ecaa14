"""Check a dictionary, then insert: both threads compute the value."""
# wrong: 2
# right: 1
import threading


def run(*targets):
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def buggy():
    cache, computed = {}, []

    def get():
        if "key" not in cache:
            computed.append("key")
            cache["key"] = "value"

    run(get, get)
    return len(computed)


def corrected():
    cache, computed = {}, []
    lock = threading.Lock()

    def get():
        with lock:
            if "key" not in cache:
                computed.append("key")
                cache["key"] = "value"

    run(get, get)
    return len(computed)
