# call: use()
def use():
    a = [1]
    a.append(a)
    d = {"d": a}
    d["self"] = d
    t = (a, [])
    t[1].append(t)
    return t
