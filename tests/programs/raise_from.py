# call: use()
class AppError(Exception):
    pass


def load(key):
    try:
        return {}[key]
    except KeyError as error:
        raise AppError("no " + key) from error


def use():
    try:
        load("k")
    except AppError as error:
        return repr(error.__cause__), error.__suppress_context__
