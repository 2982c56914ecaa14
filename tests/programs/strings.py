# call: use()
def use():
    quote = "it's"
    both = "\"'"
    lone = "\ud800" + "\udfff"
    pair = "😀é\x00\x85\u2028\\"
    raw = b"\xff'\n"
    at = "<x object at 0x7f0000000000>"
    return [quote, both, lone, pair, raw, at]
