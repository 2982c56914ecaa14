# call: use()
def fail():
    try:
        raise ValueError("kept")
    finally:
        done = True


def use():
    try:
        fail()
    except ValueError as error:
        return str(error)
