# call: use()
import threading


def work(out):
    out.append("worker")


def finish(thread):
    thread.start(); thread.join()
    return thread.is_alive()


def use():
    out = []
    out.append(finish(threading.Thread(target=work, args=(out,))))
    return out
