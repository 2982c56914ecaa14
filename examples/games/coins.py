"""Coins: one of two coins is drawn, and tossed n times; which coin it is cannot be seen."""

import random

HIDDEN = "coin"


def coins(n):
    coin = random.choice(["fair", "biased"])
    for _ in range(n):
        heads = 1 if coin == "fair" else 3
        yield random.choices(["heads", "tails"], [heads, 1])[0]
