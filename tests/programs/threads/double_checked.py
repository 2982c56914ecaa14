"""Double-checked initialization: the object is published before it is complete."""
# wrong: 'raised AttributeError'
# right: 'ready'
import threading


def run(*targets):
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Service:
    pass


def use(is_published_early):
    lock = threading.Lock()
    service = None
    results = []

    def get():
        nonlocal service
        if service is None:
            with lock:
                if service is None:
                    new = Service()
                    if is_published_early:
                        service = new
                    new.state = "ready"
                    service = new
        return service

    def work():
        try:
            results.append(get().state)
        except AttributeError:
            results.append("raised AttributeError")

    run(work, work)
    return min(results)


def buggy():
    return use(True)


def corrected():
    return use(False)
