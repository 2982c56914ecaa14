# call: use("ab")
def use(text):
    out = ""
    for i, ch in enumerate(text):
        out += f"{i}:{ch!r:>4}|"
    return out.replace("|", "\n")
