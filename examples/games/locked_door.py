"""A locked door: one of n keys opens it, and the lock jams in one of four tries.

`tries` are the keys that you try, in turn. You see whether the door opens.
"""

import random

HIDDEN = "key"


def locked_door(n, tries):
    key = random.randrange(n)
    for tried in tries:
        is_jammed = random.random() < 0.25
        if tried == key and not is_jammed:
            yield "opens"
            return
        yield "stays locked"
