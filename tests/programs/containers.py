# call: use()
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from enum import Enum

Pair = namedtuple("Pair", "a b")


class Color(Enum):
    RED = 1


@dataclass
class Item:
    name: str
    tags: list = field(default_factory=list)


def use():
    q = deque([1, 2], maxlen=2)
    q.append(3)
    d = defaultdict(list)
    d["k"].append(Color.RED)
    c = Counter("aab")
    o = OrderedDict(x=1)
    item = Item("n")
    item.tags.append(Pair(1, 2))
    return q, d, c, o, item
