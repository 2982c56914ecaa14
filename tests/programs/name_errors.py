# call: use()
def use():
    try:
        print(local)
        local = 1
    except UnboundLocalError:
        pass
    try:
        return missing
    except NameError as error:
        return error.name
