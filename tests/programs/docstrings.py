# call: use()
def documented():
    """Says what it does."""
    x = 1
    return x


def use():
    def unused():
        pass

    y = documented()
    ...
    return y
