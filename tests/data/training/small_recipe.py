"""Recipe of a model that is trained in a second."""

from worldline.data.training import Recipe

QUICK = Recipe("quick", 32, 2, 2, 2048, tokens=7000, batch_tokens=600, held_out=2)
