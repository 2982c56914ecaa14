# call: use()
def use():
    caught = []
    try:
        raise ExceptionGroup("two", [ValueError(1), KeyError(2)])
    except* ValueError as group:
        caught.append(len(group.exceptions))
    except* KeyError:
        caught.append("key")
    return caught
