# call: use()
import atexit
import threading
import time


def late():
    time.sleep(0.05)
    print("thread")


def use():
    atexit.register(print, "at exit")
    threading.Thread(target=late).start()
    return "returned"
