# call: use()
def helper(n):
    return n + 1


def use():
    scope = {"__builtins__": {}, "helper": helper}
    exec("a = helper(1)\nb = a * 2", scope)
    c = eval("x + 1", {}, {"x": 4})
    return scope["b"], c
