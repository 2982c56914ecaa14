# call: use()
def use():
    try:
        try:
            int("x")
        except ValueError:
            {}["k"]
    except KeyError as error:
        return type(error.__context__).__name__
