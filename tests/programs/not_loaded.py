# call: use()
def use():
    return 1


print("loading")
table = {}
table["missing"]
