"""Kuhn poker: three cards, one for each player, and an opponent with a fixed strategy.

You see your card, and what both players do: pass or bet. The opponent's card is hidden, until
both players have paid the same. `moves` are your moves: the first one, and after your pass and the
opponent's bet, a second one.
"""

import random

HIDDEN = "card"
# The weights with which the opponent bets or passes, by its card: after your pass, after your bet.
AFTER_PASS = {"jack": [1, 2], "queen": [0, 1], "king": [1, 0]}
AFTER_BET = {"jack": [0, 1], "queen": [1, 2], "king": [1, 0]}
ORDER = ["jack", "queen", "king"]


def kuhn_poker(moves):
    mine, card = random.sample(ORDER, 2)
    yield mine
    weights = AFTER_PASS[card] if moves[0] == "pass" else AFTER_BET[card]
    answer = random.choices(["bet", "pass"], weights)[0]
    yield answer
    if answer == "bet" and moves[-1] == "pass":
        yield "you fold"
    elif answer == "pass" and moves[0] == "bet":
        yield "the opponent folds"
    else:
        yield "you win" if ORDER.index(mine) > ORDER.index(card) else "you lose"
