# call: use()
def use():
    """Nothing happens here."""
