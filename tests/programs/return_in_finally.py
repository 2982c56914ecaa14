# call: use()
def swallow():
    try:
        raise ValueError("gone")
    finally:
        return "finally"


def replace():
    try:
        return "try"
    finally:
        return "finally"


def keep():
    x = 1
    try:
        return x
    finally:
        x = 2


def use():
    return swallow(), replace(), keep()
