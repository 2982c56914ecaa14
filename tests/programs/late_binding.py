# call: late()
def late():
    functions = []
    for i in range(2):
        functions.append(lambda: i)
    i = 5
    return [functions[0](), functions[1]()]
