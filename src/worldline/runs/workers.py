"""How many processes there may be, and what every process of a pool begins with."""

import os
import signal
import threading
from multiprocessing import parent_process


def usable_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))


def start_worker() -> None:
    """Leave ctrl-c to whoever started us, and end when that is killed."""
    # A terminal sends it to all; the one that waits for us says when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """What is not written yet is not waited for: the command may have been given again already."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
