"""Small programs that use collections; the calls are in the comment above each function."""

import collections


# most_frequent('banana'), most_frequent('z'), most_frequent('aabbb')
def most_frequent(text):
    counts = collections.Counter(text)
    letter, count = counts.most_common(1)[0]
    return letter * count


# is_anagram('listen', 'silent'), is_anagram('ab', 'abc'), is_anagram('', '')
def is_anagram(left, right):
    if collections.Counter(left) == collections.Counter(right):
        return True
    return False


# last_lines(['a', 'b', 'c'], 2), last_lines([], 3), last_lines(['x'], 1)
def last_lines(lines, count):
    kept = collections.deque(lines, maxlen=count)
    return list(kept)


# rotate([1, 2, 3, 4], 1), rotate([1, 2, 3], -1), rotate([], 2)
def rotate(items, count):
    queue = collections.deque(items)
    queue.rotate(count)
    return list(queue)


# josephus(5, 2), josephus(1, 3), josephus(4, 3)
def josephus(people, step):
    queue = collections.deque(range(1, people + 1))
    while len(queue) > 1:
        queue.rotate(1 - step)
        queue.popleft()
    return queue[0]


# group_by_length(['a', 'bb', 'c']), group_by_length([]), group_by_length(['xx', 'yy'])
def group_by_length(words):
    groups = collections.defaultdict(list)
    for word in words:
        groups[len(word)] = groups[len(word)] + [word]
    return sorted(groups.items())


# duplicates([1, 2, 1, 3, 2]), duplicates([1, 2]), duplicates(['a', 'a', 'a'])
def duplicates(items):
    counts = collections.Counter(items)
    return [item for item, count in counts.items() if count > 1]


# missing('aab', 'abb'), missing('abc', 'abc'), missing('zz', '')
def missing(needed, given):
    rest = collections.Counter(needed) - collections.Counter(given)
    return sum(rest.values())


# lookup('size', {'size': 3}), lookup('mode', {'size': 3}), lookup('other', {})
def lookup(name, given):
    settings = collections.ChainMap(given, {"size": 1, "mode": "fast"})
    if name in settings:
        return settings[name]
    return "unset"


# distance((0, 0), (3, 4)), distance((1, 1), (1, 1)), distance((2, 0), (0, 0))
def distance(first, second):
    point = collections.namedtuple("Point", "x y")
    a, b = point(*first), point(*second)
    return abs(a.x - b.x) + abs(a.y - b.y)


# take_turns(['a', 'b'], 3), take_turns(['x'], 2), take_turns(['p', 'q', 'r'], 4)
def take_turns(names, rounds):
    queue = collections.deque(names)
    order = ""
    for _ in range(rounds):
        name = queue.popleft()
        order += name
        queue.append(name)
    return order


# vote(['x', 'y', 'x']), vote(['a']), vote(['p', 'q', 'q', 'q'])
def vote(ballots):
    counts = collections.Counter(ballots)
    winner = max(counts, key=counts.get)
    return winner


# common_letters('apple', 'pear'), common_letters('abc', 'xyz'), common_letters('aa', 'aaa')
def common_letters(left, right):
    both = collections.Counter(left) & collections.Counter(right)
    return "".join(sorted(both.elements()))
