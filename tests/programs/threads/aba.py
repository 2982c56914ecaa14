"""ABA on a counter: the version is the same again, although the data has changed."""
# wrong: ['mine']
# right: ['mine', 'theirs']
import threading


def run(*targets):
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def use(restores_version):
    version, data = 0, []
    lock = threading.Lock()

    def add_mine():
        nonlocal data
        is_done = False
        while not is_done:
            seen = version
            copy = [*data, "mine"]
            with lock:
                if version == seen:
                    data = copy
                    is_done = True

    def add_theirs():
        nonlocal version, data
        with lock:
            data = [*data, "theirs"]
            version += 1
            if restores_version:
                version -= 1

    run(add_mine, add_theirs)
    return sorted(data)


def buggy():
    return use(True)


def corrected():
    return use(False)
