# call: use()
def use():
    grid = [[0] * 2] * 2
    grid[0][1] = 5
    words = ["b", "a"]
    words.sort()
    words.reverse()
    table = {"x": [1]}
    alias = table["x"]
    alias.insert(0, 0)
    table.pop("x")
    table.setdefault("y", alias).clear()
    return grid, words, table
