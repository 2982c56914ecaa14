# call: use()
def use():
    nan = float("nan")
    inf = -float("inf")
    zero = -0.0
    tenth = 0.1 + 0.2
    big = 1e308 * 10
    c = complex(zero, nan)
    same = nan == nan
    return [nan, inf, zero, tenth, big, c, 1e16, True + True]
