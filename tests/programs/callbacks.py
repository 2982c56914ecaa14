# call: callbacks(["bb", "a"])
def size(word):
    return len(word)


def callbacks(words):
    ordered = sorted(words, key=size)
    sizes = list(map(size, ordered))
    return max(words, key=lambda w: w[0]), sizes
