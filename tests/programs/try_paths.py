# call: paths()
def attempt(n):
    try:
        result = 10 / n
    except ZeroDivisionError:
        result = "zero"
    except (TypeError, ValueError) as error:
        result = type(error).__name__
    else:
        result += 1
    finally:
        n = None
    return result


def paths():
    return attempt(5), attempt(0), attempt("x")
