# call: use()
def check(n):
    try:
        return 10 // n
    except ZeroDivisionError:
        print("seen")
        raise


def use():
    try:
        check(0)
    except ZeroDivisionError as error:
        return str(error)
